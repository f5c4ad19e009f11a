import { componentOf, NODE_NAME_EXTRA } from '../kubevirt/accounts.ts'
import { sameValue } from '../kubevirt/equality.ts'
import { LABEL, VMI_FINALIZER } from '../kubevirt/labels.ts'
import { parseQuantity, unitsOf } from '../kubevirt/quantity.ts'
import type { KubeVirt, Vmi } from '../kubevirt/types.ts'
import { firmwareBlockers } from './admission-firmware.ts'
import { specBlockers } from './admission-vm.ts'
import { type Admission, admissionOf, invalid, type Refusal } from './refusal.ts'

const CREATE = 'virtualmachineinstances-create-validator.kubevirt.io'
const UPDATE = 'virtualmachineinstances-update-validator.kubevirt.io'

/** Labels that only KubeVirt itself may change (fact sheet control-plane.md §3.3). */
const RESERVED_LABELS = [
  LABEL.createdBy,
  LABEL.migrationJobUid,
  LABEL.nodeName,
  LABEL.migrationTargetNode,
  LABEL.schedulable,
  'kubevirt.io/install-strategy',
]

export interface Requester {
  userName: string
  extra?: Record<string, string[]>
  /** Gate `NodeRestriction`: on by default since 1.9. */
  restrictsNodes?: boolean
}

/** May this VMI be made (rules/admission-vm.ts)? */
export function admitVmi({ spec }: Vmi, kubevirt: KubeVirt | undefined): Admission {
  return admissionOf([
    ...specBlockers(spec, 'spec', CREATE, kubevirt),
    ...firmwareBlockers(spec, 'spec', CREATE),
  ])
}

/** May this VMI be changed so, by this account? virt-handler only on the node that its token is bound to (§3.3). */
export function admitVmiUpdate(old: Vmi, changed: Vmi, requester: Requester): Admission {
  const component = componentOf(requester.userName)
  if (component === 'kubevirt-handler' && requester.restrictsNodes !== false)
    return admissionOf(handlerBlockers(old, changed, requester.extra))
  if (component) return { admit: true }
  const blockers: Refusal[] = []
  if (!sameValue(old.spec, changed.spec))
    blockers.push(invalid('spec-changed', UPDATE, 'update of VMI object is restricted'))
  const touched = RESERVED_LABELS.some(
    (label) => old.metadata.labels?.[label] !== changed.metadata.labels?.[label],
  )
  if (touched) {
    const message =
      'modification of the following reserved kubevirt.io/ labels on a VMI object is prohibited'
    blockers.push(invalid('reserved-label', UPDATE, message, 'metadata.labels'))
  }
  return admissionOf(blockers)
}

function handlerBlockers(old: Vmi, changed: Vmi, extra: Requester['extra']): Refusal[] {
  const node = extra?.[NODE_NAME_EXTRA]?.[0]
  if (!node) {
    const message = 'Node restriction failed, virt-handler service account is missing node name'
    return [invalid('handler-without-node', UPDATE, message)]
  }
  const state = old.status?.migrationState
  // Once the VM has moved, its former node has no say any more.
  if (node !== old.status?.nodeName && node !== state?.targetNode) {
    const message = 'Node restriction, virt-handler is only allowed to modify VMIs it owns'
    return [invalid('handler-foreign-vmi', UPDATE, message)]
  }
  if (!state?.targetNode && changed.status?.migrationState?.targetNode) {
    const message = 'Node restriction, virt-handler is not allowed to set target node'
    return [invalid('handler-target-node', UPDATE, message)]
  }
  return []
}

/** A VMI has no status subresource; what anybody but KubeVirt writes into its status is dropped without a word. */
export function withoutForeignStatus(old: Vmi, changed: Vmi, userName: string): Vmi {
  if (componentOf(userName)) return changed
  const { status: _, ...rest } = changed
  return old.status ? { ...rest, status: old.status } : rest
}

/**
 * What the mutating webhook makes of a new VMI, as far as anything here reads it: the phase, the finalizer, and the CPU
 * and memory that a launcher pod is rendered from.
 */
export function withVmiDefaults(vmi: Vmi, defaultCpuModel = 'host-model'): Vmi {
  const { domain } = vmi.spec
  const { finalizers = [] } = vmi.metadata
  const { requests, limits } = domain?.resources ?? {}
  const cpu = { ...topologyOf(vmi), model: defaultCpuModel, ...domain?.cpu }
  const guest =
    domain?.memory?.guest ??
    requests?.['memory'] ??
    limits?.['memory'] ??
    domain?.memory?.hugepages?.pageSize
  const { cores, sockets, threads } = cpu
  return {
    ...vmi,
    metadata: {
      ...vmi.metadata,
      finalizers: finalizers.includes(VMI_FINALIZER) ? finalizers : [...finalizers, VMI_FINALIZER],
    },
    spec: {
      ...vmi.spec,
      domain: {
        ...domain,
        cpu,
        // A limit without a request asks for all of it.
        ...(limits?.['cpu'] !== undefined && requests?.['cpu'] === undefined
          ? { resources: { ...domain?.resources, requests: { ...requests, cpu: limits['cpu'] } } }
          : {}),
        machine: { type: 'q35', ...domain?.machine },
        ...(guest === undefined ? {} : { memory: { ...domain?.memory, guest } }),
      },
    },
    status: {
      phase: 'Pending',
      // No launcher runs as root, and a hotplug is told by what the guest was started with.
      runtimeUser: 107,
      currentCPUTopology: { cores, sockets, threads },
      ...(guest === undefined
        ? {}
        : { memory: { guestAtBoot: guest, guestCurrent: guest, guestRequested: guest } }),
    },
  }
}

/** One CPU, or as many sockets as the resources name where the VM names no topology at all. */
function topologyOf({ spec: { domain } }: Vmi) {
  const { cpu, resources } = domain ?? {}
  const named = cpu?.cores || cpu?.sockets || cpu?.threads
  const asked = parseQuantity(resources?.limits?.['cpu'] ?? resources?.requests?.['cpu'])
  const sockets = asked && !named ? Math.max(1, unitsOf(asked)) : 1
  return { cores: 1, sockets, threads: 1 }
}
