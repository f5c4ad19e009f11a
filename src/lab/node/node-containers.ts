import { hash } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { LABEL } from '../../kubevirt/labels.ts'
import type { ContainerStatus, Pod } from '../../kubevirt/types.ts'
import { jsonLog } from '../../proxy/log.ts'
import { refused } from './command-forms.ts'
import { type HandlerFacts, runInHandler, runInLauncher } from './container-commands.ts'
import { type ContainerLog, containerLog } from './container-log.ts'
import type { LauncherPods } from './handler-context.ts'
import type { KubeletContainer, KubeletPod } from './kubelet-server.ts'
import type { NodeLog, NodeRecord } from './log.ts'

/** What can be read of the containers of one node, run in them, and reached of their pods. */
export interface NodeContainers {
  /** Of the virt-handler that runs now. */
  handlerLog: NodeLog
  /** @param pod of a virt-launcher */
  launcherLog(pod: Pod): NodeLog
  /** A line of one of KubeVirt's components that runs elsewhere in this program: its pod here says it. */
  componentLog(record: NodeRecord & { component: string }): void
  started(pod: Pod): void
  /** Its container has ended, and another takes its place; the kubelet keeps the log of the last one. */
  restarts(pod: Pod): void
  ended(pod: Pod): void
  find(pod: Pod, facts: HandlerFacts): KubeletPod
  /** There is no such pod any more; its logs go with it. */
  forget(pod: Pod): void
}

/** @param all gets every line too */
export function nodeContainers(
  launchers: LauncherPods,
  clock: Clock,
  all: NodeLog,
): NodeContainers {
  /** Of each pod that is known, by uid; of its first container, which is what the lab plays. */
  const logs = new Map<string, ContainerLog>()
  /** Of the container before that one, where there was one. */
  const earlier = new Map<string, ContainerLog>()
  /** Of the pod of a component that runs now; what comes before there is one is kept for it. */
  const current = new Map<string, ContainerLog>()
  const currentLog = (component: string) =>
    current.get(component) ?? setAndGet(current, component, containerLog())
  const write = (log: ContainerLog, record: NodeRecord) =>
    jsonLog({ write: (text) => log.write(text.trimEnd(), clock.now()) }, clock)(record)
  const into = (log: () => ContainerLog, component: string): NodeLog => {
    return (record: NodeRecord) => {
      const line = { component, ...record }
      write(log(), line)
      all(line)
    }
  }

  /** As a kubelet decides whose log it shows, and in its words where there is none. */
  function logOf(pod: Pod, container: string, previous: boolean): ContainerLog | Refusal {
    const named = `container "${container}" in pod "${pod.metadata.name}"`
    const status = statusOf(pod, container)
    if (!status) return { refused: `${named} is not available` }
    const isMain = pod.spec.containers[0]?.name === container
    const kept = (all: Map<string, ContainerLog>) =>
      isMain ? all.get(pod.metadata.uid ?? '') : undefined
    if (previous) return kept(earlier) ?? { refused: `previous terminated ${named} not found` }
    if (status.state?.running || status.state?.terminated) return kept(logs) ?? containerLog()
    return kept(earlier) ?? { refused: `${named} is waiting to start${whatFor(status)}` }
  }

  function runIn(pod: Pod, container: string, facts: HandlerFacts): KubeletContainer['run'] {
    if (!statusOf(pod, container)?.state?.running) return undefined
    const app = pod.metadata.labels?.[LABEL.app]
    if (app === 'virt-handler' && container === 'virt-handler')
      return (argv) => runInHandler(argv, facts)
    const its = launchers.ofPod(pod.metadata.namespace, pod.metadata.name)
    if (its && container === 'compute') return (argv) => runInLauncher(argv, its.launcher.baseDir)
    return async (argv) => refused(argv, [])
  }

  return {
    handlerLog: into(() => currentLog('virt-handler'), 'virt-handler'),
    launcherLog: (pod) => {
      const log = setAndGet(logs, pod.metadata.uid ?? '', containerLog())
      return into(() => log, 'virt-launcher')
    },
    componentLog: (record) => write(currentLog(record.component), record),
    started({ metadata: { uid = '', labels } }) {
      if (logs.has(uid)) return
      const component = labels?.[LABEL.app] ?? ''
      const isTaken = [...logs.values()].includes(currentLog(component))
      if (isTaken) current.set(component, containerLog())
      logs.set(uid, currentLog(component))
    },
    restarts({ metadata: { uid = '', labels } }) {
      const log = logs.get(uid)
      if (!log) return
      log.end()
      earlier.set(uid, log)
      logs.set(uid, setAndGet(current, labels?.[LABEL.app] ?? '', containerLog()))
    },
    ended({ metadata: { uid = '' } }) {
      logs.get(uid)?.end()
    },
    find(pod, facts) {
      return {
        ports: portsOf(pod, facts),
        container(name) {
          return {
            log: (previous) => logOf(pod, name, previous),
            run: runIn(pod, name, facts),
          }
        },
      }
    },
    forget({ metadata: { uid = '', labels } }) {
      const log = logs.get(uid)
      log?.end()
      logs.delete(uid)
      earlier.delete(uid)
      const component = labels?.[LABEL.app] ?? ''
      if (log && current.get(component) === log) current.delete(component)
    },
  }
}

interface Refusal {
  refused: string
}

function setAndGet<V>(map: Map<string, V>, key: string, value: V): V {
  map.set(key, value)
  return value
}

function statusOf({ status }: Pod, container: string): ContainerStatus | undefined {
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])]
  return all.find(({ name }) => name === container)
}

function whatFor({ state }: ContainerStatus): string {
  const reason = state?.waiting?.reason
  return reason === undefined ? ' - no logs yet' : `: ${WAITING[reason] ?? reason}`
}

const WAITING: Record<string, string> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
}

/** Only virt-handlers listen where others get to; what is in a guest's pod is behind it. */
function portsOf(pod: Pod, { ports, foreignPorts, address }: HandlerFacts): KubeletPod['ports'] {
  const isHandler = pod.metadata.labels?.[LABEL.app] === 'virt-handler'
  return {
    id: hash('sha256', pod.metadata.uid ?? ''),
    find(port) {
      if (!isHandler || foreignPorts.includes(port)) return undefined
      return ports[port] ?? { host: address, port }
    },
  }
}
