import type { Resource } from '../kubevirt/resources.ts'
import type { KubeObject, Quantity } from '../kubevirt/types.ts'

/** What can be broken in a lab, and in which way, for people. */
export const FAULT_TYPES = {
  ImagePullFails: 'no image of a launcher that starts on the node can be pulled',
  LauncherHangs: 'launchers on the node do not end when they are told to',
  LauncherOutOfMemory: 'a launcher that receives a guest on the node is killed for its memory',
  HandlerCrashes: 'virt-handler on the node ends as soon as it starts',
  HandlerRestarts: 'virt-handler on the node is started anew right after it has published ports',
  ListenerDies: "the proxy's listeners on the node are gone as soon as their ports are published",
  PortBlocked: 'packets to one of the ports that the node publishes are dropped',
  LinkStalled: 'what goes through the proxies of the node stops after some bytes',
  LinkSlow: 'what goes through the proxies of the node is held to a rate',
  UnknownAuthority: "virt-handler's certificates on the node are of an authority that nobody knows",
  CertificateExpired: "virt-handler's certificates on the node have expired",
  WrongCommonName: "virt-handler's certificates on the node have another common name",
  PlainText: 'virt-handler on the node takes TLS to be disabled',
  MigrationNetworkMissing: 'virt-handler on the node is not attached to the migration network',
} as const

export type FaultType = keyof typeof FAULT_TYPES

export interface FaultSpec {
  type: FaultType
  /** Default: all nodes. */
  node?: string
  /** PortBlocked: the label of the port; default 49153, the disk's. */
  label?: number
  /** LinkStalled: so much goes through before; default none. */
  after?: Quantity
  /** LinkSlow: so much a second. */
  rate?: Quantity
}

/**
 * Something that is broken in a lab on purpose: an object of the lab's own API, which the agents of the nodes watch. It is
 * broken from the object's creation to its deletion; status says on which nodes.
 */
export interface Fault extends KubeObject {
  spec: FaultSpec
  status?: { nodes?: Record<string, 'Broken'> }
}

export const LAB_GROUP = 'lab.kubectl-mig.io'

export const FAULTS: Resource = {
  group: LAB_GROUP,
  version: 'v1alpha1',
  plural: 'faults',
  kind: 'Fault',
  namespaced: false,
}
