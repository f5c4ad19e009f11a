import { hash } from 'node:crypto'
import { NETWORK_STATUS_ANNOTATION, requestedNetworks } from '../../kubevirt/multus.ts'
import type { Pod } from '../../kubevirt/types.ts'

/**
 * What Multus writes on a pod whose networks it has attached; nothing on one that asks for none.
 * @param addresses of secondary interfaces, by their names, where their network hands out addresses
 * @param missing interfaces that it could not make
 */
export function networkStatus(
  pod: Pod,
  podIP: string,
  addresses: Record<string, string> = {},
  missing: string[] = [],
): Record<string, string> {
  const asked = requestedNetworks(pod)
  if (asked.length === 0) return {}
  const requested = asked.filter((one) => !missing.includes(one.interface))
  const own = { name: 'lab', interface: 'eth0', ips: [podIP], default: true, dns: {} }
  const others = requested.map(({ name, namespace, interface: at, mac }) => ({
    name: `${namespace}/${name}`,
    interface: at,
    ...(addresses[at] ? { ips: [addresses[at]] } : {}),
    mac: mac ?? hardwareAddress(`${pod.metadata.uid} ${at}`),
    dns: {},
  }))
  return { [NETWORK_STATUS_ANNOTATION]: JSON.stringify([own, ...others]) }
}

/** A locally administered one, the same for the same seed. */
function hardwareAddress(seed: string): string {
  const rest = hash('sha1', seed, 'hex').slice(0, 10).match(/../g) ?? []
  return ['02', ...rest].join(':')
}
