import { Command, Flags } from '@oclif/core'
import { EXIT, MigError } from '../src/errors.ts'
import { colorFlag } from '../src/flags.ts'

export default class Diagnose extends Command {
  static override summary = 'Say why a migration does not start, does not move or failed'
  static override description =
    'Reads what kubectl, must-gather or a support bundle wrote (YAML, JSON, logs, folders, tar archives) and names the one cause that explains the most, with its evidence and what to do next. Exit 3 when something failed.'
  static override examples = [
    {
      description: 'From an archive',
      command: '<%= config.bin %> <%= command.id %> --from must-gather.tar.gz',
    },
    {
      description: 'From what kubectl prints',
      command:
        'kubectl get vmim,vmi,pods,events,nodes -A -o yaml | <%= config.bin %> <%= command.id %> --from -',
    },
  ]
  static override flags = {
    from: Flags.string({
      helpValue: 'PATH',
      multiple: true,
      multipleNonGreedy: true,
      description:
        'file, folder or archive to read; - is standard input; may be given several times',
    }),
    now: Flags.string({
      helpValue: 'TIME',
      description: 'the moment that ages refer to (RFC 3339); from files, the newest in them',
    }),
    'fail-on': Flags.option({
      options: ['fail', 'warn'] as const,
      default: 'fail',
      description: 'what makes the exit status other than 0',
    })(),
    'min-coverage': Flags.integer({
      helpValue: 'PERCENT',
      min: 0,
      max: 100,
      description: 'exit 8 when fewer of the checks that apply could be carried out',
    }),
    output: Flags.option({
      char: 'o',
      options: ['json', 'yaml', 'junit'] as const,
      description: 'print one machine-readable document instead of text',
    })(),
    color: colorFlag,
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Diagnose)
    if (!flags.from)
      throw new MigError(
        EXIT.usage,
        'diagnose needs --from PATH: so far it reads files, not clusters',
        {
          hint: 'kubectl get vmim,vmi,pods,events,nodes -A -o yaml | kubectl mig diagnose --from -',
        },
      )
    const { diagnoseFiles } = await import('../src/diagnose/from-files.ts')
    const { exitCodeOf } = await import('../src/diagnose/outcome.ts')
    const report = await diagnoseFiles({
      paths: flags.from,
      stdin: process.stdin,
      now: momentOf(flags.now),
      generatedAt: Date.now(),
    })
    const { terminalOf } = await import('../src/terminal/terminal.ts')
    const out = terminalOf(process.stdout, { color: flags.color })
    if (flags.output === 'junit') {
      const { junitOf } = await import('../src/diagnose/junit.ts')
      out.write(junitOf(report))
    } else {
      const { print } = await import('../src/terminal/output.ts')
      const { diagnosisText } = await import('../src/terminal/diagnosis.ts')
      await print(out, report, flags.output, () => diagnosisText(report, out))
    }
    process.exitCode = exitCodeOf(report, {
      failOn: flags['fail-on'],
      minCoverage: flags['min-coverage'],
    })
  }
}

function momentOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = Date.parse(text)
  if (Number.isNaN(ms) || !/^\d{4}-\d\d-\d\d/.test(text))
    throw new MigError(EXIT.usage, `--now ${text} is no time`, {
      hint: 'write it like 2026-11-29T15:20:22Z',
    })
  return ms
}
