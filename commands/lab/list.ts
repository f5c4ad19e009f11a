import { Command } from '@oclif/core'
import { colorFlag, outputFlag } from '../../src/flags.ts'

export default class LabList extends Command {
  static override summary = 'List the labs of this machine'
  static override examples = [
    {
      description: 'Which labs are up, and which have died?',
      command: '<%= config.bin %> <%= command.id %>',
    },
    {
      description: 'Their kubeconfig files',
      command: '<%= config.bin %> <%= command.id %> -o json | jq -r ".[].kubeconfig"',
    },
  ]
  static override flags = { output: outputFlag(), color: colorFlag }

  async run(): Promise<void> {
    const { flags } = await this.parse(LabList)
    const { describeLab } = await import('../../src/lab/inspect.ts')
    const { findLabs } = await import('../../src/lab/state/folder.ts')
    const { labListLines } = await import('../../src/terminal/lab.ts')
    const { print } = await import('../../src/terminal/output.ts')
    const { terminalOf } = await import('../../src/terminal/terminal.ts')

    const labs = (await findLabs(process.env)).map(describeLab)
    const out = terminalOf(process.stdout, { color: flags.color })
    await print(out, labs, flags.output, () => labListLines(labs, out, Date.now()))
  }
}
