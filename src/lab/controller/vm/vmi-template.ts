import { ANNOTATION, VM_FINALIZER } from '../../../kubevirt/labels.ts'
import type { KubeVirt, Vm } from '../../../kubevirt/types.ts'
import { withHotplugRoom } from '../../../rules/hotplug-room.ts'

/** The VMI of a VM: its template with room to grow, under its name, with the generation that it was started from. */
export function vmiFor({ metadata, spec }: Vm, kubevirt: KubeVirt | undefined): object {
  const { name, namespace, uid, generation = 1 } = metadata
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
      ownerReferences: [
        {
          apiVersion: 'kubevirt.io/v1',
          kind: 'VirtualMachine',
          name,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: withHotplugRoom(template?.spec ?? {}, kubevirt),
  }
}
