import { isAtLeast, releaseOf } from '../../kubevirt/defaults.ts'
import { LABEL } from '../../kubevirt/labels.ts'
import { isStateOver, phaseOf, publishedPorts, stateOf } from '../../kubevirt/migration.ts'
import { LABEL_CONTROL } from '../../kubevirt/ports.ts'
import { KUBEVIRTS, PODS } from '../../kubevirt/resources.ts'
import type { KubeVirt, Migration, MigrationState, Pod, Vmi } from '../../kubevirt/types.ts'
import {
  ADDRESSES,
  type CertificateFolder,
  CONNECTIONS,
  certificateIn,
  connectionsIn,
  LISTENERS,
  type NodeCommand,
  routeTo,
  UNIX_LISTENERS,
} from '../../probe/commands.ts'
import type { Objects } from '../objects.ts'

/** One side of a migration, and what is to be run in its virt-handler. */
export interface SidePlan {
  role: 'source' | 'target'
  node: string
  pod: Pod
  certificates: CertificateFolder[]
  /** Its sockets are looked at. */
  live: boolean
  /** The target's, from the source; undefined before it is published. */
  routeTo: string | undefined
}

/** One connection to the port of label 0. */
export interface ConnectPlan {
  address: string
  port: number
  /** False: TLS is off, and a handshake would be garbage to virtqemud. */
  tls: boolean
}

/** A migration at one moment. */
export interface Standing {
  migration: Migration
  vmi: Vmi | undefined
}

/** What finding out about the proxies of one migration takes. */
export interface ProbePlan {
  migration: Migration
  /** As it was when the plan was made. */
  state: MigrationState
  sides: SidePlan[]
  /** What is run once from source to target, or why it is not. */
  connect: ConnectPlan | { why: string }
}

/** ms between two looks at the counters of a connection. */
export const APART_MS = 2000

/** Undefined where there are no proxies to look at: before hand-off, and once it has succeeded. */
export function planProbes(
  objects: Objects,
  migration: Migration,
  vmi: Vmi | undefined,
): ProbePlan | undefined {
  const state = stateOf(migration, vmi)
  if (!state || phaseOf(migration) === 'Succeeded') return undefined
  const kubevirt = objects.list<KubeVirt>(KUBEVIRTS.kind)[0]
  const live = whyNotLive(migration, state) === undefined
  const sides = (['source', 'target'] as const).flatMap((role): SidePlan[] => {
    const node = role === 'source' ? state.sourceNode : state.targetNode
    const pod = handlerOn(node, objects)
    if (node === undefined || !pod) return []
    const certificates: CertificateFolder[] =
      role === 'target' ? ['servercertificates'] : clientFolders(kubevirt)
    const address = role === 'source' ? state.targetNodeAddress : undefined
    return [{ role, node, pod, certificates, live, routeTo: address }]
  })
  return { migration, state, sides, connect: planConnect(migration, state, kubevirt) }
}

/** Of several, while it is rolled out, the newest. */
function handlerOn(node: string | undefined, objects: Objects): Pod | undefined {
  return objects
    .list<Pod>(PODS.kind)
    .filter(
      ({ metadata, spec }) =>
        metadata.labels?.[LABEL.app] === 'virt-handler' && spec.nodeName === node,
    )
    .sort((a, b) =>
      (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''),
    )[0]
}

/**
 * Why no connection may be made now; undefined when one may. Only while the listeners are this migration's and nothing
 * has ended: a connection to another's port would be taken for its own.
 */
export function whyNotLive(
  migration: Migration,
  state: MigrationState | undefined,
): string | undefined {
  const phase = phaseOf(migration)
  if (!['PreparingTarget', 'TargetReady', 'Running'].includes(phase))
    return `the migration is in ${phase || 'no phase yet'}: proxies listen from PreparingTarget to Running`
  if (state?.migrationUid === undefined || state.migrationUid !== migration.metadata.uid)
    return "the VMI's migration state is that of another migration"
  if (state.endTimestamp || isStateOver(state)) return 'the migration has ended'
  return undefined
}

export function planConnect(
  migration: Migration,
  state: MigrationState | undefined,
  kubevirt: KubeVirt | undefined,
): ConnectPlan | { why: string } {
  const why = whyNotLive(migration, state)
  if (why !== undefined) return { why }
  const control = publishedPorts(state).find(({ label }) => label === LABEL_CONTROL)
  const address = state?.targetNodeAddress
  if (!control || !address) return { why: 'the target has not published its ports yet' }
  const tls = kubevirt?.spec.configuration?.migrations?.disableTLS !== true
  return { address, port: control.port, tls }
}

/** All that is run on one side, by name; twice what is counted. */
export function commandsOf({ role, live, routeTo: address }: SidePlan) {
  const isSource = role === 'source'
  return {
    addresses: ADDRESSES,
    ...(live && { established: connectionsIn('established') }),
    ...(live && isSource && { connections: CONNECTIONS, unixListeners: UNIX_LISTENERS }),
    ...(live && !isSource && { listeners: LISTENERS }),
    ...(isSource && address !== undefined && { route: routeTo(address) }),
  }
}

/** Everything that would be run, for those who want to know before. */
export function plannedCommands(side: SidePlan): NodeCommand<unknown>[] {
  return [...Object.values(commandsOf(side)), ...side.certificates.map(certificateIn)]
}

/** What a source presents: up to 1.6 one certificate, then another, until 1.9 with the first in reserve (data-plane.md §2.3). */
function clientFolders(kubevirt: KubeVirt | undefined): CertificateFolder[] {
  const release = releaseOf(kubevirt)
  return release && !isAtLeast(release, 1, 7)
    ? ['clientcertificates']
    : ['migrationservercertificates']
}
