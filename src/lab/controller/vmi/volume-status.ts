import type { Pod, Vmi, VmiVolume } from '../../../kubevirt/types.ts'
import { claimOf, hotpluggedVolumes } from '../../../kubevirt/volumes.ts'
import type { Claim } from '../caches.ts'

type VolumeStatus = NonNullable<NonNullable<Vmi['status']>['volumeStatus']>[number]

/** What is known of each volume: its claim, and the pod that brings one that was plugged in. */
export function volumeStatus(
  { spec, status }: Vmi,
  launcher: Pod | undefined,
  attachment: Pod | undefined,
  claims: (name: string) => Claim | undefined,
): VolumeStatus[] {
  const plugged = launcher ? hotpluggedVolumes(spec, launcher).map(({ name }) => name) : []
  return (spec.volumes ?? []).map((volume) => {
    const before = status?.volumeStatus?.find(({ name }) => name === volume.name)
    return {
      target: '',
      ...before,
      name: volume.name,
      ...claimInfo(volume, claims),
      ...(plugged.includes(volume.name) ? hotplug(before, attachment) : {}),
    }
  })
}

function claimInfo(
  volume: VmiVolume,
  claims: (name: string) => Claim | undefined,
): Pick<VolumeStatus, 'persistentVolumeClaimInfo'> {
  const claimName = claimOf(volume)
  const claim = claimName === undefined ? undefined : claims(claimName)
  if (claimName === undefined || !claim) return {}
  const { accessModes, volumeMode, resources } = claim.spec ?? {}
  return {
    persistentVolumeClaimInfo: {
      claimName,
      ...(accessModes ? { accessModes } : {}),
      ...(volumeMode ? { volumeMode } : {}),
      ...(claim.status?.capacity ? { capacity: claim.status.capacity } : {}),
      ...(resources?.requests ? { requests: resources.requests } : {}),
    },
  }
}

/** Bound, then attached to the node; mounted and ready are virt-handler's to say. */
function hotplug(
  before: VolumeStatus | undefined,
  attachment: Pod | undefined,
): Partial<VolumeStatus> {
  const phase = before?.['phase']
  const running = attachment?.status?.phase === 'Running'
  const early = phase === undefined || phase === 'Bound'
  return {
    phase: early ? (running ? 'AttachedToNode' : 'Bound') : phase,
    hotplugVolume: attachment
      ? { attachPodName: attachment.metadata.name, attachPodUID: attachment.metadata.uid }
      : {},
  }
}
