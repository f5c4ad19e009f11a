import { enteredAt, timeOf } from '../kubevirt/migration.ts'
import { limitsOf } from '../rules/capacity.ts'
import type { Finding, Status } from './finding.ts'
import type { Subject, World } from './subject.ts'
import { age, listing, plural } from './words.ts'

/** One of the five things that operators ask first, and what was found (design.md §2). */
export interface Question {
  question: string
  status: Status
  answer: string
}

/** Object created? Target pod created? Pending or running? Policy and concurrency? Quota and storage? */
export function questionsOf(
  subject: Subject,
  findings: readonly Finding[],
  world: World,
): Question[] {
  if (subject.kind === 'log' || subject.kind === 'cluster') return []
  return [
    created(subject, world),
    targetPod(subject, findings),
    placeOf(subject, findings, world),
    concurrency(subject, findings, world),
    quotaAndStorage(subject, findings, world),
  ]
}

function created({ migration, name }: Subject, { now }: World): Question {
  const question = 'Migration object created?'
  if (!migration) return { question, status: 'info', answer: `no migration of ${name} exists` }
  const born = timeOf(migration.metadata.creationTimestamp)
  return {
    question,
    status: 'pass',
    answer: `${migration.metadata.name}${born !== undefined ? `, ${age(now - born)} ago` : ''}`,
  }
}

function targetPod(
  { migration, targetPod: pod, targetNode, phase }: Subject,
  findings: readonly Finding[],
): Question {
  const question = 'Target pod created?'
  const wrong = worst(findings, /^MIG3(00[1-5]|060|01|02|03|04|05)/)
  if (pod) {
    const where = pod.spec.nodeName ? `on ${pod.spec.nodeName}` : 'on no node'
    return {
      question,
      status: wrong ?? 'pass',
      answer: `${pod.metadata.name}, ${pod.status?.phase ?? 'no phase'}, ${where}`,
    }
  }
  if (!migration) return { question, status: 'info', answer: 'not asked for' }
  const over = ['Succeeded', 'Failed'].includes(phase)
  if (over || targetNode)
    return { question, status: wrong ?? 'info', answer: 'no longer there, or not in what was read' }
  return { question, status: wrong ?? 'info', answer: 'not yet' }
}

function placeOf(
  { migration, phase }: Subject,
  findings: readonly Finding[],
  { now, evidence }: World,
): Question {
  const question = 'Pending or running?'
  if (!migration) return { question, status: 'info', answer: `the VM is ${phase || 'in no phase'}` }
  const since = enteredAt(migration, phase)
  // From files, the moment is the newest that they tell of.
  const least = evidence.source.kind === 'files' ? 'at least ' : ''
  const lasted = since !== undefined && phase !== '' ? `, for ${least}${age(now - since)}` : ''
  const status: Status =
    phase === 'Failed'
      ? 'fail'
      : phase === 'Succeeded' || phase === 'Running'
        ? 'pass'
        : (worst(findings, /^MIG[4-9]/) ?? 'info')
  return { question, status, answer: `${phase || 'not looked at yet'}${lasted}` }
}

function concurrency(
  { state, phase }: Subject,
  findings: readonly Finding[],
  world: World,
): Question {
  const question = 'Policy and concurrency?'
  const limits = limitsOf(world.kubevirt)
  const used = world.running
  const policy = state
    ? `policy ${state.migrationPolicyName ?? 'none'}`
    : 'policy is resolved at hand-off'
  // Migrations of other namespaces, where they may not be read, hold slots too.
  const partial = world.evidence.gaps.some(({ what }) =>
    what.startsWith('VirtualMachineInstanceMigration'),
  )
  const slots = world.kubevirt
    ? `${partial ? 'at least ' : ''}${used} of ${limits.cluster} slots of the cluster in use`
    : `${plural(used, 'slot')} in use, the limits are not in what was read`
  const wrong = worst(findings, /^MIG2/)
  const open = ['', 'Pending'].includes(phase) ? 'unknown' : 'info'
  const status = wrong ?? (world.kubevirt && !partial ? 'pass' : open)
  return { question, status, answer: `${slots}, ${policy}` }
}

function quotaAndStorage(
  { phase }: Subject,
  findings: readonly Finding[],
  { evidence: { objects } }: World,
): Question {
  const question = 'Quota and storage?'
  const wrong = findings.filter(
    (finding) => concernsStorage(finding) && ['fail', 'warn'].includes(finding.status),
  )
  if (wrong.length > 0)
    return {
      question,
      status: worst(wrong, /./) ?? 'fail',
      answer: listing(
        wrong.map(({ title }) => title),
        2,
      ),
    }
  const unread = ['ResourceQuota', 'PersistentVolumeClaim'].filter((kind) => !objects.seen(kind))
  if (unread.length > 0)
    return {
      question,
      status: ['Running', 'Succeeded'].includes(phase) ? 'info' : 'unknown',
      answer: `nothing speaks against them; not in what was read: ${unread.join(', ')}`,
    }
  return { question, status: 'pass', answer: 'nothing speaks against them' }
}

/** Quota too. A target pod that can't be rendered (MIG3060) has many causes, of which only the title tells. */
function concernsStorage({ code, title }: Finding): boolean {
  if (code === 'MIG3060') return /storage class|persistent state/.test(title)
  return /^MIG(300[12]|1002|302[15]|303[45]|307|300)/.test(code)
}

function worst(findings: readonly Finding[], codes: RegExp): Status | undefined {
  const statuses = findings.filter(({ code }) => codes.test(code)).map(({ status }) => status)
  return (['fail', 'warn', 'unknown'] as const).find((status) => statuses.includes(status))
}
