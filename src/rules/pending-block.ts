import { ANNOTATION } from '../kubevirt/labels.ts'
import { timeOf } from '../kubevirt/migration.ts'
import type { KubeVirt, Migration, Vmi } from '../kubevirt/types.ts'
import { runningBackup } from './backup.ts'
import { numberOf, settingsFor } from './configuration.ts'

/** What keeps a migration in Pending although nothing is missing; times in ms. */
export type PendingBlock =
  /** `abort`: it is not waited for, but ended. */
  | { by: 'backup'; backup: string; abort: boolean; message: string }
  | { by: 'utility-volumes'; remaining: number; expired: boolean; message: string }

const UTILITY_SECONDS = 150

/** A backup that runs, or volumes of tools that must be gone first, for so long (fact sheet control-plane.md §1.3, §2.8). */
export function pendingBlock(
  migration: Migration,
  vmi: Vmi,
  kubevirt: KubeVirt | undefined,
  now: number,
): PendingBlock | undefined {
  const backup = runningBackup(vmi)
  if (backup !== undefined) {
    const abort = migration.spec.priority === 'system-critical'
    const message = abort
      ? `Aborting backup ${backup} for system-critical migration`
      : `Waiting for backup ${backup} to complete`
    return { by: 'backup', backup, abort, message }
  }
  if ((vmi.spec.utilityVolumes ?? []).length === 0) return undefined
  const seconds = utilityTimeout(migration, kubevirt)
  const created = timeOf(migration.metadata.creationTimestamp) ?? now
  const remaining = created + seconds * 1000 - now
  const waited = Math.max(0, Math.floor((now - created) / 1000))
  const { namespace, name } = vmi.metadata
  const expired = remaining <= 0
  const message = expired
    ? `Migration timeout waiting for utility volumes to detach from VMI [${namespace}/${name}]. Utility volumes still present after ${waited} seconds.`
    : `Migration is waiting for utility volumes to detach. Will timeout in ${seconds - waited} seconds.`
  return { by: 'utility-volumes', remaining, expired, message }
}

/** The migration's annotation, else the cluster's setting; what is no number is as if it were not there. */
function utilityTimeout({ metadata }: Migration, kubevirt: KubeVirt | undefined): number {
  const own = metadata.annotations?.[ANNOTATION.utilityVolumesTimeout]
  if (own !== undefined && /^\d+$/.test(own)) return Number(own)
  return numberOf(settingsFor(kubevirt).utilityVolumesTimeout) ?? UTILITY_SECONDS
}
