import type { Clock } from '../../../clock.ts'
import { isStatus } from '../../../cluster/api-error.ts'
import type { Cluster } from '../../../cluster/cluster.ts'
import { patch, remove, replace } from '../../../cluster/objects.ts'
import { ANNOTATION, LABEL, MIGRATION_FINALIZER } from '../../../kubevirt/labels.ts'
import { isFinal, phaseOf } from '../../../kubevirt/migration.ts'
import { MIGRATIONS, PODS } from '../../../kubevirt/resources.ts'
import type { Migration, Pod, Vmi } from '../../../kubevirt/types.ts'
import { claimMadeFor } from '../../../rules/backend-storage.ts'
import { limitsOf } from '../../../rules/capacity.ts'
import { collectable } from '../../../rules/collection.ts'
import { PRIORITY, priorityOf, wokenBy } from '../../../rules/queue.ts'
import type { EventRecorder } from '../../events.ts'
import { type Caches, keyOf, keyOfObject, parseKey } from '../caches.ts'
import { createExpectations } from '../expectations.ts'
import { createMutex } from '../mutex.ts'
import { type Log, startWorker, type Worker } from '../worker.ts'
import { hasAftermath } from './aftermath.ts'
import { expectationOf, type Hands, messageOf, note, perform } from './perform.ts'
import { actionsFor } from './phases.ts'
import { situationOf } from './situation.ts'
import { dropTargetClaim, findsTargetState, isRecovered } from './state-claims.ts'
import { statusFor } from './status.ts'

export interface ControllerOptions {
  cluster: Cluster
  clock: Clock
  caches: Caches
  log: Log
  /** Of virt-controller's main part. */
  recorder: EventRecorder
}

/** KubeVirt's own number of workers. */
const THREADS = 3

/** The migration controller (fact sheet control-plane.md §2): one phase a pass, work in order of priority. */
export function startMigrationController(options: ControllerOptions): Worker {
  const { cluster, clock, caches, log, recorder } = options
  const expectations = createExpectations(clock)
  const claimExpectations = createExpectations(clock)
  const handedOff = new Set<string>()
  /** Uids of those whose end has had its consequences for others. */
  const ended = new Set<string>()
  const gate = createMutex()
  const worker = startWorker({
    name: 'virt-controller-migration',
    clock,
    log,
    threads: THREADS,
    reconcile,
  })
  const deletedPods = new Set<string>()
  const { queue } = worker
  const hands: Hands = {
    cluster,
    recorder,
    expectations,
    claimExpectations,
    queue,
    log,
    handedOff,
    deletedPods,
    abortedBackups: new Set(),
  }
  listen(caches, worker, hands)
  caches.pods.on(({ type, object: { metadata } }) => {
    if (type === 'DELETED') deletedPods.delete(metadata.uid ?? '')
  })
  caches.migrations.on(({ type, object: { metadata } }) => {
    if (type !== 'DELETED') return
    handedOff.delete(metadata.uid ?? '')
    ended.delete(metadata.uid ?? '')
    for (const key of hands.abortedBackups)
      if (key.startsWith(`${metadata.uid}/`)) hands.abortedBackups.delete(key)
  })
  return worker

  async function reconcile(key: string): Promise<void> {
    const { namespace, name } = parseKey(key)
    const migration = caches.migrations.get(namespace, name)
    if (!migration) {
      expectations.forget(key)
      claimExpectations.forget(key)
      return
    }
    if (migration.metadata.annotations?.[ANNOTATION.latestApiVersion] === undefined)
      return introduce(migration)
    const vmi = caches.vmis.get(namespace, migration.spec.vmiName ?? '')
    if (!vmi) return abandon(migration)
    // Who counts the slots must see what the one before took.
    if (phaseOf(migration) === 'Pending') await gate.run(() => pass(key, migration, vmi))
    else await pass(key, migration, vmi)
  }

  async function pass(key: string, migration: Migration, vmi: Vmi): Promise<void> {
    const { uid = '' } = migration.metadata
    const situation = situationOf(migration, vmi, caches, {
      handedOff: handedOff.has(uid),
      creating: !expectations.allSatisfied(),
    })
    let failure: unknown
    if (expectations.satisfied(key) && claimExpectations.satisfied(key))
      try {
        await perform(actionsFor(situation, clock.now()), situation, hands)
      } catch (err) {
        failure = err
      }
    const seen = { ...situation, handedOff: handedOff.has(uid) }
    const error = failure === undefined ? undefined : messageOf(failure)
    const recovered = await isRecovered(seen, cluster)
    const { status, notes } = statusFor(seen, error, clock.now(), recovered)
    if (status?.phase === 'Failed' && !isFinal(migration)) await dropTargetClaim(seen, cluster)
    for (const one of notes) note(one, seen, hands)
    const current = status ? await writeStatus(migration, status) : migration
    if (isFinal(migration)) {
      await release(current)
      handedOff.delete(uid)
      if (!ended.has(uid) && hasAftermath(situation)) {
        await collect(migration)
        wake(migration)
        ended.add(uid)
      }
    }
    if (failure !== undefined) throw failure
  }

  /** The first pass of all only says that somebody looks after it. */
  async function introduce(migration: Migration): Promise<void> {
    const { metadata, spec } = migration
    const labels = { [LABEL.vmiName]: spec.vmiName ?? '', ...metadata.labels }
    const annotations = {
      ...metadata.annotations,
      [ANNOTATION.latestApiVersion]: 'v1',
      [ANNOTATION.storageApiVersion]: 'v1',
    }
    const body = { ...migration, metadata: { ...metadata, labels, annotations } }
    await replace(cluster, MIGRATIONS, metadata, body)
  }

  /**
   * Its VMI is gone, so it goes; which claim has the VM's state is found out first. KubeVirt leaves the finalizer of one
   * that had not ended, and it then hangs in deletion for ever (control-plane.md §2.3); nobody can want that.
   */
  async function abandon(migration: Migration): Promise<void> {
    if (!migration.metadata.deletionTimestamp) await remove(cluster, MIGRATIONS, migration.metadata)
    if (!isFinal(migration)) {
      const its = { migration, targetClaim: claimMadeFor(migration, caches.claims.list()) }
      if (!(await findsTargetState(its, cluster))) await dropTargetClaim(its, cluster)
    }
    await release(migration)
  }

  async function writeStatus(
    migration: Migration,
    status: NonNullable<Migration['status']>,
  ): Promise<Migration> {
    const at = { ...migration.metadata, subresource: 'status' }
    return replace<Migration>(cluster, MIGRATIONS, at, { ...migration, status })
  }

  /** Others may hold it for reasons of their own. */
  async function release({ metadata }: Migration): Promise<void> {
    const { finalizers = [] } = metadata
    if (!finalizers.includes(MIGRATION_FINALIZER)) return
    const path = '/metadata/finalizers'
    const value = finalizers.filter((finalizer) => finalizer !== MIGRATION_FINALIZER)
    const operations = [
      { op: 'test', path, value: finalizers },
      { op: 'replace', path, value },
    ]
    await ignoringGone(patch(cluster, MIGRATIONS, metadata, operations, 'json'))
  }

  async function collect({ metadata, spec }: Migration): Promise<void> {
    const siblings = caches.migrationsOf(metadata.namespace, spec.vmiName ?? '')
    for (const { migration, pod } of collectable(siblings, spec.vmiName ?? '')) {
      const { namespace } = migration.metadata
      if (pod !== undefined) await ignoringGone(remove(cluster, PODS, { namespace, name: pod }))
      await ignoringGone(remove(cluster, MIGRATIONS, migration.metadata))
    }
  }

  /** Its slot is free. */
  function wake(ended: Migration): void {
    const { cluster: limit } = limitsOf(caches.kubevirt())
    for (const migration of wokenBy(ended, caches.migrations.list(), limit))
      worker.queue.add(keyOfObject(migration), { priority: priorityOf(migration) })
  }
}

async function ignoringGone(request: Promise<unknown>): Promise<void> {
  try {
    await request
  } catch (err) {
    if (!isStatus(err, 404)) throw err
  }
}

/** Which events lead to which migrations (§2.1). */
function listen(
  caches: Caches,
  { queue }: Worker,
  { expectations, claimExpectations }: Hands,
): void {
  const enqueue = (migration: Migration) => {
    const priority = phaseOf(migration) === 'Running' ? PRIORITY.running : priorityOf(migration)
    queue.add(keyOfObject(migration), { priority })
  }
  caches.migrations.on(({ object }) => enqueue(object))
  caches.vmis.on(({ object: { metadata } }) => {
    for (const migration of caches.migrationsOf(metadata.namespace, metadata.name))
      enqueue(migration)
  })
  caches.pods.on(({ type, object }) => {
    const key = migrationKeyOf(object)
    if (key === undefined) return
    const labels = object.metadata.labels ?? {}
    if (type === 'ADDED') {
      const id = expectationOf(labels[LABEL.app] ?? '', labels[LABEL.migrationJobUid])
      expectations.settle(key, id)
    }
    queue.add(key, { priority: PRIORITY.running })
  })
  caches.claims.on(({ type, object: { metadata } }) => {
    const name = metadata.labels?.[LABEL.migrationName]
    if (type !== 'ADDED' || name === undefined) return
    const key = keyOf(metadata.namespace, name)
    claimExpectations.settle(
      key,
      caches.migrations.get(metadata.namespace, name)?.metadata.uid ?? '',
    )
    queue.add(key, { priority: PRIORITY.running })
  })
  caches.quotas.on(({ type, object: { metadata } }) => {
    if (type === 'ADDED') return
    for (const migration of caches.migrations.list())
      if (migration.metadata.namespace === metadata.namespace && isRejected(migration))
        enqueue(migration)
  })
  listenToAddresses(caches, enqueue)
}

/** Where other clusters reach this one is told by every migration that has not ended. */
function listenToAddresses(caches: Caches, enqueue: (migration: Migration) => void): void {
  const addresses = () => JSON.stringify(caches.kubevirt()?.status?.['synchronizationAddresses'])
  let before = addresses()
  caches.kubevirts.on(() => {
    if (addresses() === before) return
    before = addresses()
    for (const migration of caches.migrations.list()) if (!isFinal(migration)) enqueue(migration)
  })
}

/** By label and annotation: a target pod belongs to its VMI, not to its migration. */
function migrationKeyOf({ metadata }: Pod): string | undefined {
  const name = metadata.annotations?.[ANNOTATION.migrationJobName]
  const uid = metadata.labels?.[LABEL.migrationJobUid]
  return name !== undefined && uid !== undefined ? keyOf(metadata.namespace, name) : undefined
}

function isRejected({ status }: Migration): boolean {
  return (status?.conditions ?? []).some(({ type }) => type === 'migrationRejectedByResourceQuota')
}
