import { createHash } from 'node:crypto'
import { ANNOTATION, LABEL } from '../kubevirt/labels.ts'
import {
  attachmentName,
  NETWORKS_ANNOTATION,
  podInterfaceName,
  secondaryNetworks,
} from '../kubevirt/multus.ts'
import type { Pod, Vmi } from '../kubevirt/types.ts'

/** The VM's own, and whose pod it is (fact sheet control-plane.md §2.7). */
export function launcherLabels(vmi: Vmi): Record<string, string> {
  const { metadata } = vmi
  return {
    ...metadata.labels,
    [LABEL.app]: 'virt-launcher',
    [LABEL.createdBy]: metadata.uid ?? '',
    [LABEL.vmName]: hostnameOf(vmi),
    [LABEL.vmiId]: identifierOf(metadata.name),
  }
}

const LABEL_LENGTH = 63
const HASH_LENGTH = 8

/** A name that is too long for a label is cut, and told from its like by a hash: known from public code. */
function identifierOf(name: string): string {
  if (name.length <= LABEL_LENGTH) return name
  const hash = createHash('sha1').update(name).digest('hex').slice(0, HASH_LENGTH)
  return `${name.slice(0, LABEL_LENGTH - HASH_LENGTH - 1)}-${hash}`
}

const DEFAULT_NETWORK_ANNOTATION = 'v1.multus-cni.io/default-network'

/** What only concerns the VMI object itself stays there; these are beginnings. */
const NOT_FOR_PODS: string[] = [
  'kubectl.kubernetes.io',
  ANNOTATION.latestApiVersion,
  ANNOTATION.storageApiVersion,
]

/** The VM's own, and what KubeVirt and its neighbours read. */
export function launcherAnnotations(vmi: Vmi): Record<string, string> {
  const { name, namespace = '' } = vmi.metadata
  const own = Object.entries(vmi.metadata.annotations ?? {}).filter(
    ([key]) => !NOT_FOR_PODS.some((prefix) => key.startsWith(prefix)),
  )
  const freezer = (action: string) =>
    `["/usr/bin/virt-freezer", "--${action}", "--name", "${name}", "--namespace", "${namespace}"]`
  return {
    ...Object.fromEntries(own),
    [ANNOTATION.domain]: name,
    [ANNOTATION.migrationTransportUnix]: 'true',
    'descheduler.alpha.kubernetes.io/request-evict-only': '',
    'kubectl.kubernetes.io/default-container': 'compute',
    'pre.hook.backup.velero.io/container': 'compute',
    'pre.hook.backup.velero.io/command': freezer('freeze'),
    'pre.hook.backup.velero.io/timeout': '60s',
    'post.hook.backup.velero.io/container': 'compute',
    'post.hook.backup.velero.io/command': freezer('unfreeze'),
    ...multusNetworks(vmi),
    ...(hasMasquerade(vmi)
      ? {
          'istio.io/reroute-virtual-interfaces': 'k6t-eth0',
          'traffic.sidecar.istio.io/kubevirtInterfaces': 'k6t-eth0',
        }
      : {}),
  }
}

/** The name that the guest gets: the VM's up to its first dot, no longer than a label, unless it has one. */
export function hostnameOf({ metadata, spec }: Vmi): string {
  return spec.hostname || (metadata.name.split('.')[0] ?? '').slice(0, LABEL_LENGTH)
}

/** What Multus is to attach, and the network that it is to take for the pod's own. */
function multusNetworks(vmi: Vmi): Record<string, string> {
  const text = multusRequest(vmi)
  const primary = (vmi.spec.networks ?? []).find(({ multus }) => multus?.default)?.multus
  return {
    ...(text === '' ? {} : { [NETWORKS_ANNOTATION]: text }),
    ...(primary ? { [DEFAULT_NETWORK_ANNOTATION]: primary.networkName } : {}),
  }
}

/**
 * What the pod of a running VM is to ask of Multus when an interface came or goes: a controller of dynamic networks would
 * act on it. Undefined where it says so already.
 */
export function multusUpdate(vmi: Vmi, { metadata }: Pod): string | undefined {
  const known = (name: string) => vmi.status?.interfaces?.some((one) => one.name === name)
  const interfaces = vmi.spec.domain?.devices?.interfaces ?? []
  const isChanging = interfaces.some(
    (one) => one['state'] === 'absent' || (!known(one.name) && one['sriov'] === undefined),
  )
  if (!isChanging) return undefined
  const text = multusRequest(vmi, (one) => one['sriov'] === undefined || known(one.name) === true)
  return text === (metadata.annotations?.[NETWORKS_ANNOTATION] ?? '') ? undefined : text
}

/** A JSON list, or nothing at all; an interface that is to go is left out. */
function multusRequest(
  { spec, metadata }: Vmi,
  counts: (one: { name: string; [binding: string]: unknown }) => boolean = () => true,
): string {
  const { namespace = '' } = metadata
  const interfaces = (spec.domain?.devices?.interfaces ?? []).filter(counts)
  const elements = secondaryNetworks(spec).flatMap(({ name, multus }) => {
    const its = interfaces.find((one) => one.name === name)
    if (!multus || !its || its['state'] === 'absent') return []
    const [at, definition] = attachmentName(multus.networkName, namespace).split('/')
    const mac = its['macAddress']
    return [
      {
        name: definition,
        namespace: at,
        ...(mac ? { mac } : {}),
        interface: podInterfaceName(name),
      },
    ]
  })
  return elements.length > 0 ? JSON.stringify(elements) : ''
}

function hasMasquerade({ spec }: Vmi): boolean {
  return (spec.domain?.devices?.interfaces ?? []).some(({ masquerade }) => masquerade !== undefined)
}
