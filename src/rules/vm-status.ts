import { withCondition, withoutCondition } from '../kubevirt/conditions.ts'
import { conditionOf } from '../kubevirt/migration.ts'
import { timestamp } from '../kubevirt/time.ts'
import type { Condition, Vm, Vmi } from '../kubevirt/types.ts'
import { isMigrating } from './evacuation.ts'
import { hasEnded, runStep } from './vm-run.ts'
import { isCrashLooping } from './vm-start-failure.ts'

/** What a VM's status rests on beside the two objects. */
export interface Surroundings {
  /** A claim of its volumes is not bound. */
  unbound: boolean
  /** Its VMI was just made, and is not seen yet. */
  starting: boolean
  now: number
}

/** The STATUS column of `kubectl get vm`: the first that holds, in KubeVirt's order. */
export function printableStatus(
  vm: Vm,
  vmi: Vmi | undefined,
  { unbound, starting, now }: Surroundings,
): string {
  const phase = vmi?.status?.phase
  const isIdle = !vmi || hasEnded(vmi)
  if (vm.metadata.deletionTimestamp) return 'Terminating'
  if (vmi?.metadata.deletionTimestamp && !isIdle) return 'Stopping'
  if (vmi && isMigrating(vmi, now)) return 'Migrating'
  if (vmi && phase === 'Running')
    return conditionOf(vmi, 'Paused')?.status === 'True' ? 'Paused' : 'Running'
  const failed = vmi && conditionOf(vmi, 'Synchronized')
  const reason = failed?.status === 'False' ? failed.reason : undefined
  if (reason === 'FailedPvcNotFound') return 'ErrorPvcNotFound'
  const scheduled = vmi && conditionOf(vmi, 'PodScheduled')
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable')
    return 'ErrorUnschedulable'
  if (unbound && (vmi ? !isIdle : runStep(vm, vmi) === 'start')) return 'WaitingForVolumeBinding'
  if (reason === 'ErrImagePull' || reason === 'ImagePullBackOff') return reason
  if (phase === 'WaitingForSync') return 'WaitingForReceiver'
  if (!isIdle || starting) return 'Starting'
  return isCrashLooping(vm) ? 'CrashLoopBackOff' : 'Stopped'
}

/** Conditions that a VM does not take from its VMI as they are. */
const OWN = ['Ready', 'Failure', 'RestartRequired']

/** What befell a VM's last pass, as its condition `Failure` says it. */
export interface VmFailure {
  reason: string
  message: string
}

/**
 * A VM's conditions: its own readiness, its VMI's, whether a restart is due, and what failed. What its last VMI said stays
 * when that is gone; that a restart is due stays until there is one.
 */
export function vmConditions(
  vm: Vm,
  vmi: Vmi | undefined,
  { restart, failure }: { restart?: Condition | undefined; failure?: VmFailure | undefined },
  now: number,
): Condition[] {
  let conditions = withCondition(vm.status?.conditions ?? [], readiness(vmi, now))
  const lastTransitionTime = timestamp(now)
  conditions = failure
    ? withCondition(conditions, { type: 'Failure', status: 'True', lastTransitionTime, ...failure })
    : withoutCondition(conditions, 'Failure')
  if (!vmi || vmi.metadata.deletionTimestamp)
    conditions = withoutCondition(conditions, 'RestartRequired')
  else if (restart) conditions = withCondition(conditions, { ...restart, lastTransitionTime })
  if (!vmi) return conditions
  const copied = (vmi.status?.conditions ?? []).filter(({ type }) => !OWN.includes(type))
  for (const condition of copied) conditions = withCondition(conditions, condition)
  return conditions.filter(
    ({ type }) => OWN.includes(type) || copied.some((condition) => condition.type === type),
  )
}

function readiness(vmi: Vmi | undefined, now: number): Condition {
  const ready = vmi && conditionOf(vmi, 'Ready')
  if (ready) return ready
  const [reason, message] = vmi
    ? ['VMIConditionMissing', 'VMI is missing the Ready condition']
    : ['VMINotExists', 'VMI does not exist']
  const time = timestamp(now)
  const times = { lastProbeTime: time, lastTransitionTime: time }
  return { type: 'Ready', status: 'False', reason, message, ...times }
}
