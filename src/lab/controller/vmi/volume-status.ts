import type { Pod, Vmi, VmiVolume } from '../../../kubevirt/types.ts'
import { claimOf, hotpluggedVolumes } from '../../../kubevirt/volumes.ts'
import { attachments } from '../../../rules/attachment-pod.ts'
import type { VolumeClaim } from '../../../rules/volume-binding.ts'

type VolumeStatus = NonNullable<NonNullable<Vmi['status']>['volumeStatus']>[number]

interface Message {
  reason: 'SuccessfulCreate' | 'SuccessfulDelete'
  message: string
}

/**
 * What is known of each volume: its claim, and the pod that brings one that was plugged in; one that was taken out as long
 * as a pod holds it. `told` are the events of what is new.
 * @param pods attachment pods of the launcher
 * @param state the claim of what TPM and EFI keep, which is no volume of the spec
 */
export function volumeStatus(
  { spec, status }: Vmi,
  launcher: Pod | undefined,
  pods: readonly Pod[],
  claims: (name: string) => VolumeClaim | undefined,
  state?: VolumeClaim,
): { volumes: VolumeStatus[]; told: Message[] } {
  const plugged = launcher ? hotpluggedVolumes(spec, launcher) : []
  const { current } = attachments(pods, plugged)
  const told: Message[] = []
  const wanted = (spec.volumes ?? []).map((volume): VolumeStatus => {
    const before = status?.volumeStatus?.find(({ name }) => name === volume.name)
    const seen = { target: '', ...before, name: volume.name, ...claimInfo(volume, claims) }
    if (!plugged.includes(volume)) return seen
    const after: VolumeStatus = { ...seen, ...pluggedIn(volume, before, current, claims) }
    if (current && after['phase'] !== before?.['phase'] && after['phase'] === ATTACHED)
      told.push(messageOf(after))
    return after
  })
  const left = (status?.volumeStatus ?? []).flatMap((before): VolumeStatus[] => {
    const pod = pods.find((one) => one.spec.volumes?.some(({ name }) => name === before.name))
    if (!pod || spec.volumes?.some(({ name }) => name === before.name)) return []
    const after: VolumeStatus = { ...before, ...takenOut(before, pod) }
    if (after['reason'] === 'SuccessfulDelete' && before['reason'] !== 'SuccessfulDelete')
      told.push(messageOf(after))
    return [after]
  })
  const kept = state ? [stateStatus(state, status?.volumeStatus)] : []
  const volumes = [...kept, ...wanted, ...left].sort((a, b) => (a.name < b.name ? -1 : 1))
  return { volumes, told }
}

const ATTACHED = 'AttachedToNode'

function messageOf(status: VolumeStatus): Message {
  return { reason: status['reason'] as Message['reason'], message: String(status['message']) }
}

function stateStatus(
  { metadata: { name }, spec: { accessModes } }: VolumeClaim,
  known: VolumeStatus[] | undefined,
): VolumeStatus {
  return {
    target: '',
    ...known?.find((one) => one.name === name),
    name,
    persistentVolumeClaimInfo: { claimName: name, ...(accessModes ? { accessModes } : {}) },
  }
}

function claimInfo(
  volume: VmiVolume,
  claims: (name: string) => VolumeClaim | undefined,
): Pick<VolumeStatus, 'persistentVolumeClaimInfo'> {
  const claimName = claimOf(volume)
  const claim = claimName === undefined ? undefined : claims(claimName)
  if (claimName === undefined || !claim) return {}
  const { accessModes, volumeMode, resources } = claim.spec
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

/** Bound, then attached to the node by its pod; mounted and ready are virt-handler's to say. */
function pluggedIn(
  volume: VmiVolume,
  before: VolumeStatus | undefined,
  pod: Pod | undefined,
  claims: (name: string) => VolumeClaim | undefined,
): Partial<VolumeStatus> {
  const phase = String(before?.['phase'] ?? '')
  if (!pod) {
    const { attachPodUID: _, ...kept } = before?.hotplugVolume ?? {}
    return phase === 'Ready'
      ? { hotplugVolume: before?.hotplugVolume ?? {} }
      : { hotplugVolume: kept, ...waiting(claimOf(volume) ?? '', claims) }
  }
  const [container] = pod.status?.containerStatuses ?? []
  const hotplugVolume = {
    attachPodName: pod.metadata.name,
    ...(container?.ready ? { attachPodUID: pod.metadata.uid } : {}),
  }
  if (!['', 'Bound', 'Pending'].includes(phase)) return { hotplugVolume }
  const message = `Created hotplug attachment pod ${pod.metadata.name}, for volume ${volume.name}`
  return { hotplugVolume, phase: ATTACHED, reason: 'SuccessfulCreate', message }
}

/** Why there is no pod for it yet, by its claim. */
function waiting(
  name: string,
  claims: (name: string) => VolumeClaim | undefined,
): Partial<VolumeStatus> {
  const claim = claims(name)
  if (!claim)
    return { phase: 'Pending', reason: 'FailedPvcNotFound', message: `PVC ${name} not found` }
  const { phase = 'Pending' } = claim.status ?? {}
  const bound = phase === 'Bound'
  const message = `PVC is in phase ${phase === 'Pending' ? 'ClaimPending' : phase}`
  return { phase: bound ? 'Bound' : 'Pending', reason: 'PVCNotReady', message }
}

function takenOut(before: VolumeStatus, pod: Pod): Partial<VolumeStatus> {
  const { name, uid, deletionTimestamp } = pod.metadata
  const hotplugVolume = { attachPodName: name, attachPodUID: uid }
  const phase = String(before['phase'] ?? '')
  // virt-handler has to let go of it first.
  if (phase === 'Ready' || phase === 'MountedToPod') return { hotplugVolume }
  if (!deletionTimestamp) return { hotplugVolume, phase: 'Detaching' }
  const message = `Deleted hotplug attachment pod ${name}, for volume ${before.name}`
  return { hotplugVolume, phase: 'Detaching', reason: 'SuccessfulDelete', message }
}
