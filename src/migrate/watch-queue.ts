import type { Cluster } from '../cluster/cluster.ts'
import { watch } from '../cluster/watch.ts'
import { MigError } from '../errors.ts'
import { MIGRATIONS } from '../kubevirt/resources.ts'
import { type Channel, createChannel } from './channel.ts'
import { SLOTS_POLL } from './follow-queue.ts'
import type { Look } from './look.ts'
import { type QueueEntry, type QueueReport, readQueue, type WaitingEntry } from './queue.ts'

export type QueueStep =
  /** It has a slot, which it had not when last looked at. */
  | { type: 'running'; entry: QueueEntry }
  /** It waits, or is held by something else than before. */
  | { type: 'waiting'; entry: WaitingEntry }
  /** It has ended, or is gone. */
  | { type: 'left'; entry: QueueEntry }

export type QueueChange =
  /** Something in it is another, be it only how many compete; no steps in the first, of which all is new. */
  | { type: 'read'; steps: QueueStep[]; queue: QueueReport }
  /** Of the connection. */
  | { type: 'lost'; message: string }
  | { type: 'regained' }

/** The least between two looks, each of which reads all that the limits count. ms. */
const PAUSE = 500

/**
 * Looks at the queue whenever a migration changes, and every few seconds for what pods and VMIs change; tells of it when
 * it is another. For ever: lost watches are resumed.
 * @throws MigError when migrations of all namespaces may not be read or watched (8), or nothing answers at first (1)
 */
export async function* watchQueue(
  cluster: Cluster,
  { namespace }: { namespace: string | undefined },
  { clock, signal }: Look,
): AsyncGenerator<QueueChange, void, undefined> {
  const stop = new AbortController()
  const look = { clock, signal: AbortSignal.any([signal, stop.signal]) }
  let queue = await readQueue(cluster, { namespace }, look)
  yield { type: 'read', steps: [], queue }

  const inputs = createChannel<Input>()
  const interrupt = () => inputs.fail(signal.reason)
  if (signal.aborted) interrupt()
  signal.addEventListener('abort', interrupt, { once: true })
  const run = (task: Promise<void>) => task.catch((err) => inputs.fail(err))
  const tasks = [run(watchChanges(cluster, inputs, look)), run(tick(inputs, look))]
  let stale = false
  try {
    for await (const input of inputs) {
      if (input !== 'look' && input !== 'change') yield input
      // Of many changes at once, one look tells.
      else if (input === 'change' && !stale) {
        stale = true
        run(
          clock.sleep(PAUSE, look.signal).then(
            () => inputs.push('look'),
            () => undefined,
          ),
        )
      } else if (input === 'look') {
        stale = false
        const [before, next] = [queue, await readAgain()]
        if (!next || isSame(before, next)) continue
        queue = next
        yield { type: 'read', steps: stepsOf(before, queue), queue }
      }
    }
  } finally {
    signal.removeEventListener('abort', interrupt)
    stop.abort()
    inputs.close()
    await Promise.all(tasks)
  }

  /** Undefined while the connection is lost: the watch tells of that. */
  async function readAgain(): Promise<QueueReport | undefined> {
    try {
      return await readQueue(cluster, { namespace }, look)
    } catch (err) {
      if (signal.aborted || !(err instanceof MigError)) throw err
      return undefined
    }
  }
}

type Input = 'look' | 'change' | Exclude<QueueChange, { type: 'read' }>

/** All migrations, whichever are shown: the limits count them. */
async function watchChanges(
  cluster: Cluster,
  inputs: Channel<Input>,
  { clock, signal }: Look,
): Promise<void> {
  const events = watch(cluster, MIGRATIONS, {
    clock,
    signal,
    onLost: ({ message }) => inputs.push({ type: 'lost', message }),
    onRegained: () => inputs.push({ type: 'regained' }),
  })
  for await (const _ of events) inputs.push('change')
}

async function tick(inputs: Channel<Input>, { clock, signal }: Look): Promise<void> {
  const pause = () => clock.sleep(SLOTS_POLL, signal).catch(() => undefined)
  for (await pause(); !signal.aborted; await pause()) inputs.push('look')
}

function stepsOf(before: QueueReport, after: QueueReport): QueueStep[] {
  const ran = new Map(before.running.map((entry) => [keyOf(entry), entry]))
  const waited = new Map(before.waiting.map((entry) => [keyOf(entry), entry]))
  const there = new Set([...after.running, ...after.waiting].map(keyOf))
  const left = [...before.running, ...before.waiting].filter((entry) => !there.has(keyOf(entry)))
  return [
    ...left.map((entry) => ({ type: 'left' as const, entry })),
    ...after.running
      .filter((entry) => ran.get(keyOf(entry))?.phase !== entry.phase)
      .map((entry) => ({ type: 'running' as const, entry })),
    ...after.waiting
      .filter((entry) => standingOf(waited.get(keyOf(entry))) !== standingOf(entry))
      .map((entry) => ({ type: 'waiting' as const, entry })),
  ]
}

/** How many compete with it changes whenever another comes or goes: that is told of the other. */
function standingOf(entry: WaitingEntry | undefined): string {
  return entry ? JSON.stringify([entry.limit, entry.blocked]) : ''
}

/** But for the time that has gone by. */
function isSame(before: QueueReport, after: QueueReport): boolean {
  return untimed(before) === untimed(after)
}

function untimed(queue: QueueReport): string {
  return JSON.stringify(queue, (key, value) => (TIMES.includes(key) ? undefined : value))
}

const TIMES = ['generatedAt', 'forSeconds']

function keyOf({ namespace, migration }: QueueEntry): string {
  return `${namespace}/${migration}`
}
