import type { Clock } from '../../clock.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { patch } from '../../cluster/objects.ts'
import { LABEL } from '../../kubevirt/labels.ts'
import { NODES } from '../../kubevirt/resources.ts'
import { timestamp } from '../../kubevirt/time.ts'

const INTERVAL_MS = 60_000

export interface Heartbeats {
  /** The first beats are through. */
  ready: Promise<void>
  close(): Promise<void>
}

/**
 * Once a minute: virt-handler marks the node schedulable and says when it did, the kubelet reports the node Ready.
 * @param accounts as virt-handler and as the node's kubelet
 */
export function startHeartbeats(options: {
  node: string
  clock: Clock
  accounts: { handler: Cluster; kubelet: Cluster }
  /** Where the node's kubelet listens. */
  kubelet: { address: string; port: number }
  onError(err: unknown): void
}): Heartbeats {
  const { node, clock, accounts, kubelet, onError } = options
  const stop = new AbortController()
  const startedAt = timestamp(clock.now())

  async function beat(): Promise<void> {
    const now = timestamp(clock.now())
    const metadata = {
      labels: { [LABEL.schedulable]: 'true' },
      annotations: { 'kubevirt.io/heartbeat': now },
    }
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      message: 'kubelet is posting ready status',
      lastHeartbeatTime: now,
      lastTransitionTime: startedAt,
    }
    await Promise.all([
      patch(accounts.handler, NODES, { name: node }, { metadata }, 'merge'),
      patch(
        accounts.kubelet,
        NODES,
        { name: node, subresource: 'status' },
        {
          status: {
            conditions: [ready],
            addresses: [{ type: 'InternalIP', address: kubelet.address }],
            daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
          },
        },
        'strategic',
      ),
    ])
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      await clock.sleep(INTERVAL_MS, stop.signal).catch(() => {})
      if (!stop.signal.aborted) await beat().catch(onError)
    }
  }

  const ready = beat()
  const running = ready.catch(() => {}).then(run)
  return {
    ready,
    async close() {
      stop.abort()
      await running
    },
  }
}
