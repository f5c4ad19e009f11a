import { sameValue } from '../../../kubevirt/equality.ts'
import { ANNOTATION, VM_FINALIZER } from '../../../kubevirt/labels.ts'
import type { KubeVirt, OwnerReference, Vm, Vmi } from '../../../kubevirt/types.ts'
import { withHotplugRoom } from '../../../rules/hotplug-room.ts'

/** The VMI of a VM: its template with room to grow, under its name, with the generation that it was started from. */
export function vmiFor(vm: Vm, kubevirt: KubeVirt | undefined): object {
  const { metadata, spec } = vm
  const { name, namespace, generation = 1 } = metadata
  const template = spec.template
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: {
      name,
      namespace,
      labels: template?.metadata?.labels ?? {},
      annotations: {
        ...template?.metadata?.annotations,
        [ANNOTATION.vmGeneration]: String(generation),
        ...(spec.runStrategy === 'WaitAsReceiver' ? { [ANNOTATION.receiver]: 'true' } : {}),
      },
      finalizers: [VM_FINALIZER],
      ownerReferences: [ownerReference(vm)],
    },
    spec: withHotplugRoom(template?.spec ?? {}, kubevirt),
  }
}

/** By which a VMI is the VM's. */
export function ownerReference({ metadata: { name, uid = '' } }: Vm): OwnerReference {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  }
}

/**
 * The generation that a VMI is to note: the VM's, when nothing has changed in the template that it was started with;
 * undefined when it says so already.
 */
export function generationFor(
  { metadata, spec }: Vm,
  vmi: Vmi,
  started: Vm['spec']['template'],
): string | undefined {
  const generation = String(metadata.generation ?? 1)
  if (vmi.metadata.annotations?.[ANNOTATION.vmGeneration] === generation) return undefined
  return started && sameValue(started, spec.template) ? generation : undefined
}
