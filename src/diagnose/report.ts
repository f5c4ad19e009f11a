import type { Gap } from '../evidence/evidence.ts'
import { enteredAt, timeOf } from '../kubevirt/migration.ts'
import type { Code } from './catalogue.ts'
import { type ReportChannel, reportChannel } from './channel-report.ts'
import { channelsOf } from './channels.ts'
import type { Diagnosis, Judged } from './engine.ts'
import type { Confidence, EndsByItself, Finding, Remedy, Status } from './finding.ts'
import { type Question, questionsOf } from './questions.ts'
import type { Subject, World } from './subject.ts'
import { ranked, scoreOf, type Verdict, verdictOf } from './verdict.ts'
import { listing, moment } from './words.ts'

/** What `diagnose` answers, as it is printed with -o json (schema/diagnosis-report.json). Times are RFC 3339. */
export interface DiagnosisReport {
  apiVersion: 'kubectl-mig/v1alpha1'
  kind: 'DiagnosisReport'
  generatedAt: string
  /** The moment that ages refer to: --now, or the newest moment in the evidence; then ages are "at least". */
  now: string
  source: { kind: 'files' | 'cluster' | 'node'; from: string[]; objects: number; logLines: number }
  verdict: ReportVerdict
  subjects: ReportSubject[]
  coverage: { evaluated: number; total: number; gaps: Gap[] }
}

export interface ReportVerdict {
  code: Code
  title: string
  cause: string
  stage: string
  since?: string
  forSeconds?: number
  deadline?: string
  endsByItself: EndsByItself
  confidence: Confidence
  next: Remedy[]
}

export interface ReportFinding {
  code: Code
  title: string
  status: Status
  objects: string[]
  evidence: { source: string; field?: string; value: string; time?: string }[]
  cause: string
  confidence: Confidence
  remedy: Remedy[]
}

export interface ReportSubject {
  ref: string
  /** Where it is now, or how it ended: the phase of the migration, or of the VMI. */
  stage: string
  since?: string
  verdict: ReportVerdict
  /** The operator's five questions, each with its answer. */
  questions: Question[]
  /** Of `diagnose proxy`: each channel of the migration, and what was seen of it; none before hand-off. */
  channels?: ReportChannel[]
  findings: ReportFinding[]
}

interface Ordered extends Judged {
  verdict: Verdict
}

/** @param generatedAt when the report is made, in ms */
export function reportOf(diagnosis: Diagnosis, generatedAt: number): DiagnosisReport {
  const { world } = diagnosis
  const { evidence, now } = world
  const ordered = shown(
    diagnosis.judged.map((judged) => ({ ...judged, verdict: verdictOf(judged, now) })),
  )
  const subjects = ordered.map((judged) => subjectReport(judged, world))
  return {
    apiVersion: 'kubectl-mig/v1alpha1',
    kind: 'DiagnosisReport',
    generatedAt: moment(generatedAt),
    now: moment(now),
    source: {
      kind: evidence.source.kind,
      from: evidence.source.from,
      objects: evidence.objects.count(),
      logLines: evidence.logLines,
    },
    verdict: shared(ordered, subjects),
    subjects,
    coverage: { evaluated: diagnosis.evaluated, total: diagnosis.total, gaps: diagnosis.gaps },
  }
}

/** The worst first. VMs about which there is nothing to say are left out where there is something about others. */
function shown(judged: Ordered[]): Ordered[] {
  const sorted = judged.sort(
    (a, b) =>
      scoreOf(b.verdict.finding) - scoreOf(a.verdict.finding) ||
      (a.subject.ref < b.subject.ref ? -1 : 1),
  )
  const telling = sorted.filter(
    ({ subject, findings }) =>
      subject.kind === 'migration' ||
      findings.some(({ status }) => status !== 'pass' && status !== 'info'),
  )
  if (telling.length === 0) return sorted
  // Where all that was moved is well, what keeps another VM from moving is worth a word.
  const isWell = telling.every(({ verdict }) => verdict.finding.status === 'pass')
  return isWell
    ? sorted.filter((one) => telling.includes(one) || one.verdict.finding.status === 'info')
    : telling
}

/** The worst subject's verdict, or, where several share its cause, that and how many. */
function shared(ordered: Ordered[], subjects: ReportSubject[]): ReportVerdict {
  const [worst] = subjects
  const [first] = ordered
  if (!worst || !first) throw new Error('a report without subjects')
  const same = ordered.filter(
    ({ verdict }) =>
      verdict.finding.code === first.verdict.finding.code &&
      verdict.finding.status === first.verdict.finding.status,
  )
  const bad = ['fail', 'warn'].includes(first.verdict.finding.status)
  if (same.length < 2 || !bad) return worst.verdict
  return {
    ...worst.verdict,
    cause: `${worst.verdict.cause.replace(/\.$/, '')}. The same holds for ${same.length - 1} more: ${same
      .slice(1, 5)
      .map(({ subject }) => subject.ref)
      .join(', ')}${same.length > 5 ? ' …' : ''}`,
  }
}

function subjectReport({ subject, findings, verdict }: Ordered, world: World): ReportSubject {
  const since = sinceOf(subject)
  const all = findings.includes(verdict.finding) ? findings : [...findings, verdict.finding]
  return {
    ref: subject.ref,
    stage: subject.phase || (subject.migration ? 'not looked at' : 'unknown'),
    ...(since !== undefined && { since: moment(since) }),
    verdict: verdictReport(verdict, subject, world.now),
    questions: questionsOf(subject, all, world),
    ...(world.evidence.probes !== undefined && {
      channels: subject.state ? channelsOf(subject, world).map(reportChannel) : [],
    }),
    findings: ranked(all).map(findingReport),
  }
}

function verdictReport(
  { finding, endsByItself, confidence, refused }: Verdict,
  subject: Subject,
  now: number,
): ReportVerdict {
  const since = sinceOf(subject)
  return {
    code: finding.code,
    title: finding.title,
    cause: [
      finding.cause ?? '',
      refused.length > 0 ? `What it rests on could not all be read: ${listing(refused, 4)}` : '',
    ]
      .filter(Boolean)
      .join('. '),
    stage: subject.phase || 'unknown',
    ...(since !== undefined && {
      since: moment(since),
      forSeconds: Math.max(0, Math.floor((now - since) / 1000)),
    }),
    ...(finding.deadline !== undefined && { deadline: moment(finding.deadline) }),
    endsByItself,
    confidence,
    next: finding.remedy,
  }
}

export function findingReport({
  code,
  title,
  status,
  objects,
  evidence,
  cause,
  confidence,
  remedy,
}: Finding): ReportFinding {
  return {
    code,
    title,
    status,
    objects: [...new Set(objects)],
    evidence: evidence
      .slice(0, 4)
      .map(({ time, ...item }) => ({ ...item, ...(time !== undefined && { time: moment(time) }) })),
    cause: cause ?? '',
    confidence,
    remedy,
  }
}

function sinceOf({ migration, vmi, phase }: Subject): number | undefined {
  if (migration) return enteredAt(migration, phase) ?? timeOf(migration.metadata.creationTimestamp)
  const entered = vmi?.status?.phaseTransitionTimestamps?.find((t) => t.phase === phase)
  return timeOf(entered?.phaseTransitionTimestamp)
}
