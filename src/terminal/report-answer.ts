import { exitCodeOf } from '../diagnose/outcome.ts'
import type { DiagnosisReport } from '../diagnose/report.ts'
import { diagnosisText } from './diagnosis.ts'
import { print } from './output.ts'
import { terminalOf } from './terminal.ts'

export interface ReportFlags {
  'fail-on': 'fail' | 'warn'
  /** Percent. */
  'min-coverage'?: number | undefined
  output?: 'json' | 'yaml' | 'junit' | undefined
  color: boolean
}

/** Prints a report on stdout, as text or in the format that was asked for, and sets the exit code that it stands for. */
export async function answerReport(report: DiagnosisReport, flags: ReportFlags): Promise<void> {
  const out = terminalOf(process.stdout, { color: flags.color })
  if (flags.output === 'junit') {
    const { junitOf } = await import('../diagnose/junit.ts')
    out.write(junitOf(report))
  } else await print(out, report, flags.output, () => diagnosisText(report, out))
  process.exitCode = exitCodeOf(report, {
    failOn: flags['fail-on'],
    minCoverage: flags['min-coverage'],
  })
}
