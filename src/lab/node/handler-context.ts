import type { Clock } from '../../clock.ts'
import type { KubeVirt, Node, Pod, Vmi } from '../../kubevirt/types.ts'
import type { PortMap } from '../../proxy/port-map.ts'
import type { EventRecorder } from '../events.ts'
import type { NodeFaults } from './faults/node-faults.ts'
import type { Launcher } from './launcher.ts'
import type { NodeLog } from './log.ts'
import type { NodeProxies } from './node-proxies.ts'
import type { VmiView } from './vmi-view.ts'

export interface LauncherPod {
  pod: Pod
  podIP: string
  launcher: Launcher
}

/** The launchers that run on the node now. */
export interface LauncherPods {
  ofPod(namespace: string | undefined, name: string | undefined): LauncherPod | undefined
  /** All pods of a VMI, as a VM may have its own and a target at once. */
  ofVmi(uid: string | undefined): LauncherPod[]
  all(): LauncherPod[]
}

/** What the parts of one virt-handler share. */
export interface HandlerContext {
  node: string
  clock: Clock
  log: NodeLog
  vmis: VmiView
  events: EventRecorder
  proxies: NodeProxies
  launchers: LauncherPods
  nodeObject(): Node | undefined
  kubevirt(): KubeVirt | undefined
  faults: NodeFaults
  /** Its process runs. */
  isUp(): boolean
  /** Called with what a target is about to publish, by the VMI's UID; gives what it does publish. */
  publish(vmiUid: string, ports: PortMap): Promise<PortMap>
  /** The target's listeners for the VMI are stopped. */
  unpublish(vmiUid: string): void
  /** A migration away from here has ended. */
  onEnded(vmi: Vmi, launcher: Launcher): void
}
