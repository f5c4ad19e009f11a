import { conditionOf, timeOf } from '../kubevirt/migration.ts'
import {
  attachedNetworks,
  attachmentName,
  podInterfaceName,
  secondaryNetworks,
} from '../kubevirt/multus.ts'
import type { Pod, Vmi } from '../kubevirt/types.ts'
import { isMigrating } from './evacuation.ts'

/** Whether the VM's networks need a new launcher pod, and since when that is put off; ms. */
export type NetworkMigration =
  | { required: 'no' }
  /** Something else may still bring it: a controller of dynamic networks gets 15 s. */
  | { required: 'pending'; until: number }
  | { required: 'now' }

const GRACE = 15_000

/** An interface that came, one that went, one whose attachment changed (fact sheet control-plane.md §4.4). */
export function networkMigration(vmi: Vmi, pod: Pod | undefined, now: number): NetworkMigration {
  const before = conditionOf(vmi, 'MigrationRequired')
  const running = vmi.status?.phase === 'Running' && pod !== undefined
  if (!running || isMigrating(vmi, now)) return verdictOf(before?.status, before, now)
  const needs = secondaryNetworks(vmi.spec).map((network) => needOf(vmi, pod, network.name))
  if (needs.includes('now')) return { required: 'now' }
  if (!needs.includes('soon')) return { required: 'no' }
  return before?.status === 'True' ? { required: 'now' } : verdictOf('False', before, now)
}

function verdictOf(
  status: string | undefined,
  before: { lastTransitionTime?: string | null } | undefined,
  now: number,
): NetworkMigration {
  if (status === undefined) return { required: 'no' }
  if (status === 'True') return { required: 'now' }
  const until = (timeOf(before?.lastTransitionTime) ?? now) + GRACE
  return now > until ? { required: 'now' } : { required: 'pending', until }
}

type Need = 'now' | 'soon' | undefined

function needOf(vmi: Vmi, pod: Pod, name: string): Need {
  const wanted = vmi.spec.domain?.devices?.interfaces?.find((one) => one.name === name)
  const seen = vmi.status?.interfaces?.find((one) => one.name === name)
  if (wanted?.['state'] === 'absent') {
    const sources = String(seen?.['infoSource'] ?? '')
    return sources.includes('multus-status') && !sources.includes('domain') ? 'soon' : undefined
  }
  if (wanted && !seen) return wanted['sriov'] === undefined ? 'soon' : 'now'
  return hasOtherAttachment(vmi, pod, name) ? 'now' : undefined
}

function hasOtherAttachment(vmi: Vmi, pod: Pod, name: string): boolean {
  const network = secondaryNetworks(vmi.spec).find((one) => one.name === name)
  const attached = attachedNetworks(pod).get(podInterfaceName(name))
  if (!network?.multus || attached === undefined) return false
  const namespace = vmi.metadata.namespace ?? ''
  return (
    attachmentName(network.multus.networkName, namespace) !== attachmentName(attached, namespace)
  )
}
