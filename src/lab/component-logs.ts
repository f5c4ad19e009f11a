import type { NodeRecord } from './node/log.ts'
import { NAMESPACE } from './seed.ts'

/** A line of one of KubeVirt's components, as its pod says it (fact sheet data-plane.md §8.1). */
export type ComponentRecord = NodeRecord & { component: string; pos: string }

/** What virt-controller's parts call their objects when a pass over one has failed, and where they say it. */
const PARTS: Record<string, [what: string, pos: string]> = {
  'virt-controller-migration': ['Migration', 'migration.go:317'],
  'virt-controller-vmi': ['VirtualMachineInstance', 'vmi.go:290'],
  'virt-controller-vm': ['VirtualMachine', 'vm.go:370'],
  'virt-controller-evacuation': ['Node', 'evacuation.go:280'],
  'virt-controller-node': ['Node', 'node.go:140'],
  'virt-controller-workload-update': ['KubeVirt', 'workload-updater.go:260'],
}

/** A record of the lab's controllers in virt-controller's form; undefined for one of Kubernetes' own controllers. */
export function controllerLine(record: {
  level: 'info' | 'error'
  message: string
  [field: string]: unknown
}): ComponentRecord | undefined {
  const { level, message, controller, key, pos, ...rest } = record
  if (controller === undefined)
    return {
      component: 'virt-controller',
      kind: '',
      level,
      msg: message,
      pos: String(pos),
      ...rest,
    }
  const part = PARTS[String(controller)]
  if (!part) return undefined
  const msg = `${message} ${part[0]} ${key}`
  return { component: 'virt-controller', level, msg, pos: part[1], ...rest }
}

const COMMON_NAMES: Record<string, string> = {
  'virt-api': `virt-api.${NAMESPACE}.pod.cluster.local`,
  'virt-controller': `virt-controllers.${NAMESPACE}.pod.cluster.local`,
}

/** What a pod of the control plane says first; undefined for other pods. */
export function firstLine(component: string): ComponentRecord | undefined {
  const commonName = COMMON_NAMES[component]
  return commonName === undefined ? undefined : certificateLine(component, commonName)
}

/** What each component says when it has read one of its certificates (fact sheet data-plane.md §2.4). */
export function certificateLine(component: string, commonName: string): ComponentRecord {
  const msg = `certificate with common name '${commonName}' retrieved.`
  return { component, level: 'info', msg, pos: 'cert-manager.go:198' }
}
