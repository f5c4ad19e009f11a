import { badRequest } from '../status.ts'
import type { UpgradeRoute } from '../upgrade.ts'
import { demandContainer, demandKubelet, demandPod } from './kubelet.ts'
import { tunnel } from './tunnel.ts'

/** `pods/NAME/exec`: a command in a container, by way of the node's kubelet. */
export const execRoute: UpgradeRoute = {
  resource: 'pods',
  subresource: 'exec',
  handle(api, call) {
    const { info, query } = call
    const pod = demandPod(api, info.namespace, info.name!)
    const container = demandContainer(pod, query.get('container'))
    if (!query.has('command'))
      throw badRequest('you must specify at least 1 command for the container')
    const path = `/exec/${info.namespace}/${info.name}/${container}?${kubeletQuery(query)}`
    return tunnel(api, call, demandKubelet(api, pod), path)
  },
}

/** `pods/NAME/attach`: what a lab's kubelets refuse in words of their own. */
export const attachRoute: UpgradeRoute = {
  resource: 'pods',
  subresource: 'attach',
  handle(api, call) {
    const { info, query } = call
    const pod = demandPod(api, info.namespace, info.name!)
    const container = demandContainer(pod, query.get('container'))
    const path = `/attach/${info.namespace}/${info.name}/${container}?${kubeletQuery(query)}`
    return tunnel(api, call, demandKubelet(api, pod), path)
  },
}

/** As a kubelet has it: `input=1&output=1&error=1&tty=1&command=…`. */
function kubeletQuery(query: URLSearchParams): URLSearchParams {
  const flags = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' }
  return new URLSearchParams([
    ...Object.entries(flags)
      .filter(([name]) => isOn(query, name))
      .map(([, name]) => [name, '1'] as [string, string]),
    ...query.getAll('command').map((word) => ['command', word] as [string, string]),
  ])
}

function isOn(query: URLSearchParams, name: string): boolean {
  return ['true', '1'].includes(query.get(name) ?? '')
}
