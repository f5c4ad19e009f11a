import { enteredAt, PHASES, timeOf } from '../kubevirt/migration.ts'
import { CATALOGUE } from './catalogue.ts'
import type { Judged } from './engine.ts'
import {
  type Confidence,
  type EndsByItself,
  type Finding,
  finding,
  type Status,
} from './finding.ts'
import type { Subject } from './subject.ts'
import { listing } from './words.ts'

const WEIGHT: Record<Status, number> = { fail: 400, warn: 300, unknown: 200, info: 100, pass: 0 }

export interface Verdict {
  finding: Finding
  /** How sure it is, with what could not be read. */
  confidence: Confidence
  endsByItself: EndsByItself
  /** What was refused and bears on it; empty where it does not rest on that. */
  refused: string[]
}

/** Findings from the one that explains most to the least; equal ones by code, so that the order is always the same. */
export function ranked(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((a, b) => scoreOf(b) - scoreOf(a) || (a.code < b.code ? -1 : 1))
}

/** How much a finding explains: first how bad it is, then what its code usually explains. */
export function scoreOf({ code, status, weight = 0, confidence }: Finding): number {
  const sure = confidence === 'certain' ? 2 : confidence === 'likely' ? 1 : 0
  return WEIGHT[status] + CATALOGUE[code].rank + weight + sure
}

/**
 * The one cause that explains the most about a subject. Something went wrong and no check found a cause: then the verdict
 * is that the evidence does not decide, with what would.
 */
export function verdictOf(judged: Judged, now: number): Verdict {
  const { finding: found, endsByItself } = decide(judged, now)
  const sure = { finding: found, endsByItself, confidence: found.confidence, refused: [] }
  // From files nobody expects that they hold all; what a cluster refuses to tell may hold the cause.
  const unread = judged.unread.filter(({ why }) => why === 'forbidden' || why === 'unreadable')
  const isWell = found.status === 'pass' || found.status === 'info'
  // What is known to be broken may hold the cause as well.
  const isBroken = judged.unread.some(({ why }) => why === 'malformed' || why === 'truncated')
  if (unread.length === 0 && isWell && isBroken && found.confidence === 'certain')
    return { ...sure, confidence: 'likely' }
  if (unread.length === 0 || found.status === 'fail' || judged.subject.phase === 'Failed')
    return sure
  const most = isWell ? 'possible' : 'likely'
  return {
    finding: found,
    confidence: found.confidence === 'possible' ? 'possible' : most,
    refused: [...new Set(unread.map(({ what }) => what))],
    endsByItself: endsByItself === 'yes' && !isOver(judged.subject) ? 'unknown' : endsByItself,
  }
}

function isOver({ phase }: Subject): boolean {
  return phase === 'Succeeded' || phase === 'Failed'
}

function decide(
  { subject, findings }: Judged,
  now: number,
): Pick<Verdict, 'finding' | 'endsByItself'> {
  const order = ranked(findings)
  const [first] = order
  if (first && ['fail', 'warn', 'unknown'].includes(first.status))
    return { finding: first, endsByItself: endOf(first, subject) }
  if (!subject.troubled) {
    const told = subject.kind === 'migration' ? undefined : first
    return { finding: told ?? nothingWrong(subject), endsByItself: 'unknown' }
  }
  const settling = order.find((found) => settles(found, subject))
  if (settling) return { finding: settling, endsByItself: endOf(settling, subject) }
  if (isFresh(subject, now)) return { finding: onItsWay(subject), endsByItself: 'yes' }
  return { finding: undecided(subject, findings), endsByItself: 'unknown' }
}

const FRESH_MS = 60_000

/** Of migrations between namespaces and clusters. */
const SYNC_PHASES = ['WaitingForSync', 'Synchronizing']

/** Every phase takes a while; that alone is no trouble. */
function isFresh({ migration, phase }: Subject, now: number): boolean {
  if (!migration || phase === 'Failed') return false
  const since = enteredAt(migration, phase) ?? timeOf(migration.metadata.creationTimestamp)
  return since !== undefined && now - since < FRESH_MS
}

function onItsWay(subject: Subject): Finding {
  const isKnown = [...PHASES, ...SYNC_PHASES].some((phase) => phase === subject.phase)
  return finding({
    code: 'MIG0011',
    title: `The migration of ${subject.name} is on its way: ${subject.phase || 'just created'}`,
    status: 'info',
    objects: [subject.ref],
    cause: isKnown
      ? 'It has not been in this phase for long, and nothing speaks against it'
      : 'No release that is known here has this phase',
    confidence: isKnown ? 'certain' : 'possible',
  })
}

/** What is no fault and yet says all: the copy is under way, or somebody cancelled it. */
function settles({ code }: Finding, { phase }: Subject): boolean {
  if (code === 'MIG4020') return true
  return phase !== 'Failed' && ['MIG8000', 'MIG8018', 'MIG8019'].includes(code)
}

function endOf(found: Finding, { phase }: Subject): EndsByItself {
  if (phase === 'Failed') return 'yes'
  return found.endsByItself ?? (phase === 'Succeeded' ? 'yes' : 'unknown')
}

function nothingWrong(subject: Subject): Finding {
  const moved = subject.phase === 'Succeeded'
  return finding({
    code: 'MIG0010',
    title: moved
      ? `${subject.name} was migrated${subject.targetNode ? ` to ${subject.targetNode}` : ''}, nothing is wrong`
      : `Nothing is wrong with ${subject.name || 'what was read'}`,
    status: 'pass',
    objects: [subject.ref],
  })
}

/** What to gather, by how far the migration came (control-plane.md §9.1). */
const DECIDING: Record<string, string[]> = {
  '': ['the virt-controller pods and the Lease virt-controller'],
  Pending: [
    'events of the VMI (FailedCreate)',
    'ResourceQuotas of the namespace',
    'all migrations of the cluster',
    'the log of virt-controller',
  ],
  Scheduling: ['the target pod with its events', 'the nodes'],
  Scheduled: ['the log of virt-controller'],
  PreparingTarget: [
    'events of the VMI (SyncFailed)',
    'the log of virt-handler on the target node',
    'the log of the target launcher',
  ],
  TargetReady: ['events of the VMI (SyncFailed)', 'the log of virt-handler on the source node'],
  Running: ['the log of the source launcher (Migration info)', 'the logs of both virt-handlers'],
  Failed: [
    'vmi.status.migrationState.failureReason',
    'events of the VMIM and the VMI',
    'the logs of both launchers and both virt-handlers',
  ],
}

function undecided(subject: Subject, findings: readonly Finding[]): Finding {
  const { phase, migration } = subject
  const needed = DECIDING[phase] ?? ['the VMIM, the VMI, their events and the logs of both sides']
  const reached = migration?.status?.phaseTransitionTimestamps
    ?.map((t) => t.phase)
    .filter((p) => p !== 'Failed')
    .at(-1)
  const possible = findings
    .filter(({ status }) => status === 'unknown' || status === 'info')
    .map(({ title }) => title)
  const state =
    phase === 'Failed'
      ? `${subject.name} failed${reached ? ` after ${reached}` : ''}`
      : `${subject.name || 'A migration'} is in ${phase || 'no phase yet'}`
  return finding({
    code: 'MIG0006',
    title: `${state}; why, what was read does not decide`,
    status: phase === 'Failed' ? 'fail' : 'unknown',
    objects: [subject.ref],
    cause: `${possible.length > 0 ? `Possible: ${listing(possible, 3)}. ` : ''}It would be decided by ${listing(needed, 5)}`,
    confidence: 'possible',
    remedy: needed.slice(0, 3).map((what) => ({ text: `Gather ${what}` })),
  })
}
