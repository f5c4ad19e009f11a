import { conditionOf } from '../kubevirt/migration.ts'
import { timestamp } from '../kubevirt/time.ts'
import type { Condition, Vm, Vmi } from '../kubevirt/types.ts'
import { isMigrating } from './evacuation.ts'

/** Should the VM run, given that it has no VMI, one that runs, or one that ended? */
export function wantsToRun(vm: Vm, vmi: Vmi | undefined): boolean {
  const strategy = vm.spec.runStrategy ?? (vm.spec.running ? 'Always' : 'Halted')
  const phase = vmi?.status?.phase
  switch (strategy) {
    case 'Always':
    // Its VMI waits for a guest of another cluster.
    case 'WaitAsReceiver':
      return true
    case 'RerunOnFailure':
      return phase !== 'Succeeded'
    case 'Once':
      return phase !== 'Succeeded' && phase !== 'Failed'
    case 'Manual':
      return vmi !== undefined
    default:
      return false
  }
}

/** The STATUS column of `kubectl get vm`. */
export function printableStatus(vm: Vm, vmi: Vmi | undefined, now: number): string {
  if (vm.metadata.deletionTimestamp) return 'Terminating'
  if (!vmi) return wantsToRun(vm, undefined) ? 'Starting' : 'Stopped'
  if (vmi.metadata.deletionTimestamp) return 'Stopping'
  const phase = vmi.status?.phase
  if (phase === 'Succeeded' || phase === 'Failed') return 'Stopped'
  if (phase !== 'Running') return 'Starting'
  if (conditionOf(vmi, 'Paused')?.status === 'True') return 'Paused'
  return isMigrating(vmi, now) ? 'Migrating' : 'Running'
}

/** Conditions that a VM does not take from its VMI as they are. */
const OWN = ['Ready', 'Failure', 'RestartRequired']

/** A VM's conditions: its VMI's, its own readiness, and whether a restart is due. */
export function vmConditions(
  vm: Vm,
  vmi: Vmi | undefined,
  restart: Condition | undefined,
  now: number,
): Condition[] {
  const before = vm.status?.conditions ?? []
  const copied = (vmi?.status?.conditions ?? []).filter(({ type }) => !OWN.includes(type))
  const due = restart ?? before.find(({ type }) => type === 'RestartRequired' && vmi !== undefined)
  return [readiness(before, vmi, now), ...copied, ...(due ? [due] : [])]
}

function readiness(before: Condition[], vmi: Vmi | undefined, now: number): Condition {
  const ready = vmi && conditionOf(vmi, 'Ready')
  if (ready) return ready
  const known = before.find(({ type, reason }) => type === 'Ready' && reason === 'VMINotExists')
  if (known) return known
  const time = timestamp(now)
  return {
    type: 'Ready',
    status: 'False',
    reason: 'VMINotExists',
    message: 'VMI does not exist',
    lastProbeTime: time,
    lastTransitionTime: time,
  }
}
