import type { Clock } from '../../clock.ts'
import { isStatus } from '../../cluster/api-error.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { type Informer, startInformer } from '../../cluster/informer.ts'
import { create, patch } from '../../cluster/objects.ts'
import { conditionOf } from '../../kubevirt/migration.ts'
import { isPodFinal } from '../../kubevirt/pods.ts'
import { NAMESPACES, NODES, PODS, PVCS, STORAGE_CLASSES } from '../../kubevirt/resources.ts'
import { timestamp } from '../../kubevirt/time.ts'
import type { Namespace, Node, Pod } from '../../kubevirt/types.ts'
import { placePod, unschedulableMessage } from '../../rules/placement.ts'
import type { StorageClass, VolumeClaim } from '../../rules/volume-binding.ts'
import { type EventRecorder, eventRecorder } from '../events.ts'
import { bestNode } from './score.ts'

export interface Scheduler {
  /** Whether nothing is left to place that could be placed now. */
  idle(): boolean
  close(): Promise<void>
}

const NAME = 'default-scheduler'
/** After an error of the API. */
const RETRY_MS = 1000

/**
 * Gives pods to nodes, one pod at a time: binds by the binding subresource, or says why it can't and tries again as
 * soon as a node, a namespace, a claim or another pod has changed.
 */
export async function startScheduler({
  cluster,
  clock,
}: {
  cluster: Cluster
  clock: Clock
}): Promise<Scheduler> {
  const stop = new AbortController()
  const events = eventRecorder(cluster, clock, { component: NAME, action: 'Scheduling' })
  /** Bound by us, while the pod informer does not know it yet. By uid. */
  const assumed = new Map<string, Pod>()
  let wake = Promise.withResolvers<void>()
  let asked = false
  let placing = false
  const again = () => {
    asked = true
    wake.resolve()
  }

  const options = { onChange: again, signal: stop.signal, clock }
  const pods = startInformer<Pod>(cluster, PODS, options)
  const nodes = startInformer<Node>(cluster, NODES, options)
  const namespaces = startInformer<Namespace>(cluster, NAMESPACES, options)
  const claims = startInformer<VolumeClaim>(cluster, PVCS, options)
  const classes = startInformer<StorageClass>(cluster, STORAGE_CLASSES, options)
  const informers = [pods, nodes, namespaces, claims, classes]
  await Promise.all(informers.map(({ synced }) => synced))
  const running = run()

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      if (!asked) await wake.promise
      wake = Promise.withResolvers<void>()
      asked = false
      placing = true
      for (const pod of waiting(pods, assumed)) {
        if (stop.signal.aborted) return
        await place(pod)
      }
      placing = false
    }
  }

  async function place(pod: Pod): Promise<void> {
    try {
      for (const [uid, bound] of assumed) if (isKnown(pods, bound)) assumed.delete(uid)
      const all = pods.list().map((other) => assumed.get(other.metadata.uid ?? '') ?? other)
      const surroundings = {
        nodes: byName(nodes),
        pods: all,
        namespaces: namespaces.list(),
        storage: { claims: claims.list(), classes: classes.list() },
      }
      const placement = placePod(pod, surroundings)
      const fitting = surroundings.nodes.filter((n) => placement.fits.includes(n.metadata.name))
      const bound = all.filter((other) => other.spec.nodeName && !isPodFinal(other))
      const node = bestNode(pod, fitting, bound)
      if (node) assumed.set(pod.metadata.uid ?? '', await bind(pod, node))
      else await refuse(pod, unschedulableMessage(placement))
    } catch (err) {
      if (stop.signal.aborted || isStatus(err, 404) || isStatus(err, 409)) return
      void clock.sleep(RETRY_MS, stop.signal).then(again, () => {})
    }
  }

  async function bind(pod: Pod, node: Node): Promise<Pod> {
    const { namespace = '', name, uid } = pod.metadata
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace, uid },
      target: { kind: 'Node', name: node.metadata.name },
    }
    await create(cluster, PODS, binding, { namespace, name, subresource: 'binding' })
    const message = `Successfully assigned ${namespace}/${name} to ${node.metadata.name}`
    record(events, pod, 'Normal', 'Scheduled', message)
    return { ...pod, spec: { ...pod.spec, nodeName: node.metadata.name } }
  }

  async function refuse(pod: Pod, message: string): Promise<void> {
    const said = conditionOf(pod, 'PodScheduled')
    if (said?.status === 'False' && said.message === message) return
    record(events, pod, 'Warning', 'FailedScheduling', message)
    const { namespace, name } = pod.metadata
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      observedGeneration: pod.metadata.generation ?? 1,
      lastProbeTime: null,
      lastTransitionTime: timestamp(clock.now()),
    }
    const body = { status: { conditions: [condition] } }
    await patch(cluster, PODS, { namespace, name, subresource: 'status' }, body, 'strategic')
  }

  again()
  return {
    idle: () => !asked && !placing,
    async close() {
      stop.abort(new Error('the scheduler was closed'))
      wake.resolve()
      await running
      await Promise.all(informers.map((informer) => informer.close()))
      await events.flushed()
    },
  }
}

/** Oldest first, so that nobody is overtaken by those who came later. */
function waiting(pods: Informer<Pod>, assumed: ReadonlyMap<string, Pod>): Pod[] {
  return pods
    .list()
    .filter(
      (pod) =>
        !pod.spec.nodeName &&
        !pod.metadata.deletionTimestamp &&
        !isPodFinal(pod) &&
        !assumed.has(pod.metadata.uid ?? '') &&
        (pod.spec.schedulerName ?? NAME) === NAME,
    )
    .sort((a, b) =>
      (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? ''),
    )
}

function byName(nodes: Informer<Node>): Node[] {
  return nodes.list().sort((a, b) => a.metadata.name.localeCompare(b.metadata.name))
}

/** Whether the informer has caught up with our binding, or the pod is gone. */
function isKnown(pods: Informer<Pod>, { metadata }: Pod): boolean {
  const seen = pods.get(metadata.namespace, metadata.name)
  return !seen || seen.metadata.uid !== metadata.uid || !!seen.spec.nodeName
}

function record(
  events: EventRecorder,
  pod: Pod,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): void {
  events.record({ ...pod, apiVersion: 'v1', kind: 'Pod' }, type, reason, message)
}
