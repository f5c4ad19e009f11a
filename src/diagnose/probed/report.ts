import type { Finding } from '../finding.ts'
import type { Question } from '../questions.ts'
import { type DiagnosisReport, findingReport } from '../report.ts'
import { ranked } from '../verdict.ts'
import { moment } from '../words.ts'

/** What was tried on the machine that we run on, and what it showed. */
export interface Probed {
  /** What was looked at. */
  ref: string
  /** How far it came. */
  stage: string
  /** The steps in their order; those that were not reached are left out. */
  steps: Question[]
  /** Never empty. */
  findings: [Finding, ...Finding[]]
}

/**
 * The same report as a diagnosis: its verdict is the finding that explains most, a step counts as a check.
 * @param now ms since the epoch
 */
export function probedReport(
  { ref, stage, steps, findings }: Probed,
  now: number,
): DiagnosisReport {
  const [first = findings[0]] = ranked(findings)
  const verdict = {
    code: first.code,
    title: first.title,
    cause: first.cause ?? '',
    stage,
    endsByItself: first.endsByItself ?? ('unknown' as const),
    confidence: first.confidence,
    next: first.remedy,
  }
  return {
    apiVersion: 'kubectl-mig/v1alpha1',
    kind: 'DiagnosisReport',
    generatedAt: moment(now),
    now: moment(now),
    source: { kind: 'node', from: ['this machine'], objects: 0, logLines: 0 },
    verdict,
    subjects: [
      { ref, stage, verdict, questions: steps, findings: ranked(findings).map(findingReport) },
    ],
    coverage: {
      evaluated: steps.filter(({ status }) => status !== 'unknown').length,
      total: steps.length,
      gaps: [],
    },
  }
}
