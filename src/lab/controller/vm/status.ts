import { ANNOTATION } from '../../../kubevirt/labels.ts'
import { conditionOf } from '../../../kubevirt/migration.ts'
import type { Condition, Vm, Vmi } from '../../../kubevirt/types.ts'
import { openRequests, runStrategyOf } from '../../../rules/vm-run.ts'
import { startFailureOf } from '../../../rules/vm-start-failure.ts'
import {
  printableStatus,
  type Surroundings,
  type VmFailure,
  vmConditions,
} from '../../../rules/vm-status.ts'
import { volumeRecovery } from '../../../rules/vm-volume-recovery.ts'

interface Pass extends Omit<Surroundings, 'now'> {
  restart?: Condition | undefined
  failure?: VmFailure
  /** Volumes that are to be copied from now on. */
  migrated?: Record<string, unknown>[]
}

/** The status of a VM after a pass over it. */
export function nextStatus(vm: Vm, vmi: Vmi | undefined, pass: Pass, now: number): Vm['status'] {
  const { migrated, restart, failure, unbound, starting } = pass
  const begun = migrated
    ? { volumeUpdateState: { volumeMigrationState: { migratedVolumes: migrated } } }
    : {}
  const before = { ...vm, status: { ...vm.status, ...begun } }
  const recovery = volumeRecovery(before, vmi)
  const recovered = { ...before, status: { ...before.status, conditions: recovery.conditions } }
  const observed = vmi?.metadata.annotations?.[ANNOTATION.vmGeneration]
  const failures = startFailureOf(vm, vmi, now, Math.random())
  const status: NonNullable<Vm['status']> = {
    ...recovered.status,
    created: vmi !== undefined,
    ready: vmi !== undefined && conditionOf(vmi, 'Ready')?.status === 'True',
    ...(vm.status?.runStrategy || vmi ? { runStrategy: runStrategyOf(vm) } : {}),
    ...(observed
      ? { observedGeneration: Number(observed), desiredGeneration: vm.metadata.generation ?? 1 }
      : {}),
    conditions: vmConditions(recovered, vmi, { restart, failure }, now),
    ...(recovery.state ? { volumeUpdateState: recovery.state } : {}),
  }
  const { startFailure: _failure, stateChangeRequests: _requests, ...rest } = status
  const requests = openRequests(vm, vmi)
  const next = {
    ...rest,
    ...(failures ? { startFailure: failures } : {}),
    ...(requests.length > 0 ? { stateChangeRequests: requests } : {}),
  }
  const shown = printableStatus({ ...vm, status: next }, vmi, { unbound, starting, now })
  return { ...next, printableStatus: shown }
}
