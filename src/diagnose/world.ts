import type { Evidence } from '../evidence/evidence.ts'
import { releaseOf } from '../kubevirt/defaults.ts'
import { LABEL } from '../kubevirt/labels.ts'
import type { Event, KubeVirt, Migration, Node, Pod, Vmi } from '../kubevirt/types.ts'
import { runningMigrations } from '../rules/capacity.ts'
import { createLookup } from './lookup.ts'
import type { World } from './subject.ts'

/** The cluster as the checks look at it. */
export function worldOf(evidence: Evidence, now: number): World {
  const { objects } = evidence
  const kubevirt = objects.list<KubeVirt>('KubeVirt')[0]
  const pods = objects.list<Pod>('Pod')
  const handlers = new Map<string, Pod>()
  for (const pod of pods) {
    const node = pod.spec.nodeName
    if (pod.metadata.labels?.[LABEL.app] !== 'virt-handler' || !node) continue
    const known = handlers.get(node)
    if (!known || (pod.metadata.creationTimestamp ?? '') > (known.metadata.creationTimestamp ?? ''))
      handlers.set(node, pod)
  }
  const migrations = objects.list<Migration>('VirtualMachineInstanceMigration')
  return {
    evidence,
    now,
    kubevirt,
    release: releaseOf(kubevirt),
    migrations,
    running: runningMigrations({ migrations, pods }).length,
    lookup: createLookup(pods, objects.list<Event>('Event')),
    vmis: objects.list<Vmi>('VirtualMachineInstance'),
    pods,
    nodes: objects.list<Node>('Node'),
    handlers,
  }
}
