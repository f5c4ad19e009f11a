import { conditionOf, timeOf } from '../kubevirt/migration.ts'
import {
  attachedNetworks,
  attachmentName,
  type Network,
  podInterfaceName,
  secondaryNetworks,
} from '../kubevirt/multus.ts'
import type { Pod, Vmi } from '../kubevirt/types.ts'
import { isMigrating } from './evacuation.ts'

/** Whether the VM's networks need a new launcher pod. */
export type NetworkMigration =
  /** Nothing is to be said of it now: it stays as it was said. */
  | 'unchanged'
  | 'no'
  /** Something else may still bring it: a controller of dynamic networks gets 15 s. */
  | 'pending'
  | 'now'

const GRACE = 15_000

/** An interface that came, one that went, one whose attachment changed (fact sheet control-plane.md §4.4). */
export function networkMigration(vmi: Vmi, pod: Pod | undefined, now: number): NetworkMigration {
  if (vmi.status?.phase !== 'Running' || !pod || isMigrating(vmi, now)) return 'unchanged'
  // The first that needs it decides, in the order of the interfaces.
  const need = (vmi.spec.domain?.devices?.interfaces ?? [])
    .map((wanted) => needOf(vmi, pod, wanted))
    .find((one) => one !== undefined)
  if (need === undefined) return 'no'
  const before = conditionOf(vmi, 'MigrationRequired')
  if (before?.status === 'True') return 'unchanged'
  const since = before ? (timeOf(before.lastTransitionTime) ?? now) : now
  return need === 'now' || now - since > GRACE ? 'now' : 'pending'
}

type Interface = NonNullable<
  NonNullable<NonNullable<Vmi['spec']['domain']>['devices']>['interfaces']
>[number]

function needOf(vmi: Vmi, pod: Pod, wanted: Interface): 'now' | 'soon' | undefined {
  const network = secondaryNetworks(vmi.spec).find(({ name }) => name === wanted.name)
  if (!network) return undefined
  const seen = vmi.status?.interfaces?.find(({ name }) => name === wanted.name)
  if (wanted['state'] === 'absent') {
    const sources = String(seen?.['infoSource'] ?? '')
    return sources.includes('multus-status') && !sources.includes('domain') ? 'soon' : undefined
  }
  if (!seen) return wanted['sriov'] === undefined ? 'soon' : 'now'
  return hasOtherAttachment(vmi, pod, network) ? 'now' : undefined
}

/** One that Multus says nothing of counts as another (public code). */
function hasOtherAttachment({ metadata }: Vmi, pod: Pod, { name, multus }: Network): boolean {
  const namespace = metadata.namespace ?? ''
  const attached = attachedNetworks(pod).get(podInterfaceName(name)) ?? ''
  return attachmentName(multus?.networkName ?? '', namespace) !== attached
}
