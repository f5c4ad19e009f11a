import { ANNOTATION } from '../kubevirt/labels.ts'
import { conditionOf, isFinal, timeOf } from '../kubevirt/migration.ts'
import { isOwnedBy, isPodFinal } from '../kubevirt/pods.ts'
import type { KubeVirt, Migration, Node, Pod, Vmi } from '../kubevirt/types.ts'
import { settingsFor } from './configuration.ts'
import { evictionStrategyOf } from './eviction.ts'

/** What the evacuation controller does with one VM that has to leave its node. */
export type Evacuation =
  | { vmi: Vmi; evacuate: true; priority: 'system-critical' | 'system-maintenance' }
  | { vmi: Vmi; evacuate: false; why: EvacuationHold }

type EvacuationHold =
  | 'ended'
  | 'strategy'
  | 'not-migratable'
  | 'in-flight'
  | 'several-pods'
  | 'migrating'

export interface EvacuationView {
  /** Undefined when the node object is gone; its marked VMs are looked at all the same. */
  node: Node | undefined
  nodeName: string
  /** VMs on the node. */
  vmis: readonly Vmi[]
  migrations: readonly Migration[]
  pods: readonly Pod[]
  kubevirt: KubeVirt | undefined
}

/**
 * Which VMs leave this node now, and why do the others that should not (fact sheet control-plane.md §4.2)? Marked are those
 * whose eviction was asked for; the drain taint marks all.
 */
export function evacuationsFrom(view: EvacuationView, now: number): Evacuation[] {
  const tainted = hasDrainTaint(view.node, view.kubevirt)
  return view.vmis
    .filter(({ status }) => tainted || status?.evacuationNodeName === view.nodeName)
    .map((vmi) => evacuationOf(vmi, view, tainted, now))
}

function evacuationOf(
  vmi: Vmi,
  { migrations, pods, kubevirt }: EvacuationView,
  tainted: boolean,
  now: number,
): Evacuation {
  const hold = (why: EvacuationHold): Evacuation => ({ vmi, evacuate: false, why })
  const phase = vmi.status?.phase
  if (vmi.metadata.deletionTimestamp || phase === 'Failed' || phase === 'Succeeded')
    return hold('ended')
  const strategy = evictionStrategyOf(vmi, kubevirt)
  if (strategy !== 'LiveMigrate' && strategy !== 'LiveMigrateIfPossible') return hold('strategy')
  if (conditionOf(vmi, 'LiveMigratable')?.status !== 'True') return hold('not-migratable')
  if (!tainted && isMigrating(vmi, now)) return hold('migrating')
  const inFlight = migrations.some(
    (migration) =>
      migration.metadata.namespace === vmi.metadata.namespace &&
      migration.spec.vmiName === vmi.metadata.name &&
      !isFinal(migration),
  )
  if (inFlight) return hold('in-flight')
  const live = pods.filter((pod) => isOwnedBy(pod, vmi) && !isPodFinal(pod))
  if (live.length > 1) return hold('several-pods')
  const source = vmi.metadata.annotations?.[ANNOTATION.evictionSource]
  const priority = source === 'descheduler' ? 'system-maintenance' : 'system-critical'
  return { vmi, evacuate: true, priority }
}

function hasDrainTaint(node: Node | undefined, kubevirt: KubeVirt | undefined): boolean {
  const key = settingsFor(kubevirt).nodeDrainTaintKey?.value
  return (node?.spec.taints ?? []).some(
    (taint) => taint.key === key && taint.effect === 'NoSchedule',
  )
}

/** Between the start and the end of a copy, as KubeVirt tells it. */
export function isMigrating({ status }: Vmi, now: number): boolean {
  const start = timeOf(status?.migrationState?.startTimestamp)
  const end = timeOf(status?.migrationState?.endTimestamp)
  return start !== undefined && start <= now && !(end !== undefined && end <= now)
}
