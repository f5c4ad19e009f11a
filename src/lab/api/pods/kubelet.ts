import type { ClientRequest } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import type { Node, Pod } from '../../../kubevirt/types.ts'
import type { Api } from '../api.ts'
import { asPod } from '../kinds/pod.ts'
import { badRequest, internalError, notFound } from '../status.ts'

/** Where a node's kubelet listens, as its Node object says. */
export interface Kubelet {
  host: string
  port: number
}

/** A pod that is to be looked into. */
export function demandPod({ store, kinds }: Api, namespace: string | undefined, name: string): Pod {
  const kind = kinds.find('', 'pods')!
  const found = store.get(kind, namespace, name)
  if (!found) throw notFound(kind, name)
  return asPod(found)
}

/** The container asked for, or the only one; 400 in Kubernetes' words. */
export function demandContainer({ metadata, spec }: Pod, asked: string | null): string {
  const names = spec.containers.map(({ name }) => name)
  const initNames = (spec.initContainers ?? []).map(({ name }) => name)
  if (asked) {
    if (names.includes(asked) || initNames.includes(asked)) return asked
    throw badRequest(`container ${asked} is not valid for pod ${metadata.name}`)
  }
  const [only, ...others] = names
  if (only !== undefined && others.length === 0) return only
  const init =
    initNames.length > 0 ? ` or one of the init containers: [${initNames.join(' ')}]` : ''
  throw badRequest(
    `a container name must be specified for pod ${metadata.name}, choose one of: [${names.join(' ')}]${init}`,
  )
}

/** The kubelet of the pod's node; 400 for a pod that has none, 500 for a node that does not say where its kubelet is. */
export function demandKubelet({ store, kinds }: Api, { metadata, spec }: Pod): Kubelet {
  if (!spec.nodeName) throw badRequest(`pod ${metadata.name} does not have a host assigned`)
  const node = store.get(kinds.find('', 'nodes')!, undefined, spec.nodeName) as unknown as
    | (Node & { status?: { daemonEndpoints?: { kubeletEndpoint?: { Port?: number } } } })
    | undefined
  if (!node) throw notFound({ group: '', plural: 'nodes' }, spec.nodeName)
  const host = node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address
  const port = node.status?.daemonEndpoints?.kubeletEndpoint?.Port
  if (!host || !port)
    throw internalError(`error dialing backend: node ${spec.nodeName} has no kubelet endpoint`)
  return { host, port }
}

/** A request to a kubelet, as the server; its certificate isn't verified, as in a cluster without a kubelet CA. */
export function kubeletRequest(
  { kubeletClient }: Api,
  kubelet: Kubelet,
  path: string,
  options: RequestOptions = {},
): ClientRequest {
  return httpsRequest({
    ...options,
    ...kubelet,
    ...kubeletClient,
    path,
    agent: false,
    rejectUnauthorized: false,
  })
}
