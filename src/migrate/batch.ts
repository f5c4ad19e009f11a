import type { Cluster } from '../cluster/cluster.ts'
import { pages } from '../cluster/objects.ts'
import { isFinal, phaseOf } from '../kubevirt/migration.ts'
import { MIGRATIONS } from '../kubevirt/resources.ts'
import type { Migration } from '../kubevirt/types.ts'
import type { Lookup } from './find.ts'

/**
 * The VMs of a label, moved as one undertaking. That it is one stands in annotations of its migrations, so that anybody
 * can go on with it from anywhere.
 */
export interface Batch {
  annotations: Record<string, string>
  /** By VM: what this undertaking has moved already. */
  moved: ReadonlyMap<string, Migration>
  /** VMs with a migration in flight, whoever wanted it. */
  inFlight: ReadonlySet<string>
}

const SELECTOR = 'kubectl-mig.io/selector'
const BATCH = 'kubectl-mig.io/batch'

/**
 * Begins one, or goes on with the latest of the same selector. Where there is none to go on with, it begins.
 * @param now ms since the epoch
 */
export async function readBatch(
  cluster: Cluster,
  { selector, resume, now }: { selector: string; resume: boolean; now: number },
  { namespace, signal }: Lookup,
): Promise<Batch> {
  const inFlight = new Set<string>()
  const mine: Migration[] = []
  for await (const { items } of pages<Migration>(cluster, MIGRATIONS, { namespace, signal })) {
    for (const migration of items) if (!isFinal(migration)) inFlight.add(vmOf(migration))
    mine.push(...items.filter(({ metadata }) => metadata.annotations?.[SELECTOR] === selector))
  }
  const latest = resume ? mine.map(batchOf).sort().at(-1) : undefined
  const moved = mine.filter(
    (migration) => batchOf(migration) === latest && phaseOf(migration) === 'Succeeded',
  )
  return {
    annotations: { [SELECTOR]: selector, [BATCH]: latest ?? new Date(now).toISOString() },
    moved: new Map(moved.map((migration) => [vmOf(migration), migration])),
    inFlight,
  }
}

function vmOf({ spec }: Migration): string {
  return spec.vmiName ?? ''
}

/** When it began: the latest is the greatest. */
function batchOf({ metadata }: Migration): string {
  return metadata.annotations?.[BATCH] ?? ''
}
