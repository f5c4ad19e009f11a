import type { Clock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { watch } from '../cluster/watch.ts'
import { LABEL } from '../kubevirt/labels.ts'
import { EVENTS, MIGRATIONS, PODS, type Resource, VMIS } from '../kubevirt/resources.ts'
import type { KubeObject } from '../kubevirt/types.ts'
import type { ClusterView } from '../rules/capacity.ts'
import type { Channel } from './channel.ts'
import { followCopy } from './copy-metrics.ts'
import { followQueue } from './follow-queue.ts'
import { toGap } from './gap.ts'
import { isCopying, type Observation, type Observed } from './observed.ts'
import type { Step } from './steps.ts'
import { isWaiting, type Waiting } from './waiting.ts'

export type Input =
  | Observation
  /** What the watching itself has to say. */
  | { kind: 'notice'; step: Step }
  /** The time for what may still come is over. */
  | { kind: 'late' }

export interface Sources {
  /** Starts what can be watched only now: events of the VMI and of the target pod, the progress of the copy. */
  advance(observed: Observed): void
  /** Resolves when all have ended, after the signal. */
  done(): Promise<void>
}

export interface SourcesOptions {
  clock: Clock
  signal: AbortSignal
  /** What the limits count; shared where several are followed. */
  readView: () => Promise<ClusterView>
}

/**
 * Everything that tells of one migration, into one channel. Without the migration itself there is nothing to follow, so
 * its watch may fail; all others are optional.
 */
export function startSources(
  cluster: Cluster,
  first: Observed,
  inputs: Channel<Input>,
  { clock, signal, readView }: SourcesOptions,
): Sources {
  const { namespace, name, uid = '' } = first.migration.metadata
  const running: Promise<void>[] = []
  const gaps = new Set<string>()
  const watched = new Set<string>()
  const connection = connectionOf(inputs)
  let current = first
  let queueing = false
  let copying = false

  const follow = async (
    kind: 'migration' | 'vmi' | 'pod' | 'event',
    resource: Resource,
    selection: { fieldSelector?: string; labelSelector?: string },
  ) => {
    const options = { namespace, ...selection, signal, clock, ...connection.watching() }
    let seen = false
    for await (const event of watch<KubeObject>(cluster, resource, options)) {
      if (event.type !== 'SYNC') {
        const deleted = event.type === 'DELETED'
        inputs.push({ kind, object: event.object, deleted } as Observation)
      } else if (kind === 'migration' && !seen) {
        // It vanished before the first look.
        inputs.push({ kind, object: first.migration, deleted: true })
      }
      seen = true
    }
  }
  const need = (task: Promise<void>) => {
    running.push(task.catch((err) => inputs.fail(err)))
  }
  const want = (what: string, task: Promise<void>) =>
    need(
      task.catch((err) => {
        const gap = toGap(what, err)
        if (!gaps.has(what)) inputs.push({ kind: 'notice', step: { type: 'gap', gap } })
        gaps.add(what)
      }),
    )
  const wantEvents = (of: string | undefined) => {
    if (of === undefined || watched.has(of)) return
    watched.add(of)
    want('events', follow('event', EVENTS, { fieldSelector: `involvedObject.uid=${of}` }))
  }

  const vmi = first.migration.spec.vmiName
  need(follow('migration', MIGRATIONS, { fieldSelector: `metadata.name=${name}` }))
  want('vmi', follow('vmi', VMIS, { fieldSelector: `metadata.name=${vmi}` }))
  want('pods', follow('pod', PODS, { labelSelector: `${LABEL.migrationJobUid}=${uid}` }))
  wantEvents(uid)
  return {
    advance(observed) {
      wantEvents(observed.vmi?.metadata.uid)
      wantEvents(observed.targetPod?.metadata.uid)
      current = observed
      if (!queueing && isWaiting(observed)) {
        queueing = true
        const look = () => (isWaiting(current) ? current : undefined)
        const onWaiting = (waiting: Waiting) => inputs.push({ kind: 'waiting', waiting })
        want('slots', followQueue(look, { clock, signal, readView, onWaiting }))
      }
      if (copying || !isCopying(observed)) return
      copying = true
      const onProgress = (progress: NonNullable<Observed['progress']>) =>
        inputs.push({ kind: 'progress', progress })
      want('progress', followCopy(cluster, observed, { clock, signal, onProgress }))
    },
    done: async () => void (await Promise.all(running)),
  }
}

/** Several watches are one connection to a person: lost with the first that is lost, back with the last that is back. */
function connectionOf(inputs: Channel<Input>) {
  let away = 0
  return {
    watching() {
      let lost = false
      return {
        onLost({ message }: Error) {
          if (!lost && ++away === 1)
            inputs.push({ kind: 'notice', step: { type: 'lost', message } })
          lost = true
        },
        onRegained() {
          if (lost && --away === 0) inputs.push({ kind: 'notice', step: { type: 'regained' } })
          lost = false
        },
      }
    },
  }
}
