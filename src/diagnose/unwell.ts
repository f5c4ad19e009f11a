import { enteredAt, isFinal, phaseOf, timeOf } from '../kubevirt/migration.ts'
import type { Migration } from '../kubevirt/types.ts'
import { isAutomatic } from '../rules/backoff.ts'
import type { Judged } from './engine.ts'
import { type Place, type Subject, subjectWithoutObjects, type World } from './subject.ts'

/** A copy takes as long as there is memory to copy; KubeVirt itself gives up one that makes no progress for so long. */
const USUAL_COPY_MS = 150_000
/** All other phases take seconds. */
const USUAL_MS = 60_000

export interface UnwellScope {
  /** Undefined: all. */
  namespace: string | undefined
  node?: string | undefined
}

/**
 * Whether something is not well with it: failed, longer in its phase than is usual, to move without a migration, or an
 * evacuation or workload update that comes after one that failed.
 */
export function isUnwell(subject: Subject, now: number): boolean {
  const { migration, phase } = subject
  if (!migration) return subject.troubled
  if (phase === 'Failed') return true
  if (phase === 'Succeeded') return false
  const [last] = subject.earlier.filter(isFinal)
  if (last && isAutomatic(migration) && phaseOf(last) === 'Failed') return true
  const since = enteredAt(migration, phase) ?? timeOf(migration.metadata.creationTimestamp) ?? 0
  return now - since >= (phase === 'Running' ? USUAL_COPY_MS : USUAL_MS)
}

/** What has just begun is not yet worth a word, but for what is known to fail it. */
export function isToldYoung({ findings }: Judged): boolean {
  return findings.some(({ status, confidence }) => status === 'fail' && confidence !== 'possible')
}

export function isInFlight({ migration }: Subject): boolean {
  return migration !== undefined && !isFinal(migration)
}

export function isWithin(subject: Subject, { namespace, node }: UnwellScope): boolean {
  if (namespace !== undefined && subject.namespace !== namespace) return false
  const nodes = [subject.sourceNode, subject.targetNode, subject.vmi?.status?.nodeName]
  return node === undefined || nodes.includes(node)
}

/** The place itself: how many are in flight in it that are not told. */
export function placeSubject({ namespace, node }: UnwellScope, about: Place): Subject {
  const [ref, name] =
    node !== undefined
      ? [`node/${node}`, `the migrations from and to ${node}`]
      : namespace !== undefined
        ? [`namespace/${namespace}`, `the migrations of namespace ${namespace}`]
        : ['cluster', 'the migrations of the cluster']
  return {
    ...subjectWithoutObjects({
      kind: 'cluster',
      ref,
      namespace: namespace ?? '',
      name,
      troubled: false,
    }),
    place: { ...about, ...(node !== undefined && { node }) },
  }
}

/** Of the migrations of a namespace that failed, each the newest of its VM, the one that failed last. */
export function lastFailed(world: World, namespace: string): Migration | undefined {
  const failedAt = (migration: Migration) =>
    enteredAt(migration, 'Failed') ?? timeOf(migration.metadata.creationTimestamp) ?? 0
  return world.migrations
    .filter((m) => m.metadata.namespace === namespace && phaseOf(m) === 'Failed')
    .sort((a, b) => failedAt(b) - failedAt(a))[0]
}
