import { withCondition, withoutCondition } from '../kubevirt/conditions.ts'
import { conditionOf } from '../kubevirt/migration.ts'
import type { Condition, Vm, Vmi } from '../kubevirt/types.ts'
import { claimOf } from '../kubevirt/volumes.ts'
import { hasEnded } from './vm-run.ts'

const RECOVERY = 'ManualRecoveryRequired'

type VolumeUpdateState = NonNullable<Vm['status']>['volumeUpdateState']

/**
 * What a VM remembers of the volumes that were to be copied, and its conditions: when its guest was lost on the way, some
 * data is in the old claims and some in the new, and the VM is not started before it names the old ones again
 * (fact sheet control-plane.md §5.3).
 */
export function volumeRecovery(
  vm: Vm,
  vmi: Vmi | undefined,
): { state: VolumeUpdateState; conditions: Condition[] } {
  const { volumeUpdateState: state, conditions = [] } = vm.status ?? {}
  const migrated = state?.volumeMigrationState?.migratedVolumes
  if (!migrated) return { state, conditions }
  const isBack = migrated.every(({ volumeName, sourcePVCInfo }) => {
    const volume = vm.spec.template?.spec.volumes?.find(({ name }) => name === volumeName)
    return !volume || claimOf(volume) === (sourcePVCInfo as { claimName?: string })?.claimName
  })
  if (isBack || vm.spec.updateVolumesStrategy !== 'Migration') {
    const others = withoutCondition(withoutCondition(conditions, 'VolumesChange'), RECOVERY)
    return { state: {}, conditions: others }
  }
  if (!vmi || hasEnded(vmi)) {
    if (conditionOf(vm, 'VolumesChange')?.status !== 'True') return { state, conditions }
    const reason = 'VMI was removed or was final during the volume migration'
    const lost: Condition = { type: RECOVERY, status: 'True', reason }
    return { state, conditions: withCondition(conditions, lost) }
  }
  const change = conditionOf(vmi, 'VolumesChange')
  const isCancelled = change?.status === 'False' && change.reason === 'VolumesChangeCancellation'
  return { state: isCancelled ? {} : state, conditions }
}

export function needsRecovery(vm: Vm): boolean {
  return conditionOf(vm, RECOVERY)?.status === 'True'
}
