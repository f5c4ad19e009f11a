import { EXIT, type ExitCode } from '../errors.ts'
import type { DiagnosisReport, ReportSubject } from './report.ts'

/**
 * design.md §4: of several subjects the first present of 3, 8, 4; coverage below what was asked for is 8, and so is a
 * subject whose own stage could not be read.
 */
export function exitCodeOf(
  report: DiagnosisReport,
  { failOn, minCoverage }: { failOn: 'fail' | 'warn'; minCoverage?: number | undefined },
): ExitCode {
  const statuses = report.subjects.flatMap(({ findings }) => findings.map(({ status }) => status))
  if (statuses.includes('fail')) return EXIT.findingFail
  if (report.subjects.some(isStageUnread)) return EXIT.refused
  if (minCoverage !== undefined && coverageOf(report) < minCoverage) return EXIT.refused
  return failOn === 'warn' && statuses.includes('warn') ? EXIT.findingWarn : EXIT.ok
}

/** How many of the checks that apply could be carried out, in percent. */
function coverageOf({ coverage: { evaluated, total } }: DiagnosisReport): number {
  return total === 0 ? 100 : Math.floor((100 * evaluated) / total)
}

/** Only a cluster refuses: of files nobody expects that they hold all. */
function isStageUnread({ findings }: ReportSubject): boolean {
  return findings.some(({ code, status }) => code === 'MIG0008' && status === 'unknown')
}
