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
import type { NodeContainer } from './kubelet-server.ts'
import type { NodeLog, NodeRecord } from './log.ts'

/** What can be read of the containers of one node, and run in them. */
export interface NodeContainers {
  handlerLog: NodeLog
  /** @param pod of a virt-launcher */
  launcherLog(pod: Pod): NodeLog
  find(pod: Pod, container: string, facts: HandlerFacts): NodeContainer
  /** There is no such pod any more; its log goes with it. */
  forget(pod: Pod): void
}

/** @param all gets every line too */
export function nodeContainers(
  launchers: LauncherPods,
  clock: Clock,
  all: NodeLog,
): NodeContainers {
  const handler = containerLog()
  const byPod = new Map<string, ContainerLog>()
  const into = (log: ContainerLog, component: string): NodeLog => {
    const write = jsonLog({ write: (text) => log.write(text.trimEnd(), clock.now()) }, clock)
    return (record: NodeRecord) => {
      const line = { component, ...record }
      write(line)
      all(line)
    }
  }
  return {
    handlerLog: into(handler, 'virt-handler'),
    launcherLog({ metadata: { uid = '' } }) {
      const log = containerLog()
      byPod.set(uid, log)
      return into(log, 'virt-launcher')
    },
    find({ metadata }, container, facts) {
      const app = metadata.labels?.[LABEL.app]
      if (app === 'virt-handler' && container === 'virt-handler')
        return { log: handler, run: (argv) => runInHandler(argv, facts) }
      const its = launchers.ofPod(metadata.namespace, metadata.name)
      const isCompute = app === 'virt-launcher' && container === 'compute'
      return {
        log: (isCompute && byPod.get(metadata.uid ?? '')) || containerLog(),
        run: async (argv) =>
          isCompute && its ? runInLauncher(argv, its.launcher.baseDir) : noSuchProgram(argv),
      }
    },
    forget({ metadata }) {
      byPod.delete(metadata.uid ?? '')
    },
  }
}
