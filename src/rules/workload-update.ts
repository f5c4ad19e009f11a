import { ANNOTATION } from '../kubevirt/labels.ts'
import { conditionOf, isFinal } from '../kubevirt/migration.ts'
import type { KubeVirt, Migration, Vmi } from '../kubevirt/types.ts'
import { limitsOf } from './capacity.ts'
import { isMigrating } from './evacuation.ts'

/** What the workload updater does now. */
export interface WorkloadUpdates {
  /** False where KubeVirt itself is not through with an update: nothing is done then. */
  active: boolean
  /** In the order in which they are started, no more than there is room for. */
  migrate: { vmi: Vmi; priority: 'system-critical' | 'user-triggered' }[]
  /** Those that can't be migrated, where evicting is configured: in batches. */
  evict: Vmi[]
  /** Its own migrations that nothing asks for any more. */
  abort: Migration[]
  /** VMs whose launcher is of another image than KubeVirt's. */
  outdated: Vmi[]
}

export interface WorkloadView {
  vmis: readonly Vmi[]
  migrations: readonly Migration[]
  kubevirt: KubeVirt | undefined
  launcherImage: string
}

/**
 * Which VMs move by themselves, because their launcher is out of date or a change of theirs needs a new one
 * (fact sheet control-plane.md §4.3)? Without configured methods none does.
 */
export function workloadUpdates(view: WorkloadView, now: number): WorkloadUpdates {
  const { vmis, migrations, kubevirt, launcherImage } = view
  const running = vmis.filter(
    ({ status, metadata }) => status?.phase === 'Running' && !metadata.deletionTimestamp,
  )
  const outdated = running.filter((vmi) => isOutdated(vmi, launcherImage))
  const methods = kubevirt?.spec.workloadUpdateStrategy?.workloadUpdateMethods ?? []
  const nothing = { migrate: [], evict: [], abort: [], outdated }
  if (!isDeployed(kubevirt)) return { active: false, ...nothing }

  const unfinished = migrations.filter((migration) => !isFinal(migration))
  const candidates = running.filter(
    (vmi) =>
      (outdated.includes(vmi) || requiresMigration(vmi)) &&
      !isMigrating(vmi, now) &&
      !unfinished.some((migration) => isOf(migration, vmi)),
  )
  const canMigrate = methods.includes('LiveMigrate')
  const migratable = candidates.filter(
    (vmi) => canMigrate && conditionOf(vmi, 'LiveMigratable')?.status === 'True',
  )
  const free = Math.max(0, limitsOf(kubevirt).cluster - unfinished.length)
  return {
    active: true,
    migrate: migratable.slice(0, free).map((vmi) => ({
      vmi,
      priority: outdated.includes(vmi) ? 'system-critical' : 'user-triggered',
    })),
    evict: methods.includes('Evict')
      ? candidates.filter((vmi) => outdated.includes(vmi) && !migratable.includes(vmi))
      : [],
    abort: unfinished.filter((migration) => isNeedless(migration, running, outdated)),
    outdated,
  }
}

export function isOutdated({ status }: Vmi, launcherImage: string): boolean {
  const image = status?.['launcherContainerImageVersion']
  return typeof image === 'string' && image !== '' && image !== launcherImage
}

/** A change is waiting that only a new launcher can bring. */
export function requiresMigration(vmi: Vmi): boolean {
  const isTrue = (type: string) => conditionOf(vmi, type)?.status === 'True'
  return (
    conditionOf(vmi, 'HotVCPUChange') !== undefined ||
    isTrue('HotMemoryChange') ||
    isTrue('MigrationRequired') ||
    isTrue('VolumesChange')
  )
}

/** One that it made, that has not copied yet, and whose reason is gone. */
function isNeedless(
  migration: Migration,
  running: readonly Vmi[],
  outdated: readonly Vmi[],
): boolean {
  const { annotations, deletionTimestamp, uid } = migration.metadata
  if (annotations?.[ANNOTATION.workloadUpdateMigration] === undefined || deletionTimestamp)
    return false
  const vmi = running.find((candidate) => isOf(migration, candidate))
  if (!vmi || outdated.includes(vmi) || requiresMigration(vmi)) return false
  const state = vmi.status?.migrationState
  return !(state?.migrationUid === uid && state?.completed)
}

function isOf({ metadata, spec }: Migration, vmi: Vmi): boolean {
  return metadata.namespace === vmi.metadata.namespace && spec.vmiName === vmi.metadata.name
}

function isDeployed(kubevirt: KubeVirt | undefined): boolean {
  const { phase, observedDeploymentID, targetDeploymentID } = kubevirt?.status ?? {}
  return phase === 'Deployed' && observedDeploymentID === targetDeploymentID
}
