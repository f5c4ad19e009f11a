import type { Clock } from '../../clock.ts'
import { isStatus } from '../../cluster/api-error.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { create, patch } from '../../cluster/objects.ts'
import { LABEL } from '../../kubevirt/labels.ts'
import { LEASES, NODES } from '../../kubevirt/resources.ts'
import { timestamp } from '../../kubevirt/time.ts'

const INTERVAL_MS = 60_000
/** A kubelet renews its lease so often: that is what it is missed by. */
const LEASE_MS = 10_000

export interface Heartbeats {
  /** The first beats are through. */
  ready: Promise<void>
  close(): Promise<void>
}

/**
 * Once a minute: virt-handler marks the node schedulable and says when it did, the kubelet reports the node Ready; and
 * renews its lease more often.
 * @param accounts as virt-handler and as the node's kubelet
 */
export function startHeartbeats(options: {
  node: string
  clock: Clock
  accounts: { handler: Cluster; kubelet: Cluster }
  /** Where the node's kubelet listens. */
  kubelet: { address: string; port: number }
  /** Without its process virt-handler says nothing. */
  isHandlerUp(): boolean
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
      options.isHandlerUp() &&
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

  async function renew(): Promise<void> {
    const at = { namespace: 'kube-node-lease', name: node }
    const renewTime = new Date(clock.now()).toISOString().replace('Z', '000Z')
    const spec = { holderIdentity: node, leaseDurationSeconds: 40, renewTime }
    try {
      await patch(accounts.kubelet, LEASES, at, { spec }, 'merge')
    } catch (err) {
      if (!isStatus(err, 404)) throw err
      const lease = { metadata: { name: node, namespace: at.namespace }, spec }
      const { group, version, kind } = LEASES
      const typed = { apiVersion: `${group}/${version}`, kind, ...lease }
      await create(accounts.kubelet, LEASES, typed, { namespace: at.namespace })
    }
  }

  async function every(ms: number, work: () => Promise<void>): Promise<void> {
    while (!stop.signal.aborted) {
      await clock.sleep(ms, stop.signal).catch(() => {})
      if (!stop.signal.aborted) await work().catch(onError)
    }
  }

  const ready = Promise.all([beat(), renew()]).then(() => {})
  const running = ready
    .catch(() => {})
    .then(() => Promise.all([every(INTERVAL_MS, beat), every(LEASE_MS, renew)]))
  return {
    ready,
    async close() {
      stop.abort()
      await running
    },
  }
}
