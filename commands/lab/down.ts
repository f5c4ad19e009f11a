import { Command } from '@oclif/core'
import { labNameFlag } from '../../src/flags.ts'

export default class LabDown extends Command {
  static override summary = 'End a lab and remove everything it has left'
  static override examples = [
    {
      description: 'End the lab that is called "lab"',
      command: '<%= config.bin %> <%= command.id %>',
    },
    {
      description: 'End another one',
      command: '<%= config.bin %> <%= command.id %> --name demo',
    },
  ]
  static override flags = { name: labNameFlag }

  async run(): Promise<void> {
    const { flags } = await this.parse(LabDown)
    const { systemClock } = await import('../../src/clock.ts')
    const { existingLab } = await import('../../src/lab/state/folder.ts')
    const { stopLab } = await import('../../src/lab/state/stop.ts')
    const how = await stopLab(await existingLab(process.env, flags.name), systemClock)
    const said = {
      ended: 'is down',
      killed: 'did not end by itself and was killed',
      dead: 'was dead already; what it had left is gone',
    }
    process.stdout.write(`Lab "${flags.name}" ${said[how]}.\n`)
  }
}
