import type { Clock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { startInformer } from '../cluster/informer.ts'
import { LABEL } from '../kubevirt/labels.ts'
import { PODS } from '../kubevirt/resources.ts'
import type { Pod } from '../kubevirt/types.ts'
import type { ComponentRecord } from './component-logs.ts'
import { NAMESPACE } from './seed.ts'

/**
 * The components that run in this program say what they do in their pods' logs: of several pods, in that of the one that
 * leads, which is the same until it goes. What comes before there is one waits for it.
 * @param say a line in the component's pod on a node
 */
export function componentVoices({
  cluster,
  clock,
  say,
}: {
  cluster: Cluster
  clock: Clock
  say(node: string, line: ComponentRecord): void
}): { tell(line: ComponentRecord): void; close(): Promise<void> } {
  const leaders = new Map<string, string>()
  let waiting: ComponentRecord[] = []
  const pods = startInformer<Pod>(cluster, PODS, {
    clock,
    namespace: NAMESPACE,
    onChange() {
      const before = waiting
      waiting = []
      for (const line of before) tell(line)
    },
  })

  function leaderOf(component: string): Pod | undefined {
    const able = pods
      .list()
      .filter((pod) => pod.metadata.labels?.[LABEL.app] === component && canSpeak(pod))
      .sort((a, b) => bornAt(a).localeCompare(bornAt(b)))
    const leader = able.find(({ metadata }) => metadata.uid === leaders.get(component)) ?? able[0]
    leaders.set(component, leader?.metadata.uid ?? '')
    return leader
  }

  function tell(line: ComponentRecord): void {
    const node = leaderOf(line.component)?.spec.nodeName
    if (node) say(node, line)
    else waiting.push(line)
  }

  return { tell, close: () => pods.close() }
}

function canSpeak({ metadata, status }: Pod): boolean {
  return status?.phase === 'Running' && metadata.deletionTimestamp === undefined
}

function bornAt({ metadata }: Pod): string {
  return `${metadata.creationTimestamp} ${metadata.name}`
}
