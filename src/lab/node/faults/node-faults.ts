import type { Clock } from '../../../clock.ts'
import { isStatus } from '../../../cluster/api-error.ts'
import type { Cluster } from '../../../cluster/cluster.ts'
import { startInformer } from '../../../cluster/informer.ts'
import { patch } from '../../../cluster/objects.ts'
import { FAULTS, type Fault, type FaultSpec, type FaultType } from '../../faults.ts'
import { keyedQueue } from '../keyed-queue.ts'

/** What is broken on one node. */
export interface NodeFaults {
  /** The fault of that type; of several the first by name. */
  of(type: FaultType): FaultSpec | undefined
  /** From now on it is acted on, and said in its status, what is broken. */
  start(): void
  close(): Promise<void>
}

/**
 * Follows the Fault objects that are about a node. @param act is called after each change, never twice at a time, and again
 * when it could not be done or said
 */
export async function watchFaults(options: {
  cluster: Cluster
  clock: Clock
  node: string
  act(): Promise<void>
  onError(err: unknown): void
}): Promise<NodeFaults> {
  const { cluster, clock, node, act, onError } = options
  const stop = new AbortController()
  let started = false
  const queue = keyedQueue(actAndSay, { clock, onError: (_key, err) => onError(err) })
  const faults = startInformer<Fault>(cluster, FAULTS, {
    clock,
    signal: stop.signal,
    onChange: ({ type, object }) => {
      const isSaid = object.status?.nodes?.[node] !== undefined
      if (started && concerns(object) && (type === 'DELETED' || !isSaid)) queue.add(node)
    },
  })
  await faults.synced

  function concerns({ spec }: Fault): boolean {
    return spec.node === undefined || spec.node === node
  }

  function here(): Fault[] {
    const own = faults.list().filter(concerns)
    return own.sort((a, b) => a.metadata.name.localeCompare(b.metadata.name))
  }

  async function actAndSay(): Promise<void> {
    await act()
    const unsaid = here().filter(({ status }) => status?.nodes?.[node] === undefined)
    await Promise.all(unsaid.map(({ metadata: { name } }) => say(name)))
  }

  async function say(name: string): Promise<void> {
    const status = { nodes: { [node]: 'Broken' } }
    await patch(cluster, FAULTS, { name, subresource: 'status' }, { status }, 'merge').catch(
      (err) => {
        if (!isStatus(err, 404)) throw err
      },
    )
  }

  return {
    of: (type) => here().find(({ spec }) => spec.type === type)?.spec,
    start() {
      started = true
      if (here().length > 0) queue.add(node)
    },
    async close() {
      stop.abort()
      await faults.close()
      await queue.close()
    },
  }
}
