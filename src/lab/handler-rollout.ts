import type { Clock } from '../clock.ts'
import { isStatus } from '../cluster/api-error.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { startInformer } from '../cluster/informer.ts'
import { create, getIfExists, list, remove } from '../cluster/objects.ts'
import { LABEL } from '../kubevirt/labels.ts'
import { NETWORKS_ANNOTATION } from '../kubevirt/multus.ts'
import { KUBEVIRTS, PODS } from '../kubevirt/resources.ts'
import type { KubeVirt, Pod } from '../kubevirt/types.ts'
import { componentPod, NAMESPACE } from './seed.ts'

/**
 * What virt-operator and the DaemonSet's controller do when the migration network of the KubeVirt CR changes: all
 * virt-handler pods are replaced, one after the other, by pods that ask for it (fact sheet data-plane.md §5).
 */
export function startHandlerRollout(options: {
  cluster: Cluster
  clock: Clock
  onError(err: unknown): void
}): { close(): Promise<void> } {
  const { cluster, clock, onError } = options
  const stop = new AbortController()
  let last = Promise.resolve()
  const kubevirts = startInformer<KubeVirt>(cluster, KUBEVIRTS, {
    clock,
    onChange: ({ object }) => {
      const network = object.spec.configuration?.migrations?.network
      last = last.then(() => rollOut(network)).catch(onError)
    },
  })

  async function rollOut(network: string | undefined): Promise<void> {
    const labelSelector = `${LABEL.app}=virt-handler`
    const { items } = await list<Pod>(cluster, PODS, { namespace: NAMESPACE, labelSelector })
    const wanted = network ? `${network}@migration0` : undefined
    for (const pod of items) {
      if (stop.signal.aborted) return
      if (pod.metadata.annotations?.[NETWORKS_ANNOTATION] !== wanted) await renew(pod, wanted)
    }
  }

  async function renew({ metadata, spec }: Pod, networks: string | undefined): Promise<void> {
    const old = { namespace: NAMESPACE, name: metadata.name }
    await remove(cluster, PODS, old, {}).catch((err) => {
      if (!isStatus(err, 404)) throw err
    })
    while (await getIfExists<Pod>(cluster, PODS, old)) await clock.sleep(50, stop.signal)
    const pod = componentPod('virt-handler', spec.nodeName ?? '', networks)
    await create(cluster, PODS, pod, { namespace: NAMESPACE })
  }

  return {
    async close() {
      stop.abort()
      await kubevirts.close()
      await last
    },
  }
}
