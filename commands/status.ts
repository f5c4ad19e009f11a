import { Command } from '@oclif/core'
import { clusterFlags, outputFlag } from '../src/flags.ts'

export default class Status extends Command {
  static override summary = 'Show migrations and where each is now'
  static override flags = { ...clusterFlags, output: outputFlag() }

  async run(): Promise<void> {
    await this.parse(Status)
  }
}
