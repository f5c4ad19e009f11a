import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { connect } from '../cluster/config.ts'
import { create, patch } from '../cluster/objects.ts'
import { EXIT, MigError } from '../errors.ts'
import {
  CONFIG_MAPS,
  DAEMON_SETS,
  DEPLOYMENTS,
  KUBEVIRTS,
  NODES,
  VMS,
} from '../kubevirt/resources.ts'
import type { Quantity } from '../kubevirt/types.ts'
import { type NodeAddresses, nodeAddresses } from './addresses.ts'
import { startApiServer } from './api/server.ts'
import { type LabUser, wellKnownUsers } from './api/users.ts'
import { type ComponentRecord, controllerLine } from './component-logs.ts'
import { componentVoices } from './component-voices.ts'
import { startControllers } from './controller/controllers.ts'
import type { Log } from './controller/worker.ts'
import { startHandlerRollout } from './handler-rollout.ts'
import { handlerCertificates } from './node/certificates.ts'
import type { GuestKind } from './node/guest/kinds.ts'
import type { NodeLog } from './node/log.ts'
import { type OwnNetwork, startNodeProcess } from './node/node-process.ts'
import { type NodeThread, startNodeThread } from './node/node-thread.ts'
import { startNodeLifecycle } from './node-lifecycle.ts'
import { allRunning, componentsAre } from './ready.ts'
import type { Binaries } from './real-api/binaries.ts'
import { type AnyApiServer, startRealApiServer } from './real-api/server.ts'
import { playScenario } from './scenario/play.ts'
import type { Scenario } from './scenario/scenario.ts'
import { startScheduler } from './scheduler/scheduler.ts'
import { KUBEVIRT_STATUS, labKubeVirt, labNode, labVm, NAMESPACE } from './seed.ts'
import { seedStorage } from './storage/classes.ts'
import { startVolumeBinder } from './storage/volume-binder.ts'
import { controlPlaneDeployments, handlerDaemonSet } from './workloads/components.ts'
import { startWorkloads } from './workloads/workloads.ts'

export interface LabOptions {
  name: string
  nodes: number
  vms: number
  guest: GuestKind
  /** Of each guest; default 64Mi. */
  memory?: Quantity
  /** Memory that each guest writes a second; default none. */
  dirtyRate?: Quantity | undefined
  clock: Clock
  /** A real API server's, to run on that instead of the embedded one. */
  binaries?: Binaries | undefined
  /** Networks of their own, where nodes are not to share this machine's. */
  network?: LabNetwork | undefined
  /** What is done to it before it is ready. */
  scenario?: Scenario | undefined
  log?: NodeLog
  /** Ends the start, and what has been started of it. */
  signal?: AbortSignal
  /** It takes its time to get ready: what it waits for. */
  onWait?: ((what: string) => void) | undefined
  /** There is a folder now that must not outlive the lab. */
  onSockets?(folder: string): Promise<void>
}

/** As many nodes as the lab has, each on a network of its own; an API server that all of them reach. */
export interface LabNetwork {
  apiAddress: string
  nodes: readonly NodePlace[]
}

interface NodePlace extends OwnNetwork {
  addresses: NodeAddresses
}

/** A whole small cluster with KubeVirt: API server, controllers and scheduler in this thread, each node in its own. */
export interface Lab {
  readonly name: string
  /** Of the API server. */
  readonly url: string
  readonly api: AnyApiServer
  readonly nodes: readonly NodeThread[]
  /** Where the sockets of all pods are. */
  readonly socketFolder: string
  /** With a context for every account of the lab; holds their tokens. */
  kubeconfig(): string
  /** An account's way to the API, by context; the caller closes it. */
  connect(context: string): Promise<Cluster>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const CONTROLLER = 'system:serviceaccount:kubevirt:kubevirt-controller'
const HANDLER = 'system:serviceaccount:kubevirt:kubevirt-handler'

/** Starts a lab; it is ready when this resolves: nodes Ready, VMs Running, its scenario reached. What was started is closed again on failure. */
export async function startLab(options: LabOptions): Promise<Lab> {
  const { name, clock, log = () => {}, signal, onWait } = options
  const waiting = { clock, signal, onWait }
  const opened: (() => Promise<unknown>)[] = []
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= closeAll(opened)
    return closing
  }
  try {
    const names = Array.from({ length: options.nodes }, (_, i) => `node-${i + 1}`)
    const places = options.network?.nodes
    const addresses =
      places?.map((place) => place.addresses) ?? (await nodeAddresses(name, options.nodes))
    const socketFolder = await shortFolder()
    opened.push(() => rm(socketFolder, { recursive: true, force: true }))
    await options.onSockets?.(socketFolder)
    const [api, certificates] = await Promise.all([
      startApi(options, wellKnownUsers(names), socketFolder),
      handlerCertificates(clock.now()),
    ])
    opened.push(api.close)
    const kubeconfig = () => api.kubeconfig('admin', { namespace: 'default' })
    const account = (context: string) =>
      connect({ kubeconfigText: kubeconfig(), context, clock, env: {} })
    const open = async (context: string) => {
      const cluster = await account(context)
      opened.push(() => cluster.close())
      return cluster
    }

    const admin = await open('admin')
    await seedCluster(admin, names, addresses, certificates.ca)
    signal?.throwIfAborted()
    const starting = names.map((node, index) => {
      const place = places?.[index]
      return (place ? startNodeProcess(place) : startNodeThread)(
        {
          node,
          number: index + 1,
          addresses: addresses[index] ?? { pod: '127.0.0.1', migration: '127.0.0.1' },
          kubeconfig: kubeconfig(),
          contexts: { kubelet: `system:node:${node}`, handler: `${HANDLER}@${node}` },
          ...certificates,
          apiServerCa: api.caCert,
          folder: socketFolder,
          guests: options.guest,
          ownNetwork: place !== undefined,
        },
        log,
      )
    })
    // Also those that are not ready yet when the start is given up.
    opened.push(() => Promise.allSettled(starting.map(async (node) => (await node).close())))
    const threads = Promise.all(starting)
    threads.catch(() => {})
    const keep = <T extends { close(): Promise<void> }>(one: T) => {
      opened.push(() => one.close())
    }
    const say = (node: string, line: ComponentRecord) =>
      void starting[names.indexOf(node)]?.then((one) => one.componentLog(line)).catch(() => {})
    const voices = componentVoices({ cluster: admin, clock, say })
    keep(voices)
    const managerLog: Log = ({ level, message, reason }) =>
      log({ level, component: 'kube-controller-manager', msg: message, reason: String(reason) })
    await Promise.all([
      startScheduler({ cluster: await open('system:kube-scheduler'), clock }).then(keep),
      startControllers({
        cluster: await open(CONTROLLER),
        clock,
        log: (record) => {
          const line = controllerLine(record)
          if (!line) return managerLog(record)
          log(line)
          voices.tell(line)
        },
      }).then(keep),
      startWorkloads({
        cluster: admin,
        clock,
        log: managerLog,
      }).then(keep),
      startNodeLifecycle({
        cluster: admin,
        clock,
        onError: (err) =>
          log({
            level: 'error',
            component: 'kube-controller-manager',
            msg: "A node's state could not be written",
            reason: String(err),
          }),
      }).then(keep),
      startVolumeBinder({
        cluster: admin,
        clock,
        log: managerLog,
      }).then(keep),
      // Where VMs go depends on what is there already.
      componentsAre('placed', admin, options.nodes, waiting).then(() => seedVms(admin, options)),
    ])
    const nodes = await threads
    keep(
      startHandlerRollout({
        cluster: admin,
        clock,
        onError: (err) =>
          log({
            level: 'error',
            component: 'virt-operator',
            msg: 'Rolling virt-handler out failed',
            reason: String(err),
          }),
      }),
    )
    await componentsAre('ready', admin, options.nodes, waiting)
    await allRunning(admin, options.vms, waiting)
    if (options.scenario) await playScenario(options.scenario, { admin, ...waiting })
    return {
      name,
      url: api.url,
      api,
      nodes,
      socketFolder,
      kubeconfig,
      connect: account,
      close,
      [Symbol.asyncDispose]: close,
    }
  } catch (err) {
    await close()
    throw err
  }
}

/** What it writes is in the lab's folder of sockets, which a lab that was killed leaves to `lab down`. */
function startApi(
  { name, clock, binaries, network }: LabOptions,
  users: LabUser[],
  parentFolder: string,
): Promise<AnyApiServer> {
  return binaries
    ? startRealApiServer({ binaries, clock, name, users, parentFolder })
    : startApiServer({ clock, name, users, ...(network && { address: network.apiAddress }) })
}

/** Last opened, first closed. */
async function closeAll(opened: (() => Promise<unknown>)[]): Promise<void> {
  for (const one of opened.splice(0).reverse()) await one()
}

async function seedCluster(
  admin: Cluster,
  names: string[],
  addresses: NodeAddresses[],
  ca: string,
): Promise<void> {
  const kubevirt = { namespace: 'kubevirt', name: 'kubevirt' }
  await create(admin, KUBEVIRTS, labKubeVirt(), { namespace: kubevirt.namespace })
  const status = { status: KUBEVIRT_STATUS }
  await patch(admin, KUBEVIRTS, { ...kubevirt, subresource: 'status' }, status, 'merge')
  const bundle = { metadata: { name: 'kubevirt-ca' }, data: { 'ca-bundle': ca } }
  await create(admin, CONFIG_MAPS, bundle, { namespace: kubevirt.namespace })
  await seedStorage(admin)
  await Promise.all(
    names.map((node, i) => create(admin, NODES, labNode(node, addresses[i]?.pod ?? ''))),
  )
  const at = { namespace: NAMESPACE }
  await Promise.all([
    create(admin, DAEMON_SETS, handlerDaemonSet(), at),
    ...controlPlaneDeployments(names.slice(0, 2)).map((one) => create(admin, DEPLOYMENTS, one, at)),
  ])
}

/** vm-1, vm-2 …; the last one has a local disk, where there are several. */
async function seedVms(admin: Cluster, { vms, memory = '64Mi', dirtyRate }: LabOptions) {
  for (let number = 1; number <= vms; number++) {
    const vm = labVm(`vm-${number}`, { memory, dirtyRate }, vms > 1 && number === vms)
    await create(admin, VMS, vm, { namespace: 'default' })
  }
}

/**
 * The names of unix sockets may have 103 characters, and a launcher's take up to 84 of them: the folder is made in /tmp
 * even where the system's own temporary folder has a long name (macOS).
 */
async function shortFolder(): Promise<string> {
  const longest = 103 - 84
  for (const parent of new Set(['/tmp', tmpdir()])) {
    const prefix = join(parent, 'mig-')
    if (prefix.length + 6 > longest) continue
    const folder = await mkdtemp(prefix).catch(() => undefined)
    if (folder !== undefined) return folder
  }
  throw new MigError(
    EXIT.error,
    `a lab needs a folder with a short path for its sockets, and neither /tmp nor ${tmpdir()} is one that can be written`,
    { hint: 'set TMPDIR to a folder with a path of at most 8 characters' },
  )
}
