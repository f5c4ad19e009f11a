import { Args, Command, Flags } from '@oclif/core'
import { EXIT, MigError } from '../src/errors.ts'
import { colorFlag } from '../src/flags.ts'

export default class Explain extends Command {
  static override summary =
    'Say what a code of diagnose means, how it is detected and how to mend it'
  static override examples = [
    { description: 'One code', command: '<%= config.bin %> <%= command.id %> MIG3001' },
    { description: 'All of them', command: '<%= config.bin %> <%= command.id %> --list' },
  ]
  static override args = {
    code: Args.string({ ignoreStdin: true, description: 'a code, like MIG3001' }),
  }
  static override flags = {
    list: Flags.boolean({ description: 'list all codes' }),
    output: Flags.option({
      char: 'o',
      options: ['json', 'yaml'] as const,
      description: 'print one machine-readable document instead of text',
    })(),
    color: colorFlag,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Explain)
    if (Boolean(flags.list) === (args.code !== undefined))
      throw new MigError(EXIT.usage, 'explain needs either a code or --list', {
        hint: 'kubectl mig explain MIG3001',
      })
    const { explanation, explanations } = await import('../src/diagnose/explain.ts')
    const { explanationText, listText } = await import('../src/terminal/explanation.ts')
    const { print } = await import('../src/terminal/output.ts')
    const { terminalOf } = await import('../src/terminal/terminal.ts')
    const out = terminalOf(process.stdout, { color: flags.color })
    if (args.code === undefined) {
      const all = explanations()
      return print(out, all, flags.output, () => listText(all, out))
    }
    const found = explanation(args.code)
    if (!found)
      throw new MigError(EXIT.usage, `there is no code ${args.code}`, {
        hint: '"kubectl mig explain --list" lists them',
      })
    return print(out, found, flags.output, () => explanationText(found, out))
  }
}
