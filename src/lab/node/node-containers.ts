import { hash } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { LABEL } from '../../kubevirt/labels.ts'
import type { Pod } from '../../kubevirt/types.ts'
import { jsonLog } from '../../proxy/log.ts'
import {
  type HandlerFacts,
  noSuchProgram,
  runInHandler,
  runInLauncher,
} from './container-commands.ts'
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

  function logOf(pod: Pod, container: string): ContainerLog {
    const isMain = pod.spec.containers[0]?.name === container
    return (isMain && logs.get(pod.metadata.uid ?? '')) || containerLog()
  }

  function runIn(pod: Pod, container: string, facts: HandlerFacts): KubeletContainer['run'] {
    if (!stateOf(pod, container)?.running) return undefined
    const app = pod.metadata.labels?.[LABEL.app]
    if (app === 'virt-handler' && container === 'virt-handler')
      return (argv) => runInHandler(argv, facts)
    const its = launchers.ofPod(pod.metadata.namespace, pod.metadata.name)
    if (its && container === 'compute') return (argv) => runInLauncher(argv, its.launcher.baseDir)
    return async (argv) => noSuchProgram(argv)
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
    ended({ metadata: { uid = '' } }) {
      logs.get(uid)?.end()
    },
    find(pod, facts) {
      return {
        ports: portsOf(pod, facts),
        container(name) {
          return {
            log: (previous) => {
              const refused = whyNoLog(pod, name, previous)
              return refused === undefined ? logOf(pod, name) : { refused }
            },
            run: runIn(pod, name, facts),
          }
        },
      }
    },
    forget({ metadata: { uid = '' } }) {
      logs.get(uid)?.end()
      logs.delete(uid)
    },
  }
}

function setAndGet<V>(map: Map<string, V>, key: string, value: V): V {
  map.set(key, value)
  return value
}

interface ContainerState {
  running?: object
  terminated?: object
  waiting?: { reason?: string }
}

function statusOf({ status }: Pod, container: string) {
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])]
  return all.find(({ name }) => name === container)
}

function stateOf(pod: Pod, container: string): ContainerState | undefined {
  return statusOf(pod, container)?.state as ContainerState | undefined
}

/** In a kubelet's words. No container of a lab has been restarted, so none has logs of before. */
function whyNoLog(pod: Pod, container: string, previous: boolean): string | undefined {
  const named = `container "${container}" in pod "${pod.metadata.name}"`
  const state = stateOf(pod, container)
  if (!state) return `${named} is not available`
  if (previous) return `previous terminated ${named} not found`
  if (state.waiting) return `${named} is waiting to start: ${state.waiting.reason ?? ''}`
  return undefined
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
