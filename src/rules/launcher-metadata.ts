import { ANNOTATION, LABEL } from '../kubevirt/labels.ts'
import {
  attachmentName,
  NETWORKS_ANNOTATION,
  podInterfaceName,
  secondaryNetworks,
} from '../kubevirt/multus.ts'
import type { Vmi } from '../kubevirt/types.ts'

/** The VM's own, and whose pod it is (fact sheet control-plane.md §2.7). */
export function launcherLabels({ metadata }: Vmi): Record<string, string> {
  return {
    ...metadata.labels,
    [LABEL.app]: 'virt-launcher',
    [LABEL.createdBy]: metadata.uid ?? '',
    [LABEL.vmName]: metadata.name,
    [LABEL.vmiId]: metadata.name,
  }
}

/** What only concerns the VMI object itself stays there. */
const NOT_FOR_PODS: string[] = [
  'kubectl.kubernetes.io/last-applied-configuration',
  ANNOTATION.latestApiVersion,
  ANNOTATION.storageApiVersion,
]

/** The VM's own, and what KubeVirt and its neighbours read. */
export function launcherAnnotations(vmi: Vmi): Record<string, string> {
  const { name, namespace = '' } = vmi.metadata
  const own = Object.entries(vmi.metadata.annotations ?? {}).filter(
    ([key]) => !NOT_FOR_PODS.includes(key),
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

/** What Multus is to attach; an interface that is to go is left out. */
function multusNetworks({ spec, metadata }: Vmi): Record<string, string> {
  const { namespace = '' } = metadata
  const interfaces = spec.domain?.devices?.interfaces ?? []
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
  return elements.length > 0 ? { [NETWORKS_ANNOTATION]: JSON.stringify(elements) } : {}
}

function hasMasquerade({ spec }: Vmi): boolean {
  return (spec.domain?.devices?.interfaces ?? []).some(({ masquerade }) => masquerade !== undefined)
}
