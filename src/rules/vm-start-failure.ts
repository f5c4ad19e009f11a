import { timeOf } from '../kubevirt/migration.ts'
import { timestamp } from '../kubevirt/time.ts'
import type { Vm, Vmi } from '../kubevirt/types.ts'
import { hasEnded, runStrategyOf } from './vm-run.ts'

/** Seconds: the first delay, and the longest. */
const FIRST = 10
const LONGEST = 300
/** Strategies that start a VM again by themselves. */
const SELF_STARTING = ['Always', 'RerunOnFailure', 'Once']

type StartFailure = NonNullable<Vm['status']>['startFailure']

/**
 * How often in a row the VM's guest ended before it ran, and when it may be tried again: the delay grows with the square
 * of the count, and up to half of it is added by chance. A guest that has run begins anew.
 * @param chance from 0 up to 1
 */
export function startFailureOf(
  vm: Vm,
  vmi: Vmi | undefined,
  now: number,
  chance: number,
): StartFailure {
  const before = vm.status?.startFailure
  const hasRun = vmi?.status?.phaseTransitionTimestamps?.some(({ phase }) => phase === 'Running')
  if (hasRun || !SELF_STARTING.includes(runStrategyOf(vm))) return undefined
  if (!vmi || !hasEnded(vmi) || before?.lastFailedVMIUID === vmi.metadata.uid) return before
  const count = (before?.consecutiveFailCount ?? 0) + 1
  const delay = FIRST * count ** 2
  const seconds = Math.min(LONGEST, delay + Math.floor(chance * (Math.floor(delay / 2) + 1)))
  return {
    consecutiveFailCount: count,
    ...(vmi.metadata.uid ? { lastFailedVMIUID: vmi.metadata.uid } : {}),
    retryAfterTimestamp: timestamp(now + seconds * 1000),
  }
}

/** ms until the VM may be started. */
export function startDelay({ status }: Vm, now: number): number {
  return Math.max(0, (timeOf(status?.startFailure?.retryAfterTimestamp) ?? now) - now)
}

/** `kubectl get vm` says so of one that waits for its next try. */
export function isCrashLooping(vm: Vm): boolean {
  const { consecutiveFailCount = 0 } = vm.status?.startFailure ?? {}
  return consecutiveFailCount > 0 && SELF_STARTING.includes(runStrategyOf(vm))
}
