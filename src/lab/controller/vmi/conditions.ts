import { withCondition, withoutCondition as without } from '../../../kubevirt/conditions.ts'
import { conditionOf } from '../../../kubevirt/migration.ts'
import { isPodGoingDown, isPodReady } from '../../../kubevirt/pods.ts'
import { compare, parseQuantity } from '../../../kubevirt/quantity.ts'
import { timestamp } from '../../../kubevirt/time.ts'
import type { Condition, Pod, Quantity, Vmi } from '../../../kubevirt/types.ts'
import { claimOf } from '../../../kubevirt/volumes.ts'
import { vcpusOf } from '../../../rules/launcher-memory.ts'
import { networkMigration } from '../../../rules/network-migration.ts'

/** The conditions that virt-controller keeps on a VMI; the others are virt-handler's (control-plane.md §1.4, §10). */
export function vmiConditions(
  vmi: Vmi,
  pod: Pod | undefined,
  wasScheduling: boolean,
  now: number,
): Condition[] {
  const evicted = Boolean(vmi.status?.evacuationNodeName)
  let conditions = withCondition(vmi.status?.conditions ?? [], readyCondition(vmi, pod, now))
  conditions = evicted
    ? withCondition(conditions, evictionRequested(now))
    : without(conditions, 'EvictionRequested')
  if (wasScheduling && pod) conditions = withScheduling(conditions, pod)
  // virt-handler takes them away, or denies them, when it has tried.
  if (isCpuHotplugging(vmi)) conditions = withHotplug(conditions, 'HotVCPUChange')
  if (isMemoryHotplugging(vmi)) conditions = withHotplug(conditions, 'HotMemoryChange')
  if (isMovingVolumes(vmi)) conditions = withCondition(conditions, volumesChange(now))
  return networkConditions(vmi, pod, conditions, now)
}

/** A change of its networks that only a new launcher can bring. */
function networkConditions(
  vmi: Vmi,
  pod: Pod | undefined,
  conditions: Condition[],
  now: number,
): Condition[] {
  const required = networkMigration(vmi, pod, now)
  if (required === 'unchanged') return conditions
  if (required === 'no') return without(conditions, 'MigrationRequired')
  const [status, reason] =
    required === 'now'
      ? (['True', 'AutoMigrationDueToLiveUpdate'] as const)
      : (['False', 'AutoMigrationPending'] as const)
  const lastTransitionTime = timestamp(now)
  return withCondition(conditions, {
    type: 'MigrationRequired',
    status,
    reason,
    lastTransitionTime,
  })
}

/** What a VMI waits for: its first pod, or the image of that. */
export interface Failure {
  reason: string
  message: string
}

/** What keeps a VMI from running: the first message of a reason stays until that is gone. */
export function withFailure(vmi: Vmi, failed: Failure | undefined, now: number): Vmi {
  const conditions = vmi.status?.conditions ?? []
  const phase = vmi.status?.phase ?? 'Pending'
  // From then on it is virt-handler that reports under this name.
  if (phase !== 'Pending' && phase !== 'Scheduling') return vmi
  const unplaced = phase === 'Pending' && failed?.reason === 'FailedPvcNotFound'
  const others = unplaced
    ? withCondition(without(conditions, 'Synchronized'), unschedulable(failed.message))
    : without(conditions, 'Synchronized')
  if (failed === undefined) return { ...vmi, status: { ...vmi.status, conditions: others } }
  const before = conditions.find(({ type }) => type === 'Synchronized')
  if (before?.status === 'False' && before.reason === failed.reason) return vmi
  const failure: Condition = {
    type: 'Synchronized',
    status: 'False',
    ...failed,
    lastProbeTime: null,
    lastTransitionTime: timestamp(now),
  }
  return { ...vmi, status: { ...vmi.status, conditions: [...others, failure] } }
}

/** KubeVirt says it of a VMI that has no pod yet because its claim is missing. */
function unschedulable(message: string): Condition {
  return { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }
}

/** An image of the pod that can't be pulled, in the kubelet's words. */
export function imageFailure({ status }: Pod): Failure | undefined {
  const containers = [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ]
  const waiting = containers
    .map(({ state }) => state?.waiting as { reason?: string; message?: string } | undefined)
    .find((state) => state?.reason === 'ErrImagePull' || state?.reason === 'ImagePullBackOff')
  return waiting?.reason ? { reason: waiting.reason, message: waiting.message ?? '' } : undefined
}

/** A guest is not started on CPUs that are not its own, though it was promised them. */
export function lacksGuarantee({ spec }: Vmi, pod: Pod): boolean {
  const dedicated = spec.domain?.cpu?.dedicatedCpuPlacement === true
  return dedicated && pod.status?.qosClass !== 'Guaranteed' && isPodReady(pod)
}

export function noClaim(namespace: string, name: string): Failure {
  const message = `PVC ${namespace}/${name} does not exist, waiting for it to appear`
  return { reason: 'FailedPvcNotFound', message }
}

export const ACTIVE_MIGRATION: Failure = {
  reason: 'FailedCreate',
  message: 'active migration exists',
}

export const NO_GUARANTEE: Failure = {
  reason: 'FailedGuaranteeResources',
  message: 'failed to guarantee pod resources',
}

/** That no node takes its pod is told by the VMI too, as it was said first, until it is bound. */
function withScheduling(conditions: Condition[], pod: Pod): Condition[] {
  const scheduled = conditionOf(pod, 'PodScheduled')
  if (scheduled?.status !== 'False') return without(conditions, 'PodScheduled')
  if (conditions.some(({ type }) => type === 'PodScheduled')) return conditions
  const {
    type,
    status,
    reason,
    message,
    lastProbeTime = null,
    lastTransitionTime = null,
  } = scheduled
  return [
    ...conditions,
    {
      type,
      status,
      lastProbeTime,
      lastTransitionTime,
      ...(reason ? { reason } : {}),
      ...(message ? { message } : {}),
    },
  ]
}

function readyCondition(vmi: Vmi, pod: Pod | undefined, now: number): Condition {
  if (!pod) return notReady('PodNotExists', 'virt-launcher pod has not yet been scheduled', now)
  if (isPodGoingDown(pod))
    return notReady('PodTerminating', 'virt-launcher pod is terminating', now)
  if (vmi.status?.phase !== 'Running')
    return notReady('GuestNotRunning', 'Guest VM is not reported as running', now)
  const ready = conditionOf(pod, 'Ready')
  if (!ready)
    return notReady('PodConditionMissing', 'virt-launcher pod is missing the Ready condition', now)
  return {
    type: 'Ready',
    status: ready.status,
    lastProbeTime: null,
    lastTransitionTime: ready.lastTransitionTime ?? null,
    ...(ready.reason ? { reason: ready.reason } : {}),
    ...(ready.message ? { message: ready.message } : {}),
  }
}

function notReady(reason: string, message: string, now: number): Condition {
  const time = timestamp(now)
  return {
    type: 'Ready',
    status: 'False',
    reason,
    message,
    lastProbeTime: time,
    lastTransitionTime: time,
  }
}

function evictionRequested(now: number): Condition {
  const time = timestamp(now)
  return {
    type: 'EvictionRequested',
    status: 'True',
    reason: 'EvictionRequested',
    message: 'VMI is marked for eviction',
    lastProbeTime: time,
    lastTransitionTime: time,
  }
}

function withHotplug(conditions: Condition[], type: string): Condition[] {
  if (conditions.some((condition) => condition.type === type)) return conditions
  return [...conditions, { type, status: 'True', lastProbeTime: null, lastTransitionTime: null }]
}

/** The guest has other CPUs than the VMI wants, and was made so that it can get them. */
function isCpuHotplugging({ spec, status }: Vmi): boolean {
  const current = status?.['currentCPUTopology'] as
    | { cores?: number; sockets?: number; threads?: number }
    | undefined
  if (!current || !spec.domain?.cpu?.['maxSockets'] || status?.phase !== 'Running') return false
  return vcpusOf(spec) !== vcpusOf({ domain: { cpu: current } })
}

/** Its volumes are to be copied, and it names the new ones already. */
function isMovingVolumes(vmi: Vmi): boolean {
  const { spec, status } = vmi
  if (status?.phase !== 'Running' || conditionOf(vmi, 'VolumesChange')) return false
  const sources = (status.migratedVolumes ?? []).map(
    (one) => (one['sourcePVCInfo'] as { claimName?: string } | undefined)?.claimName,
  )
  return (
    sources.length > 0 &&
    (spec.volumes ?? []).some((volume) => {
      const claim = claimOf(volume)
      return claim !== undefined && !sources.includes(claim)
    })
  )
}

function volumesChange(now: number): Condition {
  const message = 'migrate volumes'
  return { type: 'VolumesChange', status: 'True', message, lastTransitionTime: timestamp(now) }
}

/** The guest was asked to have other memory than the VMI wants, and was made so that it can have it. */
export function isMemoryHotplugging({ spec, status }: Vmi): boolean {
  const memory = status?.['memory'] as { guestRequested?: Quantity } | undefined
  const [wanted, requested] = [spec.domain?.memory?.guest, memory?.guestRequested].map((text) =>
    parseQuantity(text),
  )
  if (!wanted || !requested || !spec.domain?.memory?.['maxGuest'] || status?.phase !== 'Running')
    return false
  return compare(wanted, requested) !== 0
}
