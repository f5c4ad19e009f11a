import type { VmFailure } from './vm-status.ts'

/** What the VM controller may fail at. The reasons and texts are those of public code; a VM shows them as condition `Failure`. */
export type VmRequest =
  | 'affinity'
  | 'cpu'
  | 'delete'
  | 'hotplug'
  | 'memory'
  | 'start'
  | 'tolerations'
  | 'volumes'

const TOLD: Record<VmRequest, [reason: string, before: string]> = {
  affinity: [
    'AffinityChangeError',
    'Error encountered while handling node affinity change request',
  ],
  cpu: ['HotPlugCPUError', 'Error encountered while handling CPU change request'],
  delete: ['FailedDelete', 'Failure attempting to delete VMI'],
  hotplug: ['HotPlugVolumeError', 'Error encountered while handling volume hotplug requests'],
  memory: ['HotPlugMemoryError', 'error encountered while handling memory hotplug requests'],
  start: ['FailedCreate', 'Failure while starting VMI'],
  tolerations: [
    'TolerationsChangeError',
    'Error encountered while handling tolerations change request',
  ],
  volumes: ['VolumesUpdateError', 'error encountered while handling volumes update requests'],
}

export function vmFailure(request: VmRequest, message: string): VmFailure {
  const [reason, before] = TOLD[request]
  return { reason, message: `${before}: ${message}` }
}
