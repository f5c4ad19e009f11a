import { isStatus } from '../cluster/api-error.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { getIfExists } from '../cluster/objects.ts'
import { watch } from '../cluster/watch.ts'
import { MigError } from '../errors.ts'
import { isFinal, phaseOf } from '../kubevirt/migration.ts'
import { MIGRATIONS, VMIS } from '../kubevirt/resources.ts'
import type { Migration, Vmi } from '../kubevirt/types.ts'
import type { ClusterView } from '../rules/capacity.ts'
import { type Channel, createChannel } from './channel.ts'
import { readClusterView } from './cluster-view.ts'
import { follow } from './follow.ts'
import { SLOTS_POLL } from './follow-queue.ts'
import { isShown, type ListOptions } from './list.ts'
import type { Look } from './look.ts'
import { firstSight, type Observed, observe } from './observed.ts'
import { createRoster } from './roster.ts'
import { selectorError } from './selector-error.ts'
import { type Step, stepsBetween } from './steps.ts'
import { isWaiting, waitingFor } from './waiting.ts'

export interface ListChange {
  /** `listed`: the first look is complete. */
  step:
    | Step
    | { type: 'listed' }
    | { type: 'created'; migration: Migration }
    /** Its object is gone. */
    | { type: 'removed' }
  /** The migration it is about; undefined for what is about all. */
  observed: Observed | undefined
  /** All that are shown at the moment of the call. */
  migrations(): Observed[]
}

type Input =
  | { kind: 'migration'; object: Migration; deleted: boolean }
  | { kind: 'vmi'; uid: string; object: Vmi }
  | { kind: 'waiting'; view: ClusterView }
  /** The first list is complete, but for where the VMs run. */
  | { kind: 'synced' }
  /** Heard by following one closely, or of the watch itself. */
  | { kind: 'told'; step: ListChange['step']; observed?: Observed }

/**
 * Watches all migrations of a namespace or a cluster, for ever. Those that hold a slot are followed closely, and there are
 * never many; of those that wait, only the phase is watched.
 */
export async function* watchMigrations(
  cluster: Cluster,
  options: ListOptions,
  { clock, signal }: Look,
): AsyncGenerator<ListChange, void, undefined> {
  const stop = new AbortController()
  const look: Look = { clock, signal: AbortSignal.any([signal, stop.signal]) }
  const inputs = createChannel<Input>()
  const roster = createRoster(clock.now, (migration) => isShown(migration, options, clock.now()))
  const followed = new Set<string>()
  const lookups: Promise<Observed>[] = []
  const tasks: Promise<void>[] = []
  const run = (task: Promise<void>) => tasks.push(task.catch((err) => inputs.fail(err)))
  const interrupt = () => inputs.fail(signal.reason)

  /** What a migration's object says; of one that is followed closely that is heard there. */
  function* hear({ object, deleted }: Extract<Input, { kind: 'migration' }>) {
    const { uid = '' } = object.metadata
    const before = roster.get(uid)
    if (before && followed.has(uid) && !isFinal(before.migration)) return
    if (!before) {
      if (deleted || !isShown(object, options, clock.now())) return
      const observed = firstSight(object)
      roster.put(observed)
      yield { step: { type: 'created' as const, migration: object }, observed }
    } else {
      // Of one that had ended, a list that lacks it tells only that.
      const last = deleted && isFinal(before.migration) ? before.migration : object
      const seen = { kind: 'migration' as const, object: last, deleted }
      const observed = observe(before, seen, clock.now())
      roster.put(observed)
      for (const step of stepsBetween(before, observed)) yield { step, observed }
      if (deleted) yield { step: { type: 'removed' as const }, observed }
    }
    const closely = holdsSlot(object) && !followed.has(uid)
    if (closely) followed.add(uid)
    if (isFinal(object) || (before && !closely)) return
    const found = withVmi(cluster, roster.get(uid)!, inputs, look)
    lookups.push(found)
    run(found.then((first) => (closely ? followClosely(cluster, first, inputs, look) : undefined)))
  }

  /** Which limits hold those that wait. */
  function* compare(view: ClusterView) {
    for (const before of roster.all().filter(isWaiting)) {
      const waiting = waitingFor(view, before.migration, before.vmi)
      const observed = observe(before, { kind: 'waiting', waiting }, clock.now())
      roster.put(observed)
      for (const step of stepsBetween(before, observed)) yield { step, observed }
    }
  }

  if (signal.aborted) interrupt()
  signal.addEventListener('abort', interrupt, { once: true })
  run(watchObjects(cluster, options, inputs, look))
  run(watchSlots(cluster, () => roster.all().some(isWaiting), inputs, look))
  try {
    for await (const input of inputs) {
      if (input.kind === 'vmi') {
        const { uid, object } = input
        const known = roster.get(uid)
        if (known) roster.put(observe(known, { kind: 'vmi', object, deleted: false }, clock.now()))
      } else if (input.kind === 'synced') {
        const listed = { kind: 'told' as const, step: { type: 'listed' as const } }
        run(Promise.all(lookups).then(() => inputs.push(listed)))
      } else if (input.kind === 'waiting') {
        for (const told of compare(input.view)) yield { ...told, migrations: roster.all }
      } else if (input.kind === 'told') {
        const { step, observed } = input
        if (observed) roster.put(observed)
        yield { step, observed, migrations: roster.all }
      } else {
        for (const told of hear(input)) yield { ...told, migrations: roster.all }
      }
    }
  } finally {
    signal.removeEventListener('abort', interrupt)
    stop.abort()
    inputs.close()
    await Promise.all(tasks)
  }
}

async function watchObjects(
  cluster: Cluster,
  { namespace, labelSelector }: ListOptions,
  inputs: Channel<Input>,
  { clock, signal }: Look,
): Promise<void> {
  const tell = (step: ListChange['step']) => inputs.push({ kind: 'told', step })
  const events = watch<Migration>(cluster, MIGRATIONS, {
    namespace,
    labelSelector,
    signal,
    clock,
    remember: (migration) => (isFinal(migration) ? outline(migration) : migration),
    onLost: ({ message }) => tell({ type: 'lost', message }),
    onRegained: () => tell({ type: 'regained' }),
  })
  let listed = false
  try {
    for await (const event of events) {
      if (event.type !== 'SYNC')
        inputs.push({ kind: 'migration', object: event.object, deleted: event.type === 'DELETED' })
      else if (!listed) inputs.push({ kind: 'synced' })
      listed ||= event.type === 'SYNC'
    }
  } catch (err) {
    throw selectorError(err, labelSelector)
  }
}

/** A cluster keeps many that have ended: what tells them apart, and whether they have changed. */
function outline({ metadata: { namespace, name, uid, resourceVersion } }: Migration): Migration {
  return {
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    spec: {},
  }
}

/** ms. */
const FIRST_LOOK = 500

/** The limits are counted anew while anyone waits. */
async function watchSlots(
  cluster: Cluster,
  isAnyWaiting: () => boolean,
  inputs: Channel<Input>,
  { clock, signal }: Look,
): Promise<void> {
  const pause = (ms: number) => clock.sleep(ms, signal).catch(() => undefined)
  for (await pause(FIRST_LOOK); !signal.aborted; await pause(SLOTS_POLL)) {
    if (!isAnyWaiting()) continue
    try {
      inputs.push({ kind: 'waiting', view: await readClusterView(cluster, signal) })
    } catch (err) {
      unlessDefect(err, signal)
      if (isStatus(err, 403)) return
    }
  }
}

/** With where its VM runs now, which the list is told too. */
async function withVmi(
  cluster: Cluster,
  observed: Observed,
  inputs: Channel<Input>,
  { signal }: Look,
): Promise<Observed> {
  const { metadata, spec } = observed.migration
  const { namespace, uid = '' } = metadata
  try {
    const at = { namespace, name: spec.vmiName ?? '' }
    const object = observed.vmi ?? (await getIfExists<Vmi>(cluster, VMIS, at, { signal }))
    if (object) inputs.push({ kind: 'vmi', uid, object })
    return { ...observed, vmi: object }
  } catch (err) {
    unlessDefect(err, signal)
    return observed
  }
}

async function followClosely(
  cluster: Cluster,
  first: Observed,
  inputs: Channel<Input>,
  look: Look,
): Promise<void> {
  try {
    for await (const { step, observed } of follow(cluster, first, look)) {
      // The connection is one; the list's own watch tells of it.
      if (step.type !== 'lost' && step.type !== 'regained')
        inputs.push({ kind: 'told', step, observed })
    }
  } catch (err) {
    unlessDefect(err, look.signal)
  }
}

function holdsSlot(migration: Migration): boolean {
  return !isFinal(migration) && !['', 'Pending'].includes(phaseOf(migration))
}

/** What can't be read is left out of the list. */
function unlessDefect(err: unknown, signal: AbortSignal): void {
  if (!(err instanceof MigError) && !signal.aborted) throw err
}
