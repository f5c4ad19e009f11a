import { ASSUMED_RELEASE, isAtLeast, releaseOf } from '../kubevirt/defaults.ts'
import { LABEL } from '../kubevirt/labels.ts'
import { isFinal, phaseOf } from '../kubevirt/migration.ts'
import type { KubeVirt, Migration, Pod, Vmi } from '../kubevirt/types.ts'
import { numberOf, settingsFor } from './configuration.ts'
import { halfOf } from './decentralized.ts'

/** Everything counts over all namespaces (fact sheet control-plane.md §2.6). */
export interface ClusterView {
  migrations: readonly Migration[]
  vmis: readonly Vmi[]
  pods: readonly Pod[]
  kubevirt: KubeVirt | undefined
}

/** Which limit holds it, how much of it is used and by whom; the cluster's is asked first. */
export type CapacityDecision =
  | { admit: true; cluster: Slots; node?: Slots }
  | {
      admit: false
      limit: 'cluster' | 'node'
      used: number
      of: number
      by: Migration[]
      node?: string
    }

interface Slots {
  used: number
  of: number
  by: Migration[]
}

/** From the moment that its target pod is there until it ends. */
const PHASES_UNDER_WAY = ['Scheduling', 'Scheduled', 'PreparingTarget', 'TargetReady', 'Running']

/**
 * Is there a free slot for a migration away from this node? Inbound there is no limit. It may be asked for a migration
 * that exists; one that has its target pod already counts itself.
 */
export function capacityFor(view: ClusterView, sourceNode: string | undefined): CapacityDecision {
  const { cluster, outbound } = limitsOf(view.kubevirt)
  const running = runningMigrations(view)
  if (running.length >= cluster)
    return { admit: false, limit: 'cluster', used: running.length, of: cluster, by: running }
  const slots = { used: running.length, of: cluster, by: running }
  if (sourceNode === undefined || sourceNode === '') return { admit: true, cluster: slots }

  const leaving = outboundMigrations(view, running, sourceNode)
  if (leaving.length >= outbound)
    return {
      admit: false,
      limit: 'node',
      used: leaving.length,
      of: outbound,
      by: leaving,
      node: sourceNode,
    }
  return { admit: true, cluster: slots, node: { used: leaving.length, of: outbound, by: leaving } }
}

export function limitsOf(kubevirt: KubeVirt | undefined): { cluster: number; outbound: number } {
  const settings = settingsFor(kubevirt)
  return {
    cluster: numberOf(settings.parallelMigrationsPerCluster) ?? 5,
    outbound: numberOf(settings.parallelOutboundMigrationsPerNode) ?? 2,
  }
}

/** Past Pending and not at its end, as KubeVirt calls a migration running. */
export function isUnderWay(migration: Migration): boolean {
  return PHASES_UNDER_WAY.includes(phaseOf(migration))
}

/** Those that hold a slot as KubeVirt counts: from Scheduling on, or from the moment their target pod exists. */
export function runningMigrations({
  migrations,
  pods,
}: Pick<ClusterView, 'migrations' | 'pods'>): Migration[] {
  const withPod = new Set(pods.flatMap((pod) => pod.metadata.labels?.[LABEL.migrationJobUid] ?? []))
  return migrations.filter((migration) => {
    if (isFinal(migration)) return false
    const phase = phaseOf(migration)
    // The source half of a migration between clusters has no target pod of its own to schedule.
    if (phase === 'Scheduling' && halfOf(migration) === 'source') return false
    return isUnderWay(migration) || withPod.has(migration.metadata.uid ?? '')
  })
}

/**
 * Those whose VM is on the node, or, since 1.6, was when it was handed off: the place counts on until the migration ends
 * (fact sheet control-plane.md §2.6).
 */
export function outboundMigrations(
  view: ClusterView,
  running: Migration[],
  node: string,
): Migration[] {
  const countsOn = isAtLeast(releaseOf(view.kubevirt) ?? ASSUMED_RELEASE, 1, 6)
  const byName = new Map(view.vmis.map((vmi) => [keyOf(vmi.metadata), vmi]))
  return running.filter((migration) => {
    const vmi = byName.get(
      keyOf({ namespace: migration.metadata.namespace, name: migration.spec.vmiName ?? '' }),
    )
    if (vmi?.status?.nodeName === node) return true
    return countsOn && vmi?.status?.migrationState?.sourceNode === node
  })
}

function keyOf({ namespace, name }: { namespace?: string | undefined; name: string }): string {
  return `${namespace ?? ''}/${name}`
}
