import { LABEL } from './labels.ts'
import type { Pod, Vmi } from './types.ts'

/** Finished: it holds nothing of a node any more, though the object stays. */
export function isPodFinal(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
}

/** Ended, on its way out, or without the process that runs the guest. */
export function isPodGoingDown(pod: Pod): boolean {
  return (
    isPodFinal(pod) ||
    pod.metadata.deletionTimestamp !== undefined ||
    (pod.status?.containerStatuses ?? []).some(
      ({ name, state }) => name === 'compute' && state?.terminated !== undefined,
    )
  )
}

/**
 * KubeVirt's own notion of ready: running, not being deleted; `compute` and `istio-proxy` need only run, every other
 * container must be Ready (fact sheet control-plane.md §2.4).
 */
export function isPodReady(pod: Pod): boolean {
  if (pod.status?.phase !== 'Running' || pod.metadata.deletionTimestamp !== undefined) return false
  return (pod.status.containerStatuses ?? []).every((container) =>
    container.name === 'compute' || container.name === 'istio-proxy'
      ? container.state?.terminated === undefined && container.state?.running !== undefined
      : container.ready === true,
  )
}

function isLauncher(pod: Pod): boolean {
  return pod.metadata.labels?.[LABEL.app] === 'virt-launcher'
}

/** The uid of the migration that made this pod; a VM's current pod usually still carries that of its last move. */
function migrationUidOf(pod: Pod): string | undefined {
  return pod.metadata.labels?.[LABEL.migrationJobUid]
}

/** Pods that the VMI owns, launchers of all its moves included. */
export function isOwnedBy(pod: Pod, vmi: Vmi): boolean {
  return (pod.metadata.ownerReferences ?? []).some(
    (owner) => owner.controller === true && owner.uid === vmi.metadata.uid,
  )
}

/** The pod that the VM runs in: the newest of its own on its node, or the newest at all while it has none. */
export function currentPodOf(vmi: Vmi, pods: readonly Pod[]): Pod | undefined {
  const node = vmi.status?.nodeName
  return pods
    .filter((pod) => isOwnedBy(pod, vmi) && isLauncher(pod))
    .filter((pod) => !node || pod.spec.nodeName === node)
    .reduce<Pod | undefined>(
      (newest, pod) => (newest && !isNewer(pod, newest) ? newest : pod),
      undefined,
    )
}

/** The target pod of a migration, whatever its phase. */
export function targetPodOf(
  migrationUid: string | undefined,
  vmi: Vmi,
  pods: readonly Pod[],
): Pod | undefined {
  return pods.find(
    (pod) =>
      isLauncher(pod) &&
      migrationUidOf(pod) === migrationUid &&
      pod.metadata.labels?.[LABEL.createdBy] === vmi.metadata.uid,
  )
}

/** Times are whole seconds: of two pods of one second, the one that lives came after the one that has ended. */
function isNewer(a: Pod, b: Pod): boolean {
  const created = (pod: Pod) => pod.metadata.creationTimestamp ?? ''
  if (created(a) !== created(b)) return created(a) > created(b)
  return isPodFinal(b) && !isPodFinal(a)
}
