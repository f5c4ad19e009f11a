import { join } from 'node:path'
import { STATE_VOLUME } from '../../kubevirt/backend-storage.ts'
import type { Pod } from '../../kubevirt/types.ts'
import { META, MIGRATED } from '../../rules/recovery-job.ts'
import type { ClaimFile, ClaimFiles } from './claim-files.ts'
import type { NodeLog } from './log.ts'

/**
 * A launcher whose guest has gone over says so in the claim of the guest's TPM and EFI, where there is one. Which launcher
 * writes it no sheet tells; it is read from the source's claim.
 */
export async function markMigrated(pod: Pod, files: ClaimFiles, log: NodeLog): Promise<void> {
  const claim = claimBehind(pod, STATE_VOLUME)
  if (claim === undefined) return
  const path = join(META, MIGRATED)
  await files.write({ namespace: pod.metadata.namespace, claim, path }).catch((err: Error) => {
    log({ level: 'error', msg: `failed to create marker file: ${err.message}` })
  })
}

/** `ls FILE || exit CODE`, as the Job runs it that looks for the marker. */
const LOOK = /^ls (?<file>\/\S+) \|\| exit (?<code>\d+)$/

/** What a pod ends with that looks for a file in a claim; undefined for any other, which runs on. */
export async function lookFor(pod: Pod, files: ClaimFiles): Promise<number | undefined> {
  const [container] = pod.spec.containers
  const args = container?.['args'] as string[] | undefined
  const { file, code } = LOOK.exec(args?.at(-1) ?? '')?.groups ?? {}
  if (file === undefined) return undefined
  const found = mountedAt(pod, file)
  return found && (await files.has(found)) ? 0 : Number(code)
}

interface Mount {
  name: string
  mountPath: string
  subPath?: string
}

function mountedAt(pod: Pod, file: string): ClaimFile | undefined {
  const mounts = (pod.spec.containers[0]?.['volumeMounts'] ?? []) as Mount[]
  const mount = mounts.find(({ mountPath }) => file.startsWith(`${mountPath}/`))
  const claim = mount && claimBehind(pod, mount.name)
  if (!mount || claim === undefined) return undefined
  const path = join(mount.subPath ?? '', file.slice(mount.mountPath.length))
  return { namespace: pod.metadata.namespace, claim, path }
}

function claimBehind(pod: Pod, volume: string): string | undefined {
  const found = pod.spec.volumes?.find(({ name }) => name === volume)
  return (found?.['persistentVolumeClaim'] as { claimName?: string } | undefined)?.claimName
}
