import type { Pod, Vmi, VmiSpec, VmiVolume } from './types.ts'

/** The claim behind a volume, if there is one; a data volume's has its name. */
export function claimOf({ persistentVolumeClaim, dataVolume }: VmiVolume): string | undefined {
  return persistentVolumeClaim?.claimName ?? dataVolume?.name
}

export function isHotpluggable({ persistentVolumeClaim, dataVolume }: VmiVolume): boolean {
  return persistentVolumeClaim?.hotpluggable === true || dataVolume?.hotpluggable === true
}

/** Volumes that were plugged in while the VM ran: they reach its launcher through an attachment pod. */
export function hotpluggedVolumes({ volumes = [] }: VmiSpec, launcher: Pod): VmiVolume[] {
  const own = new Set((launcher.spec.volumes ?? []).map(({ name }) => name))
  return volumes.filter((volume) => isHotpluggable(volume) && !own.has(volume.name))
}

export function hasHotplugVolumes(vmi: Vmi | undefined): boolean {
  return (
    (vmi?.status?.volumeStatus ?? []).some(({ hotplugVolume }) => hotplugVolume !== undefined) ||
    (vmi?.spec.volumes ?? []).some(isHotpluggable)
  )
}
