import { isStatus } from '../cluster/api-error.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { MigError } from '../errors.ts'
import { isFinal, phaseOf, stateOf, timeOf } from '../kubevirt/migration.ts'
import type { Migration, Vmi } from '../kubevirt/types.ts'
import {
  type ClusterView,
  limitsOf,
  outboundMigrations,
  runningMigrations,
} from '../rules/capacity.ts'
import { priorityOf } from '../rules/queue.ts'
import { byNumber } from './by-number.ts'
import { readClusterView } from './cluster-view.ts'
import { inOrder } from './list.ts'
import type { Look } from './look.ts'
import { API_VERSION } from './report.ts'
import { waitingFor } from './waiting.ts'

/**
 * All that holds a slot and all that waits for one, as `kubectl mig queue` tells it (schema/queue-report.json). There are
 * no positions: KubeVirt promises no order among those that compete.
 */
export interface QueueReport {
  apiVersion: typeof API_VERSION
  kind: 'QueueReport'
  /** RFC 3339. */
  generatedAt: string
  /** Whose migrations are shown; null for all namespaces. The limits count all of them anyway. */
  namespace: string | null
  /** The cluster's first, then that of each node that something leaves or is to leave. */
  limits: LimitReport[]
  running: QueueEntry[]
  /** The highest priority first, then by name: that says nothing of who goes first among equals. */
  waiting: WaitingEntry[]
}

export interface LimitReport {
  limit: 'cluster' | 'node'
  node: string | null
  used: number
  of: number
  by: Holder[]
}

interface Holder {
  namespace: string
  vm: string
  migration: string
}

export interface QueueEntry extends Holder {
  /** "" before a controller has looked. */
  phase: string
  /** From creation to now. */
  forSeconds: number | null
  sourceNode: string | null
  /** As KubeVirt names it; null for what a person started. */
  priority: string | null
}

export interface WaitingEntry extends QueueEntry {
  /** The limit that holds it; null when a slot is free for it, or something else holds it. */
  limit: 'cluster' | 'node' | null
  /** A condition of the migration that holds it, whatever the limits say. */
  blocked: { type: string; message: string } | null
  /** These go first whenever both find a free slot. */
  above: number
  /** Any of these may go first. */
  competing: number
}

/** @throws MigError when migrations of all namespaces may not be read: the limits count them (8) */
export async function readQueue(
  cluster: Cluster,
  { namespace }: { namespace: string | undefined },
  { clock, signal }: Look,
): Promise<QueueReport> {
  const view = await readClusterView(cluster, signal).catch((err) => {
    throw isStatus(err, 403) ? unseen(err) : err
  })
  return queueOf(view, namespace, clock.now())
}

/** Whoever asks for one namespace may wonder why others must be seen. */
function unseen({ exit, message, hint }: MigError): MigError {
  const why = `${message}; the limits count the migrations of all namespaces`
  return new MigError(exit, why, hint === undefined ? {} : { hint })
}

/** By the same rules as KubeVirt's controller counts. */
export function queueOf(
  view: ClusterView,
  namespace: string | undefined,
  now: number,
): QueueReport {
  const running = runningMigrations(view)
  const holding = new Set(running)
  const vmis = new Map(view.vmis.map((vmi) => [keyOf(vmi.metadata), vmi]))
  const vmiOf = ({ metadata, spec }: Migration) =>
    vmis.get(keyOf({ namespace: metadata.namespace, name: spec.vmiName ?? '' }))
  const waiting = view.migrations.filter(
    (migration) => !holding.has(migration) && isWaitingForSlot(migration),
  )
  const isShown = ({ metadata }: Migration) =>
    namespace === undefined || metadata.namespace === namespace
  return {
    apiVersion: API_VERSION,
    kind: 'QueueReport',
    generatedAt: new Date(now).toISOString(),
    namespace: namespace ?? null,
    limits: limitReports(view, running, [...running, ...waiting].map(vmiOf)),
    running: running
      .filter(isShown)
      .sort(inOrder)
      .map((migration) => entryOf(migration, vmiOf(migration), now)),
    waiting: waiting
      .filter(isShown)
      .sort((a, b) => priorityOf(b) - priorityOf(a) || inOrder(a, b))
      .map((migration) => waitingEntry(view, migration, vmiOf(migration), now)),
  }
}

function limitReports(
  view: ClusterView,
  running: Migration[],
  vmis: (Vmi | undefined)[],
): LimitReport[] {
  const { cluster, outbound } = limitsOf(view.kubevirt)
  // One that is on its target already counts on where it came from.
  const places = vmis.flatMap((vmi) => [
    vmi?.status?.nodeName ?? '',
    vmi?.status?.migrationState?.sourceNode ?? '',
  ])
  const nodes = [...new Set(places)].filter((node) => node !== '')
  const perNode = nodes.sort(byNumber).map((node) => {
    return limit('node', node, outboundMigrations(view, running, node), outbound)
  })
  const isLeft = ({ node, used }: LimitReport) =>
    used > 0 || vmis.some((vmi) => vmi?.status?.nodeName === node)
  return [limit('cluster', undefined, running, cluster), ...perNode.filter(isLeft)]
}

function limit(
  kind: LimitReport['limit'],
  node: string | undefined,
  by: Migration[],
  of: number,
): LimitReport {
  const holders = [...by].sort(inOrder).map(holderOf)
  return { limit: kind, node: node ?? null, used: by.length, of, by: holders }
}

function entryOf(migration: Migration, vmi: Vmi | undefined, now: number): QueueEntry {
  const created = timeOf(migration.metadata.creationTimestamp)
  return {
    ...holderOf(migration),
    phase: phaseOf(migration),
    forSeconds: created === undefined ? null : Math.max(0, Math.round(now - created)) / 1000,
    sourceNode: stateOf(migration, vmi)?.sourceNode ?? vmi?.status?.nodeName ?? null,
    priority: migration.spec.priority ?? null,
  }
}

function waitingEntry(
  view: ClusterView,
  migration: Migration,
  vmi: Vmi | undefined,
  now: number,
): WaitingEntry {
  const waiting = waitingFor(view, migration, vmi)
  const block = migration.status?.conditions?.find(
    ({ type, status }) => status === 'True' && BLOCKING.includes(type),
  )
  return {
    ...entryOf(migration, vmi, now),
    limit: waiting.admit ? null : waiting.limit,
    blocked: block ? { type: block.type, message: block.message ?? '' } : null,
    above: waiting.standing.above.length,
    competing: waiting.standing.competing.length,
  }
}

function holderOf({ metadata, spec }: Migration): Holder {
  return {
    namespace: metadata.namespace ?? '',
    vm: spec.vmiName ?? '',
    migration: metadata.name,
  }
}

function isWaitingForSlot(migration: Migration): boolean {
  return !isFinal(migration) && ['', 'Pending'].includes(phaseOf(migration))
}

/** Conditions that hold a migration in Pending (fact sheet control-plane.md §1.3). */
const BLOCKING = [
  'migrationRejectedByResourceQuota',
  'migrationBlockedByUtilityVolumes',
  'migrationBlockedByBackup',
  'decentralizedMigrationBlocked',
]

function keyOf({ namespace = '', name }: { namespace?: string | undefined; name: string }): string {
  return `${namespace}/${name}`
}
