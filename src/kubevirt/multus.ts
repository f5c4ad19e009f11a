import { createHash } from 'node:crypto'
import type { Pod, VmiSpec } from './types.ts'

/** What Multus is asked for, and what it says it has done; both JSON lists on the pod. */
export const NETWORKS_ANNOTATION = 'k8s.v1.cni.cncf.io/networks'
export const NETWORK_STATUS_ANNOTATION = 'k8s.v1.cni.cncf.io/network-status'

export type Network = NonNullable<VmiSpec['networks']>[number]

/** Networks beside the pod's own. */
export function secondaryNetworks(spec: VmiSpec): Network[] {
  return (spec.networks ?? []).filter(({ multus }) => multus !== undefined && !multus.default)
}

/** The interface of a network inside of the pod: KubeVirt makes its name of the network's. */
export function podInterfaceName(network: string): string {
  return `pod${createHash('sha256').update(network).digest('hex').slice(0, 11)}`
}

/** `namespace/name` of a network attachment definition, whichever way it is written. */
export function attachmentName(networkName: string, namespace: string): string {
  return networkName.includes('/') ? networkName : `${namespace}/${networkName}`
}

/** The definition that each interface of the pod was made of, by the interface's name. */
export function attachedNetworks({ metadata }: Pod): Map<string, string> {
  const text = metadata.annotations?.[NETWORK_STATUS_ANNOTATION]
  try {
    const list = JSON.parse(text ?? '[]') as { name?: string; interface?: string }[]
    return new Map(list.map(({ name = '', interface: at = '' }) => [at, name]))
  } catch {
    return new Map()
  }
}

/** A network that Multus is asked to attach to a pod. */
export interface NetworkRequest {
  name: string
  namespace: string
  /** `net1`, `net2` … in the order of the list, unless the pod says otherwise. */
  interface: string
  mac?: string
}

/** What the pod asks of Multus, in either way to write it: a JSON list, or `[namespace/]name[@interface], …`. */
export function requestedNetworks({ metadata }: Pod): NetworkRequest[] {
  const text = metadata.annotations?.[NETWORKS_ANNOTATION]?.trim() ?? ''
  const own = metadata.namespace ?? ''
  return listOf(text).map(({ name, namespace = own, interface: at, mac }, index) => ({
    name,
    namespace,
    interface: at || `net${index + 1}`,
    ...(mac ? { mac } : {}),
  }))
}

type Element = Pick<NetworkRequest, 'name'> & Partial<NetworkRequest>

function listOf(text: string): Element[] {
  if (text.startsWith('[')) {
    try {
      return JSON.parse(text) as Element[]
    } catch {
      return []
    }
  }
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => {
      const [, namespace, name = one, at] = /^(?:([^/@]+)\/)?([^/@]+)(?:@(.+))?$/.exec(one) ?? []
      return { name, ...(namespace && { namespace }), ...(at && { interface: at }) }
    })
}
