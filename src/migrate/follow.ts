import type { Clock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { ClusterView } from '../rules/capacity.ts'
import { createChannel } from './channel.ts'
import { readClusterView } from './cluster-view.ts'
import { readFinishedCopy } from './copy-metrics.ts'
import { type Observed, observe, ownState } from './observed.ts'
import { type Input, startSources } from './sources.ts'
import { type Step, stepsBetween } from './steps.ts'
import { failureOf, outcomeOf } from './timeline.ts'

export interface FollowOptions {
  clock: Clock
  /** Ends it; the migration itself goes on. The generator then throws the signal's reason. */
  signal?: AbortSignal | undefined
  /** What the limits count, shared where several are followed; default: read for this one alone. */
  readView?: () => Promise<ClusterView>
}

/** A step, and all that is known after it. */
export interface Following {
  step: Step
  observed: Observed
}

/** How long the rest may take to come after the end: the VMI and events arrive by other watches. ms. */
const GRACE = 2000

/**
 * Follows one migration to its end, by watches of the migration, its VMI, its target pod and their events, and by
 * virt-handler's metrics while the copy runs. Lost watches are resumed. Pods, events and metrics are optional: what
 * is not permitted is told once as a gap. The last step is `end`.
 */
export async function* follow(
  cluster: Cluster,
  first: Observed,
  { clock, signal, readView }: FollowOptions,
): AsyncGenerator<Following, void, undefined> {
  const stop = new AbortController()
  const until = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  const inputs = createChannel<Input>()
  const interrupt = () => inputs.fail(signal?.reason)
  if (signal?.aborted) interrupt()
  signal?.addEventListener('abort', interrupt, { once: true })
  const sources = startSources(cluster, first, inputs, {
    clock,
    signal: until,
    readView: readView ?? (() => readClusterView(cluster, until)),
  })
  let observed = first
  try {
    for await (const input of inputs) {
      if (input.kind === 'late') continue
      const before = observed
      if (input.kind !== 'notice') observed = observe(before, input, clock.now())
      sources.advance(observed)
      const steps = input.kind === 'notice' ? [input.step] : stepsBetween(before, observed)
      const ended = steps.at(-1)?.type === 'end'
      for (const step of ended ? steps.slice(0, -1) : steps) yield { step, observed }
      if (!ended) continue
      for await (const { step, observed: later } of settle(observed)) {
        observed = later
        if (step) yield { step, observed }
      }
      yield { step: { type: 'end', outcome: outcomeOf(observed) }, observed }
      return
    }
  } finally {
    signal?.removeEventListener('abort', interrupt)
    stop.abort()
    inputs.close()
    await sources.done()
  }

  /** Waits for what still comes after the end, not longer than the grace. */
  async function* settle(ended: Observed): AsyncGenerator<{ step?: Step; observed: Observed }> {
    let now = ended
    if (!isComplete(now)) {
      clock.sleep(GRACE, until).then(
        () => inputs.push({ kind: 'late' }),
        () => undefined,
      )
      for await (const input of inputs) {
        if (input.kind === 'late') break
        const before = now
        if (input.kind !== 'notice') now = observe(before, input, clock.now())
        for (const step of stepsBetween(before, now)) yield { step, observed: now }
        if (isComplete(now)) break
      }
    }
    const finished = await readFinishedCopy(cluster, now, until)
    yield { observed: finished ? { ...now, finished } : now }
  }
}

/** Whether all is here that is told of the end. */
function isComplete(observed: Observed): boolean {
  switch (outcomeOf(observed)) {
    case 'succeeded':
      return ownState(observed)?.endTimestamp !== undefined
    case 'failed':
      return failureOf(observed) !== undefined
    case 'unknown':
      // The VMI may still tell it.
      return false
    default:
      return true
  }
}
