import type { Clock } from '../clock.ts'
import { isStatus } from '../cluster/api-error.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { readHandlerMetrics } from '../cluster/handler-metrics.ts'
import { list } from '../cluster/objects.ts'
import { MigError } from '../errors.ts'
import { HANDLER_SELECTOR } from '../kubevirt/metrics.ts'
import { timeOf } from '../kubevirt/migration.ts'
import { PODS } from '../kubevirt/resources.ts'
import type { Pod } from '../kubevirt/types.ts'
import { type Observed, ownState } from './observed.ts'
import {
  type CopyOf,
  type CopyProgress,
  type FinishedCopy,
  finishedCopyOf,
  progressOf,
  withRate,
} from './progress.ts'

export interface CopyFollowing {
  clock: Clock
  signal: AbortSignal
  onProgress(progress: CopyProgress): void
}

/** Never more often than this, and never more than a tenth of the time: a scrape asks every launcher of the node. ms. */
const POLL = 1000
const SHARE = 10

/**
 * Reads the copy's progress from the source node's virt-handler until the signal ends it.
 * @throws MigError when that is not permitted or there is nothing to read from
 */
export async function followCopy(
  cluster: Cluster,
  observed: Observed,
  { clock, signal, onProgress }: CopyFollowing,
): Promise<void> {
  const of = copyOf(observed)
  let before: CopyProgress | undefined
  let handler: Handler | undefined
  while (!signal.aborted) {
    const began = clock.now()
    try {
      handler ??= await handlerOn(cluster, ownState(observed)?.sourceNode, signal)
      const text = await readHandlerMetrics(cluster, handler, signal)
      const progress = progressOf(text, of, clock.now())
      if (progress && progress.at !== before?.at) {
        onProgress(withRate(progress, before))
        before = progress
      }
    } catch (err) {
      if (signal.aborted) return
      if (isStatus(err, 403) || !(err instanceof MigError)) throw err
      // A handler that restarts comes back under another name.
      handler = undefined
    }
    await clock.sleep(Math.max(POLL, (clock.now() - began) * SHARE), signal).catch(() => undefined)
  }
}

/** One look at a running copy; undefined when its node has nothing to tell of it. */
export async function readProgress(
  cluster: Cluster,
  observed: Observed,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<CopyProgress | undefined> {
  const handler = await handlerOn(cluster, ownState(observed)?.sourceNode, signal)
  const text = await readHandlerMetrics(cluster, handler, signal)
  return progressOf(text, copyOf(observed), clock.now())
}

/** What is left to read of a copy that has ended; undefined wherever it is not to be had. */
export async function readFinishedCopy(
  cluster: Cluster,
  observed: Observed,
  signal: AbortSignal,
): Promise<FinishedCopy | undefined> {
  try {
    const handler = await handlerOn(cluster, ownState(observed)?.sourceNode, signal)
    return finishedCopyOf(await readHandlerMetrics(cluster, handler, signal), copyOf(observed))
  } catch (err) {
    if (err instanceof MigError || signal.aborted) return undefined
    throw err
  }
}

function copyOf(observed: Observed): CopyOf {
  const { namespace = '', uid = '' } = observed.migration.metadata
  return {
    namespace,
    vmi: observed.migration.spec.vmiName ?? '',
    migrationUid: uid,
    startedAt: timeOf(ownState(observed)?.startTimestamp),
  }
}

interface Handler {
  namespace: string
  pod: string
}

/** Wherever KubeVirt is installed: the handler's label finds it. */
async function handlerOn(
  cluster: Cluster,
  node: string | undefined,
  signal: AbortSignal,
): Promise<Handler> {
  const { items } = await list<Pod>(cluster, PODS, {
    labelSelector: HANDLER_SELECTOR,
    fieldSelector: `spec.nodeName=${node ?? ''}`,
    signal,
  })
  const pod = items.find(({ status }) => status?.phase === 'Running') ?? items[0]
  if (!pod) throw new MigError(1, `no virt-handler runs on node "${node ?? ''}"`)
  return { namespace: pod.metadata.namespace ?? '', pod: pod.metadata.name }
}
