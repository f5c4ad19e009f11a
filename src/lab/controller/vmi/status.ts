import { LABEL, VMI_FINALIZER } from '../../../kubevirt/labels.ts'
import { currentPodOf, isPodFinal, isPodReady } from '../../../kubevirt/pods.ts'
import { timestamp } from '../../../kubevirt/time.ts'
import type { Pod, Vmi } from '../../../kubevirt/types.ts'
import { vmiConditions } from './conditions.ts'

/** The VMI as it should be, given its pods: at most one phase further (fact sheet control-plane.md §10). */
export function nextVmi(vmi: Vmi, pods: readonly Pod[], now: number): Vmi {
  const pod = currentPodOf(vmi, pods)
  const phase = nextPhase(vmi, pod)
  const placed = phase === 'Scheduled' && vmi.status?.phase !== 'Scheduled' ? placement(pod) : {}
  const entered = {
    ...vmi,
    status: {
      ...vmi.status,
      ...placed,
      phase,
      phaseTransitionTimestamps: transitions(vmi, phase, now),
      activePods: activePods(pods),
    },
  }
  const node = entered.status.nodeName
  return {
    ...entered,
    metadata: {
      ...vmi.metadata,
      ...(node && placed.nodeName
        ? { labels: { ...vmi.metadata.labels, [LABEL.nodeName]: node } }
        : {}),
      ...finalizers(entered, pods),
    },
    status: { ...entered.status, conditions: vmiConditions(entered, pod, now) },
  }
}

function nextPhase({ metadata, status }: Vmi, pod: Pod | undefined): string {
  const phase = status?.phase ?? 'Pending'
  switch (phase) {
    case '':
    case 'Pending':
      if (pod) return 'Scheduling'
      return metadata.deletionTimestamp ? 'Failed' : 'Pending'
    case 'Scheduling':
      if (!pod || isPodFinal(pod)) return 'Failed'
      return isPodReady(pod) ? 'Scheduled' : phase
    case 'Scheduled':
    case 'Running':
      // How a guest ends is virt-handler's to say, unless there is no pod that could tell.
      return pod ? phase : 'Failed'
    default:
      return phase
  }
}

/** What is known once the pod runs. */
function placement(pod: Pod | undefined): NonNullable<Vmi['status']> {
  const image = pod?.spec.containers.find(({ name }) => name === 'compute')?.image
  return {
    ...(pod?.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    ...(image ? { launcherContainerImageVersion: image } : {}),
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

/** It may go when it has ended and nothing of it is left. */
function finalizers({ metadata, status }: Vmi, pods: readonly Pod[]): { finalizers?: string[] } {
  const ended = status?.phase === 'Failed' || status?.phase === 'Succeeded'
  if (!ended || pods.length > 0 || !metadata.finalizers) return {}
  return { finalizers: metadata.finalizers.filter((name) => name !== VMI_FINALIZER) }
}
