import type { Cluster } from '../cluster/cluster.ts'
import type { Reference } from '../kubevirt/reference.ts'
import { createChannel } from './channel.ts'
import { type Moved, type MoveOptions, type Moving, moveVm } from './move.ts'

/**
 * Moves several VMs at once, each by itself; the cluster's own limits say how many really move. Steps come as they
 * happen, results in the order of the names. A name that is given twice counts once.
 */
export async function* moveAll(
  cluster: Cluster,
  references: Reference[],
  options: MoveOptions,
): AsyncGenerator<Moving, Moved[], undefined> {
  const distinct = [...new Map(references.map((reference) => [reference.name, reference])).values()]
  const steps = createChannel<Moving>()
  const moves = Promise.all(
    distinct.map(async (reference) => {
      const moving = moveVm(cluster, reference, options)
      for (;;) {
        const next = await moving.next()
        if (next.done) return next.value
        steps.push(next.value)
      }
    }),
  )
  moves.then(
    () => steps.close(),
    (err) => steps.fail(err),
  )
  yield* steps
  return moves
}
