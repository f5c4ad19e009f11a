import type { Clock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { startInformer } from '../cluster/informer.ts'
import { patch } from '../cluster/objects.ts'
import { timeOf } from '../kubevirt/migration.ts'
import { LEASES, NODES } from '../kubevirt/resources.ts'
import { timestamp } from '../kubevirt/time.ts'
import type { KubeObject, Node } from '../kubevirt/types.ts'

/** How long a kubelet may be silent, and how often that is looked at: kube-controller-manager's own defaults, ms. */
const GRACE = 50_000
const PERIOD = 5000
const TAINT = 'node.kubernetes.io/unreachable'

interface Lease extends KubeObject {
  spec?: { renewTime?: string }
}

/** What kube-controller-manager does of nodes: one whose kubelet is silent is NotReady, and takes no further pods. */
export async function startNodeLifecycle(options: {
  cluster: Cluster
  clock: Clock
  onError(err: unknown): void
}): Promise<{ close(): Promise<void> }> {
  const { cluster, clock, onError } = options
  const stop = new AbortController()
  const nodes = startInformer<Node>(cluster, NODES, { clock })
  const leases = startInformer<Lease>(cluster, LEASES, { clock, namespace: 'kube-node-lease' })
  await Promise.all([nodes.synced, leases.synced])

  async function look(node: Node): Promise<void> {
    const lease = leases.get('kube-node-lease', node.metadata.name)
    const heard = timeOf(lease?.spec?.renewTime)
    if (heard === undefined) return
    const isSilent = clock.now() - heard > GRACE
    const isTainted = node.spec.taints?.some(({ key }) => key === TAINT) ?? false
    if (isSilent === isTainted) return
    const { name } = node.metadata
    const others = (node.spec.taints ?? []).filter(({ key }) => key !== TAINT)
    const timeAdded = timestamp(clock.now())
    const own = ['NoSchedule', 'NoExecute'].map((effect) => ({ key: TAINT, effect, timeAdded }))
    const taints = isSilent ? [...others, ...own] : others
    if (isSilent) {
      const status = { conditions: [unknown(timeAdded)] }
      await patch(cluster, NODES, { name, subresource: 'status' }, { status }, 'strategic')
    }
    await patch(cluster, NODES, { name }, { spec: { taints } }, 'merge')
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      for (const node of nodes.list()) await look(node).catch(onError)
      await clock.sleep(PERIOD, stop.signal).catch(() => {})
    }
  }
  const running = run()

  return {
    async close() {
      stop.abort()
      await running
      await Promise.all([nodes.close(), leases.close()])
    },
  }
}

function unknown(now: string): object {
  return {
    type: 'Ready',
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: now,
  }
}
