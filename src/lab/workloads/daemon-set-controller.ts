import { replace } from '../../cluster/objects.ts'
import { sameValue } from '../../kubevirt/equality.ts'
import { isPodFinal } from '../../kubevirt/pods.ts'
import { DAEMON_SETS } from '../../kubevirt/resources.ts'
import type { Node, Pod } from '../../kubevirt/types.ts'
import { nodeObstacle } from '../../rules/placement-node.ts'
import { keyOfObject, parseKey } from '../controller/caches.ts'
import { startWorker, type Worker } from '../controller/worker.ts'
import { podControl } from './pod-control.ts'
import { keepRevisions } from './revisions.ts'
import { amountOf, isControlledBy, isGoing, isReady, podOf, templateHash } from './template-pods.ts'
import type { DaemonSet } from './types.ts'
import { wakeOwners } from './wake-owners.ts'
import type { WorkloadCaches, WorkloadOptions } from './workloads.ts'

const HASH = 'controller-revision-hash'
const KIND = { apiVersion: 'apps/v1', kind: DAEMON_SETS.kind }

/** What the nodes of a DaemonSet get whatever they suffer from (Kubernetes' own list). */
const TOLERATIONS = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
]

/**
 * Kubernetes' DaemonSet controller: one pod on each node that may have it. A new template replaces them as many at a time as
 * the set allows to be away.
 */
export function startDaemonSetController(
  options: WorkloadOptions & { caches: WorkloadCaches },
): Worker {
  const { cluster, clock, caches, log } = options
  const pods = podControl(options, 'daemonset-controller')
  const worker = startWorker({ name: 'daemonset', clock, log, threads: 1, reconcile })
  caches.daemonSets.on(({ object }) => worker.queue.add(keyOfObject(object)))
  caches.nodes.on(() => {
    for (const set of caches.daemonSets.list()) worker.queue.add(keyOfObject(set))
  })
  wakeOwners(caches.pods, KIND.kind, worker)
  return worker

  async function reconcile(key: string): Promise<void> {
    const { namespace, name } = parseKey(key)
    const found = caches.daemonSets.get(namespace, name)
    if (!found || isGoing(found)) return
    const set = { ...found, ...KIND }
    if (!pods.isSettled(set)) return
    const own = caches.pods.list().filter((pod) => isControlledBy(pod, set))
    const used = new Set(own.map(({ metadata }) => metadata.labels?.[HASH] ?? ''))
    await keepRevisions(cluster, set, caches.revisions.list(), used)
    const nodes = caches.nodes.list()
    const wanted = nodes.filter((node) => nodeObstacle(podFor(set, node), node) === undefined)
    const kept = nodes.filter((node) => mayStay(set, node))
    if (!(await place(set, { wanted, kept }, own))) await renew(set, own)
    await report(set, nodes, wanted, own)
  }

  /** Whether something had to be done. */
  async function place(
    set: Owner,
    { wanted, kept }: { wanted: Node[]; kept: Node[] },
    own: Pod[],
  ): Promise<boolean> {
    const names = new Set(kept.map(({ metadata }) => metadata.name))
    const bare = wanted.filter(
      ({ metadata }) => !own.some((pod) => targetOf(pod) === metadata.name),
    )
    const misplaced = own.filter((pod) => !isGoing(pod) && !names.has(targetOf(pod) ?? ''))
    const failed = own.filter((pod) => !isGoing(pod) && isPodFinal(pod))
    for (const pod of failed) {
      const what = `${pod.metadata.namespace}/${pod.metadata.name} on node ${targetOf(pod)}`
      const message = `Found failed daemon pod ${what}, will try to kill it`
      pods.events.record(set, 'Warning', 'FailedDaemonPod', message)
    }
    for (const pod of new Set([...failed, ...misplaced])) await pods.remove(set, pod)
    await Promise.all(bare.map((node) => pods.create(set, podFor(set, node))))
    return bare.length + misplaced.length + failed.length > 0
  }

  /** Those of an older template go; of those that serve, only as many as may be away at once. */
  async function renew(set: Owner, own: Pod[]): Promise<void> {
    const { type = 'RollingUpdate', rollingUpdate } = set.spec.updateStrategy ?? {}
    if (type !== 'RollingUpdate') return
    const outdated = own.filter((pod) => !isGoing(pod) && !isCurrent(set, pod))
    const away = own.filter((pod) => isGoing(pod) || !isReady(pod))
    const most = amountOf(rollingUpdate?.maxUnavailable ?? 1, own.length, 'up')
    const serving = outdated.filter((pod) => !away.includes(pod))
    const allowed = Math.max(0, most - away.length)
    const useless = outdated.filter((pod) => away.includes(pod))
    for (const pod of [...useless, ...serving.slice(0, allowed)]) await pods.remove(set, pod)
  }

  async function report(set: Owner, nodes: Node[], wanted: Node[], all: Pod[]): Promise<void> {
    const own = all.filter((pod) => !isGoing(pod))
    const names = new Set(wanted.map(({ metadata }) => metadata.name))
    const placed = own.filter((pod) => names.has(targetOf(pod) ?? ''))
    const ready = placed.filter(isReady).length
    const unwanted = nodes.filter(({ metadata: { name } }) => !names.has(name))
    const status = {
      currentNumberScheduled: placed.length,
      numberMisscheduled: unwanted.filter((node) =>
        own.some((pod) => targetOf(pod) === node.metadata.name),
      ).length,
      desiredNumberScheduled: wanted.length,
      numberReady: ready,
      observedGeneration: set.metadata.generation,
      updatedNumberScheduled: placed.filter((pod) => isCurrent(set, pod)).length,
      ...(ready > 0 && { numberAvailable: ready }),
      ...(wanted.length > ready && { numberUnavailable: wanted.length - ready }),
    }
    if (sameValue(set.status, status)) return
    await replace(
      cluster,
      DAEMON_SETS,
      { ...set.metadata, subresource: 'status' },
      { ...set, status },
    )
  }
}

type Owner = DaemonSet & typeof KIND

/** A pod that is there already stays with a taint that only keeps others from coming. */
function mayStay(set: Owner, node: Node): boolean {
  const obstacle = nodeObstacle(podFor(set, node), node)
  return !obstacle || (obstacle.kind === 'taint' && obstacle.taint.effect !== 'NoExecute')
}

function isCurrent({ spec }: DaemonSet, { metadata }: Pod): boolean {
  return metadata.labels?.[HASH] === templateHash(spec.template)
}

/** The scheduler places it; an affinity lets it nowhere else. */
function podFor(set: Owner, { metadata }: Node): Pod {
  const { template } = set.spec
  const pod = podOf(set, template, { [HASH]: templateHash(template) })
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [metadata.name] }]
  const nodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
  }
  pod.spec.affinity = { ...pod.spec.affinity, nodeAffinity }
  pod.spec.tolerations = [...(pod.spec.tolerations ?? []), ...TOLERATIONS]
  return pod
}

interface OneNode {
  requiredDuringSchedulingIgnoredDuringExecution?: {
    nodeSelectorTerms: { matchFields?: { values: string[] }[] }[]
  }
}

/** The node that a daemon's pod is for. */
function targetOf({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName
  const affinity = spec.affinity?.['nodeAffinity'] as OneNode | undefined
  const [term] = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  return term?.matchFields?.[0]?.values[0]
}
