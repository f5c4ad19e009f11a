import type { CopySettings } from '../guest.ts'
import type { Qmp } from './qmp.ts'

/**
 * Sets up one side of a migration. Both sides must agree, and each is told all, for it remembers an earlier one.
 * @throws VirError what QEMU can't do
 */
export async function configure(
  qmp: Qmp,
  side: 'source' | 'target',
  settings: CopySettings,
  withDisk: boolean,
): Promise<void> {
  const possible = { ...settings, connections: connectionsOf(settings, qmp.version) }
  await qmp.execute('migrate-set-capabilities', {
    capabilities: capabilities(side, possible, withDisk),
  })
  await qmp.execute('migrate-set-parameters', parameters(possible))
}

/** Before 10.1 a target that gets several connections and post-copy crashes; KubeVirt left them out then (§3.5). */
export function connectionsOf(
  { postCopy, connections }: CopySettings,
  [major, minor]: Qmp['version'],
): number {
  const both = major > 10 || (major === 10 && minor >= 1)
  return postCopy && !both ? 0 : connections
}

function capabilities(
  side: 'source' | 'target',
  { autoConverge, postCopy, connections }: CopySettings,
  withDisk: boolean,
): { capability: string; state: boolean }[] {
  return Object.entries({
    events: true,
    // The source is complete only when the target says that it is.
    'return-path': true,
    'auto-converge': autoConverge,
    'postcopy-ram': postCopy,
    multifd: connections > 0,
    'pause-before-switchover': side === 'source' && withDisk,
    // Who holds a disk's image is decided when the guest goes on, not when it has arrived.
    'late-block-activate': side === 'target',
  }).map(([capability, state]) => ({ capability, state }))
}

/** More than any link; without a number QEMU takes 128 MiB/s. */
const NO_LIMIT = 2 ** 50

function parameters({ bandwidth, maxDowntimeMs, connections }: CopySettings): object {
  return {
    'max-bandwidth': bandwidth > 0 ? bandwidth : NO_LIMIT,
    'downtime-limit': maxDowntimeMs,
    ...(connections > 0 && { 'multifd-channels': connections }),
  }
}
