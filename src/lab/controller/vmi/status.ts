import { sameValue } from '../../../kubevirt/equality.ts'
import { LABEL, VM_FINALIZER, VMI_FINALIZER } from '../../../kubevirt/labels.ts'
import { currentPodOf, isPodGoingDown, isPodReady } from '../../../kubevirt/pods.ts'
import { timestamp } from '../../../kubevirt/time.ts'
import type { KubeVirt, Pod, Vm, Vmi } from '../../../kubevirt/types.ts'
import { awaitsSource, hasCrossed } from '../../../rules/decentralized.ts'
import { interfaceStatuses } from '../../../rules/interface-status.ts'
import { LAUNCHER_IMAGE } from '../../../rules/launcher-pod.ts'
import { isMemoryHotplugging, lacksGuarantee, vmiConditions } from './conditions.ts'

/**
 * The VMI as it should be, given its pods: at most one phase further (fact sheet control-plane.md §10).
 * @param vm the VM of its name, if there is one
 */
export function nextVmi(
  vmi: Vmi,
  pods: readonly Pod[],
  now: number,
  { kubevirt, vm }: { kubevirt?: KubeVirt | undefined; vm?: Vm | undefined } = {},
): Vmi {
  const pod = currentPodOf(vmi, pods)
  const phase = nextPhase(vmi, pod)
  const arrives = phase === 'Scheduled' && vmi.status?.phase !== 'Scheduled'
  const image = imageOf(pod)
  const gone = isEnded(vmi) && pods.length === 0
  const wasScheduling = vmi.status?.phase === 'Scheduling'
  const entered = {
    ...vmi,
    status: {
      ...vmi.status,
      ...(arrives && pod?.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
      ...(arrives ? { migrationTransport: 'Unix' } : {}),
      ...(wasScheduling && pod?.status?.qosClass ? { qosClass: pod.status.qosClass } : {}),
      ...(image === undefined && !gone ? {} : { launcherContainerImageVersion: image ?? '' }),
      ...(pod && (arrives || phase === 'Running')
        ? { interfaces: interfaceStatuses(vmi, pod) }
        : {}),
      phase,
      phaseTransitionTimestamps: transitions(vmi, phase, now),
      activePods: activePods(pods),
    },
  }
  const conditions = vmiConditions(entered, pod, wasScheduling, now)
  return {
    ...entered,
    metadata: {
      ...vmi.metadata,
      ...labels(vmi, {
        ...(arrives ? { [LABEL.nodeName]: entered.status.nodeName } : {}),
        ...overheadLabel(vmi, kubevirt),
        ...(image !== undefined || gone
          ? { [LABEL.outdatedLauncherImage]: isOutdatedImage(image) ? '' : undefined }
          : {}),
      }),
      ...finalizers(vmi, pods, isOwnedBy(vmi, vm)),
    },
    status: { ...entered.status, conditions },
  }
}

/** With these set, those that are undefined taken away; nothing where all of it is so already. */
function labels(
  { metadata }: Vmi,
  changes: Record<string, string | undefined>,
): { labels?: Record<string, string> } {
  const after: Record<string, string> = { ...metadata.labels }
  for (const [key, value] of Object.entries(changes))
    if (value === undefined) delete after[key]
    else after[key] = value
  return sameValue(after, metadata.labels ?? {}) ? {} : { labels: after }
}

/** What the cluster adds to a guest's overhead holds for the launcher that a memory hotplug leads to. */
function overheadLabel(vmi: Vmi, kubevirt: KubeVirt | undefined): Record<string, string> {
  const ratio = kubevirt?.spec.configuration?.['additionalGuestMemoryOverheadRatio']
  return typeof ratio === 'string' && isMemoryHotplugging(vmi)
    ? { [LABEL.memoryOverheadRatio]: ratio }
    : {}
}

function imageOf(pod: Pod | undefined): string | undefined {
  return pod?.spec.containers.find(({ name }) => name === 'compute')?.image
}

function isOutdatedImage(image: string | undefined): boolean {
  return image !== undefined && image !== LAUNCHER_IMAGE
}

function nextPhase(vmi: Vmi, pod: Pod | undefined): string {
  const { metadata, status } = vmi
  const phase = status?.phase ?? 'Pending'
  switch (phase) {
    case '':
    case 'Pending':
      if (pod) return 'Scheduling'
      if (metadata.deletionTimestamp) return 'Failed'
      return awaitsSource(vmi) ? 'WaitingForSync' : 'Pending'
    case 'WaitingForSync':
      return pod && !metadata.deletionTimestamp ? 'Scheduling' : phase
    case 'Scheduling':
      if (!pod || isPodGoingDown(pod)) return 'Failed'
      if (!isPodReady(pod) || metadata.deletionTimestamp || lacksGuarantee(vmi, pod)) return phase
      return 'Scheduled'
    case 'Scheduled':
    case 'Running':
      if (pod?.status?.phase === 'Succeeded' && hasCrossed(vmi)) return 'Succeeded'
      // How a guest ends is virt-handler's to say, unless there is no pod that could tell.
      return pod ? phase : 'Failed'
    default:
      return phase
  }
}

function transitions({ status }: Vmi, phase: string, now: number) {
  const entered = status?.phaseTransitionTimestamps ?? []
  if (entered.some((entry) => entry.phase === phase)) return entered
  return [...entered, { phase, phaseTransitionTimestamp: timestamp(now) }]
}

/** Every pod of the VMI, finished ones too, as long as it is there. */
function activePods(pods: readonly Pod[]): Record<string, string> {
  return Object.fromEntries(
    pods.map(({ metadata, spec }) => [metadata.uid ?? '', spec.nodeName ?? '']),
  )
}

/** It may go when it has ended and nothing of it is left; a VM that is gone has no say any more. */
function finalizers(vmi: Vmi, pods: readonly Pod[], hasOwner: boolean): { finalizers?: string[] } {
  const { finalizers: before } = vmi.metadata
  if (!isEnded(vmi) || !before) return {}
  const done = [...(pods.length === 0 ? [VMI_FINALIZER] : []), ...(hasOwner ? [] : [VM_FINALIZER])]
  return { finalizers: before.filter((name) => !done.includes(name)) }
}

function isOwnedBy({ metadata }: Vmi, vm: Vm | undefined): boolean {
  const owner = metadata.ownerReferences?.find((reference) => reference.controller)
  return owner?.kind === 'VirtualMachine' && vm !== undefined && owner.uid === vm.metadata.uid
}

/** One that waits for a guest in vain has nothing to end. */
function isEnded({ status, metadata }: Vmi): boolean {
  const vain = status?.phase === 'WaitingForSync' && metadata.deletionTimestamp !== undefined
  return status?.phase === 'Failed' || status?.phase === 'Succeeded' || vain
}
