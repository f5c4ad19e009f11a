import { Command } from '@oclif/core'
import { colorFlag, outputFlag } from '../../src/flags.ts'

export default class LabScenarios extends Command {
  static override summary = 'List the scenarios that a lab can be started with'
  static override description =
    'Each is a lab in which one thing is wrong, with the code that diagnose gives it. Their files are in the folder scenarios/ of this program; one of your own is given to "lab up --scenario" by its path.'
  static override examples = [
    { description: 'Which are there?', command: '<%= config.bin %> <%= command.id %>' },
    {
      description: 'Which code tells of a quota?',
      command:
        '<%= config.bin %> <%= command.id %> -o json | jq -r \'.[] | select(.name == "quota").code\'',
    },
  ]
  static override flags = { output: outputFlag(), color: colorFlag }

  async run(): Promise<void> {
    const { flags } = await this.parse(LabScenarios)
    const { allScenarios } = await import('../../src/lab/scenario/folder.ts')
    const { scenarioListLines } = await import('../../src/terminal/lab.ts')
    const { print } = await import('../../src/terminal/output.ts')
    const { terminalOf } = await import('../../src/terminal/terminal.ts')
    const scenarios = await allScenarios()
    const told = scenarios.map(({ objects: _, until: __, ...rest }) => rest)
    const out = terminalOf(process.stdout, { color: flags.color })
    await print(out, told, flags.output, () => scenarioListLines(scenarios, out))
  }
}
