import { timeOf } from '../../../kubevirt/migration.ts'
import { NODE_LABEL } from '../../../kubevirt/node-labels.ts'
import type { Node, Pod } from '../../../kubevirt/types.ts'
import { isHostModel } from '../../../rules/launcher-placement.ts'
import { limitsOf, pendingTimeout } from '../../../rules/pending-timeout.ts'
import { PRIORITY } from '../../../rules/queue.ts'
import type { Action } from './actions.ts'
import type { Situation } from './situation.ts'

/** Complains of a target pod that no node takes, and gives a pending one up when its time is over (§2.8). */
export function pendingPodActions(situation: Situation, now: number): Action[] {
  const { migration, vmi, targetPod } = situation
  if (!targetPod || targetPod.metadata.deletionTimestamp) return []
  const state = pendingTimeout(migration, targetPod, now)
  if (!state.pending) return []
  const actions: Action[] = []
  if (state.unschedulable) {
    const { namespace, name } = vmi.metadata
    const message = `Migration target pod for VMI [${namespace}/${name}] is currently unschedulable.`
    const reason = 'migrationTargetPodUnschedulable'
    actions.push(...hostModelComplaint(situation, targetPod), {
      do: 'note',
      note: { on: 'migration', type: 'Warning', reason, message },
    })
  }
  if (state.expired) return [...actions, giveUp(targetPod, state.limit)]
  actions.push({ do: 'requeue', after: state.remaining, priority: PRIORITY.running })
  if (state.limit === 'unschedulable') {
    // It may yet find a node and hang there.
    const created = timeOf(targetPod.metadata.creationTimestamp) ?? now
    const after = created + limitsOf(migration).pending - now
    if (after > 0) actions.push({ do: 'requeue', after, priority: PRIORITY.running })
  }
  return actions
}

function giveUp({ metadata }: Pod, limit: 'unschedulable' | 'pending'): Action {
  const message = `${limit} pod ${metadata.namespace}/${metadata.name} timeout period exceeded`
  const note = { on: 'migration', type: 'Normal', reason: 'SuccessfulDelete', message } as const
  return { do: 'delete-target-pod', note, failure: 'Error deleted migration target pod' }
}

/** Of a host-model VM it is said which CPU no node has. */
function hostModelComplaint({ vmi, nodes }: Situation, pod: Pod): Action[] {
  if (!isHostModel(vmi)) return []
  const wanted = Object.entries(pod.spec.nodeSelector ?? {}).filter(
    ([key]) =>
      key.startsWith(NODE_LABEL.cpuModelMigration) || key.startsWith(NODE_LABEL.cpuFeature),
  )
  const fits = (node: Node) =>
    node.metadata.name !== vmi.status?.nodeName &&
    wanted.every(([key, value]) => node.metadata.labels?.[key] === value)
  if (nodes.some(fits)) return []
  const map = wanted
    .map(([key, value]) => `${key}:${value}`)
    .sort()
    .join(' ')
  const message = `Migration cannot proceed since no node is suitable to run the required CPU model / required features: map[${map}]`
  const reason = 'NoSuitableNodesForHostModelMigration'
  return [{ do: 'note', note: { on: 'vmi', type: 'Warning', reason, message } }]
}
