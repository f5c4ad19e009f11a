import { timestamp } from '../kubevirt/time.ts'
import type { Vmi } from '../kubevirt/types.ts'

/** The body of `PUT virtualmachineinstances/NAME/backup`. */
export interface BackupOptions {
  backupName?: string
  cmd?: string
}

interface BackupStatus {
  backupName?: string
  completed?: boolean
  [field: string]: unknown
}

/** What the request makes of the VMI, or with which HTTP code and why it is refused. */
export type BackupRequest =
  | { ok: true; status: NonNullable<Vmi['status']> }
  | { ok: false; code: 409 | 500; message: string }

/** The name of the backup of a VM's changed blocks that is under way. */
export function runningBackup(vmi: Vmi): string | undefined {
  const backup = backupOf(vmi)
  return backup?.backupName && !backup.completed ? backup.backupName : undefined
}

/**
 * Aborting a backup ends it as failed; it stays in the status until who asked for it has seen that. Nothing here makes
 * backups, so that Start is refused.
 * @param now ms
 */
export function backupRequest(vmi: Vmi, options: BackupOptions, now: number): BackupRequest {
  if (vmi.status?.phase !== 'Running')
    return { ok: false, code: 409, message: 'VMI is not running' }
  if (options.cmd !== 'Abort') {
    const message = `a backup can be aborted here, not more: cmd is "${options.cmd ?? ''}"`
    return { ok: false, code: 500, message }
  }
  const running = runningBackup(vmi)
  if (running === undefined || (options.backupName && options.backupName !== running)) {
    const message = options.backupName
      ? `backup ${options.backupName} is not under way`
      : 'no backup is under way'
    return { ok: false, code: 500, message }
  }
  const backupStatus = {
    ...backupOf(vmi),
    completed: true,
    failed: true,
    endTimestamp: timestamp(now),
    backupMsg: CANCELLED,
  }
  const tracking = vmi.status['changedBlockTracking'] as object
  return {
    ok: true,
    status: { ...vmi.status, changedBlockTracking: { ...tracking, backupStatus } },
  }
}

/** The launcher's words; 5 is libvirt's VIR_DOMAIN_JOB_CANCELLED. */
const CANCELLED = 'Backup job was cancelled. Libvirt job result: 5'

function backupOf({ status }: Vmi): BackupStatus | undefined {
  const tracking = status?.['changedBlockTracking'] as { backupStatus?: BackupStatus } | undefined
  return tracking?.backupStatus
}
