import type { UpgradeRoute } from '../upgrade.ts'
import { demandKubelet, demandPod } from './kubelet.ts'
import { tunnel } from './tunnel.ts'

/** `pods/NAME/portforward`: connections to ports of a pod, by way of the node's kubelet. */
export const portForwardRoute: UpgradeRoute = {
  resource: 'pods',
  subresource: 'portforward',
  handle(api, call) {
    const { info, query } = call
    const pod = demandPod(api, info.namespace, info.name!)
    const ports = query.getAll('ports').flatMap((text) => text.split(','))
    const asked = new URLSearchParams(ports.map((port) => ['port', port] as [string, string]))
    const path = `/portForward/${info.namespace}/${info.name}?${asked}`
    return tunnel(api, call, demandKubelet(api, pod), path)
  },
}
