import { isFinal, phaseOf, publishedPorts } from '../kubevirt/migration.ts'
import {
  CHANNEL_PURPOSE,
  type ChannelLabel,
  LABEL_CONTROL,
  LAUNCHER_BASE_DIR,
  migrationPorts,
  proxyKey,
  sourceSocketFile,
} from '../kubevirt/ports.ts'
import type { Subject } from './find.ts'
import { ownState } from './observed.ts'
import { API_VERSION } from './report.ts'

/** The channels of one migration and where each is, as `kubectl mig ports` tells it. */
export interface PortMap {
  apiVersion: typeof API_VERSION
  kind: 'PortMap'
  /** RFC 3339. */
  generatedAt: string
  namespace: string
  vm: string
  migration: { name: string; uid: string } | null
  phase: string
  /** `open` from the target's publishing to the end; then the listeners are gone and the numbers are history. */
  state: 'none' | 'unpublished' | 'open' | 'closed'
  sourceNode: string | null
  targetNode: string | null
  targetAddress: string | null
  ports: PortEntry[]
}

interface PortEntry {
  /** 0, 49152, 49153: a name for the channel, never a TCP port. */
  label: number
  purpose: string
  /** The TCP port on the target's address; null while it is not published. */
  port: number | null
  /** In the source's launcher; the target's launcher has one of the same name. */
  sourceSocket: string | null
}

/** From this migration's own state alone: nothing of an earlier one is shown (design.md §4, "One slot"). */
export function portMapOf({ namespace, name, vmi, migration }: Subject, now: number): PortMap {
  const state = migration ? ownState({ migration, vmi }) : undefined
  const published = publishedPorts(state)
  const expected = [
    LABEL_CONTROL,
    ...migrationPorts(vmi?.status?.migrationMethod === 'BlockMigration'),
  ]
  const ports =
    published.length > 0 ? published : expected.map((label) => ({ label, port: undefined }))
  const over = migration !== undefined && isFinal(migration)
  return {
    apiVersion: API_VERSION,
    kind: 'PortMap',
    generatedAt: new Date(now).toISOString(),
    namespace,
    vm: name,
    migration: migration
      ? { name: migration.metadata.name, uid: migration.metadata.uid ?? '' }
      : null,
    phase: migration ? phaseOf(migration) : '',
    state: !migration ? 'none' : over ? 'closed' : published.length > 0 ? 'open' : 'unpublished',
    sourceNode: state?.sourceNode ?? (over ? null : (vmi?.status?.nodeName ?? null)),
    targetNode: state?.targetNode ?? null,
    targetAddress: state?.targetNodeAddress ?? null,
    // A migration that ended before it had ports never had any.
    ports:
      !migration || (over && published.length === 0)
        ? []
        : ports.map((port) => entry(port, vmi?.metadata.uid)),
  }
}

function entry(
  { label, port }: { label: number; port?: number | undefined },
  vmiUid: string | undefined,
): PortEntry {
  return {
    label,
    purpose: CHANNEL_PURPOSE[label as ChannelLabel] ?? 'unknown',
    port: port ?? null,
    sourceSocket:
      vmiUid === undefined ? null : sourceSocketFile(LAUNCHER_BASE_DIR, proxyKey(vmiUid, label)),
  }
}
