import type { Clock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { getIfExists } from '../cluster/objects.ts'
import { watch } from '../cluster/watch.ts'
import { MigError } from '../errors.ts'
import { isFinal, phaseOf } from '../kubevirt/migration.ts'
import { MIGRATIONS, VMIS } from '../kubevirt/resources.ts'
import type { Migration, Vmi } from '../kubevirt/types.ts'
import { createChannel } from './channel.ts'
import { follow } from './follow.ts'
import { inOrder, isShown, type ListOptions } from './list.ts'
import { firstSight, type Observed, observe } from './observed.ts'
import { type Step, stepsBetween } from './steps.ts'

export interface ListChange {
  /** `listed`: the first look is complete. */
  step: Step | { type: 'listed' } | { type: 'created'; migration: Migration }
  /** The migration it is about; undefined for what is about all. */
  observed: Observed | undefined
  /** All that are shown now. */
  migrations: Observed[]
}

type Input =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: Migration }
  | { type: 'vmi'; uid: string; vmi: Vmi }
  | { type: 'followed'; step: Step; observed: Observed }
  | { type: 'notice'; step: ListChange['step'] }

/** A cancelled migration's object vanishes; it is shown a while longer. ms. */
const AFTERGLOW = 60_000

/**
 * Watches all migrations of a namespace or a cluster, for ever. Those that hold a slot are followed closely, and there are
 * never many; of those that wait only the phase is watched.
 */
export async function* watchMigrations(
  cluster: Cluster,
  options: ListOptions,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): AsyncGenerator<ListChange, void, undefined> {
  const stop = new AbortController()
  const until = AbortSignal.any([signal, stop.signal])
  const inputs = createChannel<Input>()
  const shown = new Map<string, { observed: Observed; goneAt: number | undefined }>()
  const followed = new Set<string>()
  const tasks: Promise<void>[] = []
  const run = (task: Promise<void>) => tasks.push(task.catch((err) => inputs.fail(err)))

  const all = () => {
    for (const [uid, { goneAt }] of shown)
      if (goneAt !== undefined && clock.now() - goneAt > AFTERGLOW) shown.delete(uid)
    return [...shown.values()]
      .map(({ observed }) => observed)
      .sort((a, b) => inOrder(a.migration, b.migration))
  }
  const change = (step: ListChange['step'], observed?: Observed): ListChange => {
    if (observed) {
      const goneAt = observed.gone ? clock.now() : undefined
      shown.set(observed.migration.metadata.uid ?? '', { observed, goneAt })
    }
    return { step, observed, migrations: all() }
  }
  const watchAll = async () => {
    const notice = (step: Step) => inputs.push({ type: 'notice', step })
    const following = {
      ...options,
      signal: until,
      clock,
      onLost: ({ message }: Error) => notice({ type: 'lost', message }),
      onRegained: () => notice({ type: 'regained' }),
    }
    let listed = false
    for await (const event of watch<Migration>(cluster, MIGRATIONS, following)) {
      if (event.type !== 'SYNC') inputs.push(event)
      else if (!listed) inputs.push({ type: 'notice', step: { type: 'listed' } })
      listed ||= event.type === 'SYNC'
    }
  }
  const findVmi = async ({ metadata: { namespace, uid = '' }, spec }: Migration) => {
    const at = { namespace, name: spec.vmiName ?? '' }
    const vmi = await getIfExists<Vmi>(cluster, VMIS, at, { signal: until }).catch(unlessDefect)
    if (vmi) inputs.push({ type: 'vmi', uid, vmi })
  }
  const followClosely = async (first: Observed) => {
    try {
      for await (const { step, observed } of follow(cluster, first, { clock, signal: until }))
        inputs.push({ type: 'followed', step, observed })
    } catch (err) {
      unlessDefect(err)
    }
  }

  const interrupt = () => inputs.fail(signal.reason)
  if (signal.aborted) interrupt()
  signal.addEventListener('abort', interrupt, { once: true })
  run(watchAll())
  try {
    for await (const input of inputs) {
      if (input.type === 'notice') {
        yield change(input.step)
        continue
      }
      if (input.type === 'followed') {
        // The connection is one; the list's own watch tells of it.
        if (!['lost', 'regained'].includes(input.step.type))
          yield change(input.step, input.observed)
        continue
      }
      const uid = input.type === 'vmi' ? input.uid : (input.object.metadata.uid ?? '')
      const before = shown.get(uid)?.observed
      if (input.type === 'vmi') {
        if (before && !followed.has(uid))
          shown.set(uid, { observed: { ...before, vmi: input.vmi }, goneAt: undefined })
        continue
      }
      const migration = input.object
      if (followed.has(uid) && !isFinal(before?.migration ?? migration)) continue
      if (!before) {
        if (!isShown(migration, options, clock.now()) || input.type === 'DELETED') continue
        if (!isFinal(migration)) run(findVmi(migration))
        yield change({ type: 'created', migration }, firstSight(migration))
      } else {
        const deleted = input.type === 'DELETED'
        const observed = observe(
          before,
          { kind: 'migration', object: migration, deleted },
          clock.now(),
        )
        for (const step of stepsBetween(before, observed)) yield change(step, observed)
        shown.set(uid, { observed, goneAt: deleted ? clock.now() : undefined })
      }
      if (
        !followed.has(uid) &&
        !isFinal(migration) &&
        !['', 'Pending'].includes(phaseOf(migration))
      ) {
        followed.add(uid)
        run(followClosely(shown.get(uid)!.observed))
      }
    }
  } finally {
    signal.removeEventListener('abort', interrupt)
    stop.abort()
    inputs.close()
    await Promise.all(tasks)
  }
}

/** What can't be read is left out of the list; a defect is not passed over. */
function unlessDefect(err: unknown): undefined {
  if (!(err instanceof MigError) && !(err instanceof DOMException)) throw err
}
