import { EXIT, type ExitCode } from '../errors.ts'
import type { DiagnosisReport } from './report.ts'

/** design.md §4: of several subjects the first present of 3, 8, 4; coverage below what was asked for is 8. */
export function exitCodeOf(
  report: DiagnosisReport,
  { failOn, minCoverage }: { failOn: 'fail' | 'warn'; minCoverage?: number | undefined },
): ExitCode {
  const statuses = report.subjects.flatMap(({ findings }) => findings.map(({ status }) => status))
  if (statuses.includes('fail')) return EXIT.findingFail
  if (minCoverage !== undefined && coverageOf(report) < minCoverage) return EXIT.refused
  return failOn === 'warn' && statuses.includes('warn') ? EXIT.findingWarn : EXIT.ok
}

/** How many of the checks that apply could be carried out, in percent. */
function coverageOf({ coverage: { evaluated, total } }: DiagnosisReport): number {
  return total === 0 ? 100 : Math.floor((100 * evaluated) / total)
}
