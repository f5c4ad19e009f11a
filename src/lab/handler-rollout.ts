import type { Clock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { startInformer } from '../cluster/informer.ts'
import { get, patch } from '../cluster/objects.ts'
import { NETWORKS_ANNOTATION } from '../kubevirt/multus.ts'
import { DAEMON_SETS, KUBEVIRTS } from '../kubevirt/resources.ts'
import type { KubeVirt } from '../kubevirt/types.ts'
import { NAMESPACE } from './seed.ts'
import type { DaemonSet } from './workloads/types.ts'

const HANDLERS = { namespace: NAMESPACE, name: 'virt-handler' }

/**
 * What virt-operator does when the migration network of the KubeVirt CR changes: the template of the virt-handlers asks for
 * it, and so all of them are replaced, one after the other (fact sheet data-plane.md §5).
 */
export function startHandlerRollout(options: {
  cluster: Cluster
  clock: Clock
  onError(err: unknown): void
}): { close(): Promise<void> } {
  const { cluster, clock, onError } = options
  let last = Promise.resolve()
  const kubevirts = startInformer<KubeVirt>(cluster, KUBEVIRTS, {
    clock,
    onChange: ({ object }) => {
      const network = object.spec.configuration?.migrations?.network
      last = last.then(() => askFor(network)).catch(onError)
    },
  })

  async function askFor(network: string | undefined): Promise<void> {
    const wanted = network ? `${network}@migration0` : undefined
    const { spec } = await get<DaemonSet>(cluster, DAEMON_SETS, HANDLERS)
    if (spec.template.metadata?.annotations?.[NETWORKS_ANNOTATION] === wanted) return
    const metadata = { annotations: { [NETWORKS_ANNOTATION]: wanted ?? null } }
    await patch(cluster, DAEMON_SETS, HANDLERS, { spec: { template: { metadata } } }, 'merge')
  }

  return {
    async close() {
      await kubevirts.close()
      await last
    },
  }
}
