import { isStatus } from '../../cluster/api-error.ts'
import { create, patch, replace } from '../../cluster/objects.ts'
import { sameValue } from '../../kubevirt/equality.ts'
import { DEPLOYMENTS, REPLICA_SETS } from '../../kubevirt/resources.ts'
import { timestamp } from '../../kubevirt/time.ts'
import { keyOfObject, parseKey } from '../controller/caches.ts'
import { startWorker, type Worker } from '../controller/worker.ts'
import { eventRecorder } from '../events.ts'
import { amountOf, controlledBy, isControlledBy, isGoing, templateHash } from './template-pods.ts'
import type { Deployment, DeploymentCondition, ReplicaSet } from './types.ts'
import { wakeOwners } from './wake-owners.ts'
import type { WorkloadCaches, WorkloadOptions } from './workloads.ts'

const HASH = 'pod-template-hash'
const REVISION = 'deployment.kubernetes.io/revision'
const KIND = { apiVersion: 'apps/v1', kind: DEPLOYMENTS.kind }

/**
 * Kubernetes' Deployment controller: a ReplicaSet for each template, of which the newest grows while the others shrink, within
 * what may be surplus and what may be away.
 */
export function startDeploymentController(
  options: WorkloadOptions & { caches: WorkloadCaches },
): Worker {
  const { cluster, clock, caches, log } = options
  const events = eventRecorder(cluster, clock, { component: 'deployment-controller' })
  const worker = startWorker({ name: 'deployment', clock, log, threads: 1, reconcile })
  caches.deployments.on(({ object }) => worker.queue.add(keyOfObject(object)))
  wakeOwners(caches.replicaSets, KIND.kind, worker)
  return worker

  async function reconcile(key: string): Promise<void> {
    const { namespace, name } = parseKey(key)
    const found = caches.deployments.get(namespace, name)
    if (!found || isGoing(found)) return
    const deployment = { ...found, ...KIND }
    const own = caches.replicaSets.list().filter((set) => isControlledBy(set, deployment))
    const hash = templateHash(deployment.spec.template)
    const newest = own.find(({ metadata }) => metadata.labels?.[HASH] === hash)
    const others = own.filter((set) => set !== newest)
    if (!deployment.spec.paused) {
      if (newest) await roll(deployment, newest, others)
      else if (isFree(deployment, others)) await begin(deployment, hash, others)
      else for (const set of others) await scale(deployment, set, 0)
    }
    await report(deployment, newest, others)
  }

  async function begin(deployment: Owner, hash: string, others: ReplicaSet[]): Promise<void> {
    const { metadata, spec } = deployment
    const name = `${metadata.name}-${hash}`
    const labels = { ...spec.template.metadata?.labels, [HASH]: hash }
    const revision = 1 + highest(others)
    const replicas = roomFor(deployment, undefined, others)
    const set = {
      apiVersion: KIND.apiVersion,
      kind: REPLICA_SETS.kind,
      metadata: {
        name,
        labels,
        annotations: { [REVISION]: String(revision) },
        ownerReferences: [controlledBy(deployment)],
      },
      spec: {
        replicas,
        selector: {
          ...spec.selector,
          matchLabels: { ...spec.selector.matchLabels, [HASH]: hash },
        },
        template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
      },
    }
    try {
      await create(cluster, REPLICA_SETS, set, { namespace: metadata.namespace ?? '' })
    } catch (err) {
      // The cache does not know it yet.
      if (isStatus(err, 409)) return
      throw err
    }
    tell(deployment, name, 0, replicas)
    const annotations = { [REVISION]: String(revision) }
    await patch(cluster, DEPLOYMENTS, metadata, { metadata: { annotations } }, 'merge')
  }

  /** A template that comes back gets the next number, which its old one gives way to. */
  async function renumber({ metadata }: Owner, newest: ReplicaSet, others: ReplicaSet[]) {
    const revision = 1 + highest(others)
    if (revisionOf(newest) >= revision) return
    const body = { metadata: { annotations: { [REVISION]: String(revision) } } }
    await patch(cluster, REPLICA_SETS, newest.metadata, body, 'merge')
    await patch(cluster, DEPLOYMENTS, metadata, body, 'merge')
  }

  async function roll(deployment: Owner, newest: ReplicaSet, others: ReplicaSet[]): Promise<void> {
    await renumber(deployment, newest, others)
    await scale(deployment, newest, roomFor(deployment, newest, others))
    const wanted = deployment.spec.replicas ?? 1
    const away = amountOf(rolling(deployment).maxUnavailable ?? '25%', wanted, 'down')
    const isStuck = amountOf(rolling(deployment).maxSurge ?? '25%', wanted, 'up') + away === 0
    const serving = [newest, ...others].reduce((sum, set) => sum + availableOf(set), 0)
    let spare = serving - (wanted - (isStuck ? 1 : away))
    for (const set of others) {
      const useless = sizeOf(set) - availableOf(set)
      const less = useless + Math.max(0, Math.min(spare, availableOf(set)))
      spare -= less - useless
      await scale(deployment, set, Math.max(0, sizeOf(set) - less))
    }
  }

  async function scale(deployment: Owner, set: ReplicaSet, replicas: number): Promise<void> {
    const before = sizeOf(set)
    if (before === replicas) return
    await patch(cluster, REPLICA_SETS, set.metadata, { spec: { replicas } }, 'merge')
    tell(deployment, set.metadata.name, before, replicas)
  }

  function tell(deployment: Owner, name: string, from: number, to: number): void {
    const way = to > from ? 'up' : 'down'
    const message = `Scaled ${way} replica set ${name} from ${from} to ${to}`
    events.record(deployment, 'Normal', 'ScalingReplicaSet', message)
  }

  async function report(
    deployment: Owner,
    newest: ReplicaSet | undefined,
    others: ReplicaSet[],
  ): Promise<void> {
    const all = newest ? [newest, ...others] : others
    const sum = (of: (set: ReplicaSet) => number | undefined) =>
      all.reduce((total, set) => total + (of(set) ?? 0), 0)
    const wanted = deployment.spec.replicas ?? 1
    const replicas = sum(({ status }) => status?.replicas)
    const available = sum(availableOf)
    const updated = newest?.status?.replicas ?? 0
    const ready = sum(({ status }) => status?.readyReplicas)
    const away = Math.max(0, Math.max(wanted, replicas) - available)
    const isDone = updated === wanted && replicas === updated && available === wanted
    const status = {
      observedGeneration: deployment.metadata.generation,
      ...(replicas > 0 && { replicas }),
      ...(updated > 0 && { updatedReplicas: updated }),
      ...(ready > 0 && { readyReplicas: ready }),
      ...(available > 0 && { availableReplicas: available }),
      ...(away > 0 && { unavailableReplicas: away }),
      conditions: conditions(deployment, newest, { available, isDone }, timestamp(clock.now())),
    }
    if (sameValue(deployment.status, status)) return
    const at = { ...deployment.metadata, subresource: 'status' }
    await replace(cluster, DEPLOYMENTS, at, { ...deployment, status })
  }
}

type Owner = Deployment & typeof KIND

function rolling({ spec }: Deployment) {
  return spec.strategy?.rollingUpdate ?? {}
}

/** Whether a first pod of the new template may come: where pods are recreated, the old ones go before. */
function isFree({ spec }: Deployment, others: ReplicaSet[]): boolean {
  return spec.strategy?.type !== 'Recreate' || others.every(({ status }) => !status?.replicas)
}

/** How many pods the newest set may have now. */
function roomFor(
  deployment: Deployment,
  newest: ReplicaSet | undefined,
  others: ReplicaSet[],
): number {
  const wanted = deployment.spec.replicas ?? 1
  const surge = amountOf(rolling(deployment).maxSurge ?? '25%', wanted, 'up')
  const size = newest ? sizeOf(newest) : 0
  const total = others.reduce((sum, set) => sum + sizeOf(set), size)
  if (others.every((set) => sizeOf(set) === 0) || size > wanted) return wanted
  return size + Math.max(0, Math.min(wanted + surge - total, wanted - size))
}

function sizeOf({ spec }: ReplicaSet): number {
  return spec.replicas ?? 1
}

function availableOf({ status }: ReplicaSet): number {
  return status?.availableReplicas ?? 0
}

function revisionOf({ metadata }: ReplicaSet): number {
  return Number(metadata.annotations?.[REVISION] ?? 0)
}

function highest(sets: ReplicaSet[]): number {
  return Math.max(0, ...sets.map(revisionOf))
}

function conditions(
  { spec, status }: Deployment,
  newest: ReplicaSet | undefined,
  { available, isDone }: { available: number; isDone: boolean },
  now: string,
): DeploymentCondition[] {
  const wanted = spec.replicas ?? 1
  const enough =
    available >=
    wanted - amountOf(spec.strategy?.rollingUpdate?.maxUnavailable ?? '25%', wanted, 'down')
  const has = enough ? 'has' : 'does not have'
  const said: DeploymentCondition[] = [
    {
      type: 'Available',
      status: enough ? 'True' : 'False',
      reason: `MinimumReplicas${enough ? 'Available' : 'Unavailable'}`,
      message: `Deployment ${has} minimum availability.`,
    },
  ]
  if (newest)
    said.push({
      type: 'Progressing',
      status: 'True',
      reason: isDone ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
      message: `ReplicaSet "${newest.metadata.name}" ${isDone ? 'has successfully progressed' : 'is progressing'}.`,
    })
  return said.map((condition) => {
    const before = status?.conditions?.find(({ type }) => type === condition.type)
    const isSame = before?.reason === condition.reason && before?.message === condition.message
    const lastUpdateTime = isSame ? before?.lastUpdateTime : now
    const lastTransitionTime =
      (before?.status === condition.status && before?.lastTransitionTime) || now
    return { ...condition, lastUpdateTime, lastTransitionTime }
  })
}
