import { Command } from '@oclif/core'
import { colorFlag, labNameFlag, outputFlag } from '../../src/flags.ts'

export default class LabStatus extends Command {
  static override summary = 'Show how a lab is and how to use it'
  static override examples = [
    {
      description: 'Is it up, and where are its kubeconfig and its log?',
      command: '<%= config.bin %> <%= command.id %>',
    },
    {
      description: 'Use the kubeconfig of another one',
      command:
        'export KUBECONFIG=$(<%= config.bin %> <%= command.id %> --name demo -o json | jq -r .kubeconfig)',
    },
  ]
  static override flags = { name: labNameFlag, output: outputFlag(), color: colorFlag }

  async run(): Promise<void> {
    const { flags } = await this.parse(LabStatus)
    const { inspectLab } = await import('../../src/lab/inspect.ts')
    const { existingLab } = await import('../../src/lab/state/folder.ts')
    const { labStatusLines } = await import('../../src/terminal/lab.ts')
    const { print } = await import('../../src/terminal/output.ts')
    const { terminalOf } = await import('../../src/terminal/terminal.ts')

    const status = await inspectLab(await existingLab(process.env, flags.name))
    const out = terminalOf(process.stdout, { color: flags.color })
    await print(out, status, flags.output, () => labStatusLines(status))
  }
}
