import type { Cluster } from '../cluster/cluster.ts'
import type { Reference } from '../kubevirt/reference.ts'
import type { Migration } from '../kubevirt/types.ts'
import { type Batch, readBatch } from './batch.ts'
import { readClusterView } from './cluster-view.ts'
import { createExplain } from './explain.ts'
import { readSurroundings } from './facts.ts'
import { SLOTS_POLL } from './follow-queue.ts'
import { type Moved, type MoveOptions, moveVm } from './move.ts'
import { firstSight } from './observed.ts'
import { reportOf } from './report.ts'
import { shareReading } from './shared-reading.ts'

export interface MoveAllOptions extends MoveOptions {
  /** How many at once; undefined: all, and the cluster's own limits say how many really move. */
  maxParallel?: number | undefined
  /**
   * The label that chose the VMs. One that is in flight is then followed; with `resume`, one that an earlier run of the
   * same selector has moved stays where it is.
   */
  selection?: { selector: string; resume: boolean } | undefined
}

/**
 * Moves several VMs, each by itself. Results come in the order of the names; a name that is given twice counts once.
 * @throws MigError when a selection's migrations cannot be read
 */
export async function moveAll(
  cluster: Cluster,
  references: Reference[],
  { maxParallel, selection, ...options }: MoveAllOptions,
): Promise<Moved[]> {
  const { clock, signal } = options
  const names = [...new Map(references.map((one) => [one.name, one])).values()]
  const batch = selection && (await readBatch(cluster, { ...selection, now: clock.now() }, options))
  const readAround = () => readSurroundings(cluster, options)
  const one = {
    ...options,
    readView: shareReading(() => readClusterView(cluster, signal), clock, SLOTS_POLL / 2),
    explain: createExplain(cluster, options),
    readSurroundings: shareReading(readAround, clock, SLOTS_POLL / 2),
    annotations: batch?.annotations,
    join: batch !== undefined,
  }
  const moved = await atMost(maxParallel ?? names.length, inOrder(names, batch), async (vm) => {
    const before = batch?.moved.get(vm.name)
    return before && !batch?.inFlight.has(vm.name)
      ? movedBefore(vm.name, before, options)
      : moveVm(cluster, vm, one)
  })
  const byName = new Map(moved.map((result) => [result.vm, result]))
  return names.map(({ name }) => byName.get(name)!)
}

/** Those that hold a place already come first. */
function inOrder(names: Reference[], batch: Batch | undefined): Reference[] {
  if (!batch) return names
  const isFirst = ({ name }: Reference) => batch.inFlight.has(name) || batch.moved.has(name)
  return [...names.filter(isFirst), ...names.filter((name) => !isFirst(name))]
}

function movedBefore(vm: string, migration: Migration, { clock, onStep }: MoveOptions): Moved {
  onStep({ vm, step: { type: 'moved-before', migration }, observed: undefined })
  const report = reportOf(firstSight(migration), clock.now())
  return { vm, report, error: undefined, planned: undefined }
}

/** Works on all, on so many at a time. */
async function atMost<T, R>(
  limit: number,
  items: T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const waiting = items.values()
  const worker = async () => {
    for (const item of waiting) results.push(await work(item))
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  return results
}
