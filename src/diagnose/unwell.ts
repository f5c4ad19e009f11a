import { enteredAt, timeOf } from '../kubevirt/migration.ts'
import { type Subject, subjectWithoutObjects } from './subject.ts'

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
 * Whether something is not well with it: failed, longer in its phase than is usual, or to move without a migration. What
 * has just begun is not yet worth a word.
 */
export function isUnwell(subject: Subject, now: number): boolean {
  const { migration, phase } = subject
  if (!migration) return subject.troubled
  if (phase === 'Failed') return true
  if (phase === 'Succeeded') return false
  const since = enteredAt(migration, phase) ?? timeOf(migration.metadata.creationTimestamp) ?? 0
  return now - since >= (phase === 'Running' ? USUAL_COPY_MS : USUAL_MS)
}

export function isWithin(subject: Subject, { namespace, node }: UnwellScope): boolean {
  if (namespace !== undefined && subject.namespace !== namespace) return false
  const nodes = [subject.sourceNode, subject.targetNode, subject.vmi?.status?.nodeName]
  return node === undefined || nodes.includes(node)
}

/** The place itself, when there is nothing in it with which something is not well. */
export function placeSubject({ namespace, node }: UnwellScope): Subject {
  const [ref, name] =
    node !== undefined
      ? [`node/${node}`, `the migrations from and to ${node}`]
      : namespace !== undefined
        ? [`namespace/${namespace}`, `the migrations of namespace ${namespace}`]
        : ['cluster', 'the migrations of the cluster']
  return subjectWithoutObjects({
    kind: 'cluster',
    ref,
    namespace: namespace ?? '',
    name,
    troubled: false,
  })
}
