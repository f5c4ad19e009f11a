import { ANNOTATION } from '../kubevirt/labels.ts'
import { conditionOf, isFinal } from '../kubevirt/migration.ts'
import type { KubeVirt, Migration, Vmi } from '../kubevirt/types.ts'
import { isUnderWay, limitsOf } from './capacity.ts'
import { isMigrating } from './evacuation.ts'
import { isVolumeMigration } from './volume-migration.ts'

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
  /** VMs that need a new launcher, for whichever of the two reasons. */
  outdated: Vmi[]
  /** It has to be looked at again soon, whatever happens. */
  again: boolean
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
  const methods = kubevirt?.spec.workloadUpdateStrategy?.workloadUpdateMethods ?? []
  const nothing = { migrate: [], evict: [], abort: [], outdated: [], again: false }
  if (!isDeployed(kubevirt)) return { active: false, ...nothing }

  const unfinished = migrations.filter((migration) => !isFinal(migration))
  const isOld = (vmi: Vmi) => isOutdated(vmi, launcherImage)
  const ownOf = (vmi: Vmi) => unfinished.filter((other) => isOwn(other) && isOf(other, vmi))
  const aborted = running.filter((vmi) => !isOld(vmi) && isNeedless(vmi) && ownOf(vmi).length > 0)
  const outdated = running.filter(
    (vmi) => !aborted.includes(vmi) && (isOld(vmi) || needsMigration(vmi, now)),
  )
  const candidates = outdated.filter(
    (vmi) => !isMigrating(vmi, now) && !unfinished.some((migration) => isOf(migration, vmi)),
  )
  const canMigrate = methods.includes('LiveMigrate')
  const migratable = candidates.filter(
    (vmi) =>
      canMigrate &&
      (conditionOf(vmi, 'LiveMigratable')?.status === 'True' || isVolumeMigration(vmi)),
  )
  const evict = methods.includes('Evict')
    ? candidates.filter((vmi) => !migratable.includes(vmi))
    : []
  const moving = unfinished.filter(isUnderWay).length
  const free = Math.max(0, limitsOf(kubevirt).cluster - moving)
  return {
    active: true,
    migrate: migratable.slice(0, free).map((vmi) => ({
      vmi,
      priority: requiresMigration(vmi) ? 'user-triggered' : 'system-critical',
    })),
    evict,
    abort: aborted.flatMap(ownOf).filter(({ metadata }) => !metadata.deletionTimestamp),
    outdated,
    again: migratable.length + evict.length + aborted.length > 0,
  }
}

function isOutdated({ status }: Vmi, launcherImage: string): boolean {
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

/** Not one that is being moved, nor one that a test keeps from it. */
function needsMigration(vmi: Vmi, now: number): boolean {
  return !isMigrating(vmi, now) && !isHeld(vmi) && requiresMigration(vmi)
}

function isHeld({ metadata }: Vmi): boolean {
  return metadata.annotations?.[ANNOTATION.abortWorkloadUpdate] !== undefined
}

/** The reason is gone, and the guest is not at its target yet; KubeVirt does not ask in whose slot that is told. */
function isNeedless(vmi: Vmi): boolean {
  if (isHeld(vmi)) return true
  return !requiresMigration(vmi) && !vmi.status?.migrationState?.targetNodeDomainReadyTimestamp
}

/** Made by the workload updater. */
export function isOwn({ metadata }: Migration): boolean {
  return metadata.annotations?.[ANNOTATION.workloadUpdateMigration] !== undefined
}

function isOf({ metadata, spec }: Migration, vmi: Vmi): boolean {
  return metadata.namespace === vmi.metadata.namespace && spec.vmiName === vmi.metadata.name
}

function isDeployed(kubevirt: KubeVirt | undefined): boolean {
  const { phase, observedDeploymentID, targetDeploymentID } = kubevirt?.status ?? {}
  return phase === 'Deployed' && observedDeploymentID === targetDeploymentID
}
