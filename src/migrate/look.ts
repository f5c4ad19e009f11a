import type { Clock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { list } from '../cluster/objects.ts'
import { LABEL } from '../kubevirt/labels.ts'
import { EVENTS, PODS } from '../kubevirt/resources.ts'
import type { Event, KubeObject, Migration, Pod, Vmi } from '../kubevirt/types.ts'
import { readClusterView } from './cluster-view.ts'
import { readFinishedCopy, readProgress } from './copy-metrics.ts'
import { type Gap, toGap } from './gap.ts'
import { firstSight, isCopying, type Observation, type Observed, observe } from './observed.ts'
import { outcomeOf } from './timeline.ts'
import { isWaiting, waitingFor } from './waiting.ts'

export interface Look {
  clock: Clock
  signal: AbortSignal
}

/** All that can be known of one migration now, in one look; what can't be seen is a gap. */
export async function lookAt(
  cluster: Cluster,
  { migration, vmi }: { migration: Migration; vmi: Vmi | undefined },
  { clock, signal }: Look,
): Promise<{ observed: Observed; gaps: Gap[] }> {
  const { namespace, uid = '' } = migration.metadata
  const gaps = new Map<string, Gap>()
  const optional = async <T>(what: string, read: Promise<T>): Promise<T | undefined> => {
    try {
      return await read
    } catch (err) {
      gaps.set(what, toGap(what, err, signal))
      return undefined
    }
  }
  const found = async (what: string, read: Promise<{ items: KubeObject[] }>) =>
    (await optional(what, read))?.items ?? []
  const eventsOf = (of: string) =>
    found(
      'events',
      list<Event>(cluster, EVENTS, {
        namespace,
        fieldSelector: `involvedObject.uid=${of}`,
        signal,
      }),
    )

  let observed = firstSight(migration, vmi)
  const learn = (observation: Observation) => {
    observed = observe(observed, observation, clock.now())
  }
  const labelSelector = `${LABEL.migrationJobUid}=${uid}`
  const pods = await found('pods', list<Pod>(cluster, PODS, { namespace, labelSelector, signal }))
  for (const object of pods) learn({ kind: 'pod', object: object as Pod, deleted: false })
  const uids = [uid, vmi?.metadata.uid, observed.targetPod?.metadata.uid].filter(
    (of) => of !== undefined,
  )
  for (const object of (await Promise.all(uids.map(eventsOf))).flat())
    learn({ kind: 'event', object: object as Event, deleted: false })

  if (isWaiting(observed)) {
    const view = await optional('slots', readClusterView(cluster, signal))
    if (view) learn({ kind: 'waiting', waiting: waitingFor(view, migration, vmi) })
  }
  if (isCopying(observed)) {
    const progress = await optional('progress', readProgress(cluster, observed, { clock, signal }))
    if (progress) learn({ kind: 'progress', progress })
  }
  if (outcomeOf(observed) === 'succeeded') {
    const finished = await readFinishedCopy(cluster, observed, signal)
    if (finished) learn({ kind: 'finished', finished })
  }
  return { observed, gaps: [...gaps.values()] }
}
