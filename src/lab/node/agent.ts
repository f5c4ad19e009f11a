// Longer than other files: here all that runs on a node is put together, and each part has a file of its own.
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import { connect } from '../../cluster/config.ts'
import { startInformer } from '../../cluster/informer.ts'
import { patch } from '../../cluster/objects.ts'
import { LABEL } from '../../kubevirt/labels.ts'
import { HANDLER_PORT } from '../../kubevirt/metrics.ts'
import { requestedNetworks } from '../../kubevirt/multus.ts'
import { KUBEVIRTS, NODES, PODS } from '../../kubevirt/resources.ts'
import type { KubeVirt, Node, Pod } from '../../kubevirt/types.ts'
import { readCertificates } from '../../tls/certificate.ts'
import type { NodeAddresses } from '../addresses.ts'
import { LAB_ANNOTATION } from '../annotations.ts'
import type { KeyPair } from '../certificates.ts'
import { certificateLine, firstLine } from '../component-logs.ts'
import { eventRecorder } from '../events.ts'
import { claimFiles } from './claim-files.ts'
import type { HandlerFacts } from './container-commands.ts'
import { copyMetrics } from './copy-metrics.ts'
import { type Breakage, createBreakage } from './faults/breakage.ts'
import { watchFaults } from './faults/node-faults.ts'
import { type GuestKind, guestMaker } from './guest/kinds.ts'
import { handlerQueue, stopGuest } from './handler.ts'
import type { HandlerContext, LauncherPod, LauncherPods } from './handler-context.ts'
import { handlerLife } from './handler-life.ts'
import { handlerRecord } from './handler-words.ts'
import { startHeartbeats } from './heartbeat.ts'
import { type PodNetwork, type PodProcess, startKubelet } from './kubelet.ts'
import { serveKubelet } from './kubelet-server.ts'
import { startLauncher } from './launcher.ts'
import type { NodeLog, NodeRecord } from './log.ts'
import { lookFor, markMigrated } from './marker.ts'
import { serveMetrics } from './metrics-server.ts'
import { nodeContainers } from './node-containers.ts'
import { nodeProxies } from './node-proxies.ts'
import { networkStatus } from './pod-networks.ts'
import { keyOf, watchVmis } from './vmi-view.ts'

/** All that a node's thread is given; it can be sent from one thread to another. */
export interface AgentSpec {
  node: string
  /** From 1: its pods are 10.244.<number>.x. */
  number: number
  /** Where the node's virt-handler and, on one of them, its proxies listen. */
  addresses: NodeAddresses
  /** With a context for the node's kubelet and one for its virt-handler. Holds tokens. */
  kubeconfig: string
  contexts: { kubelet: string; handler: string }
  /** PEM. */
  ca: string
  certificates: { server: KeyPair; client: KeyPair }
  /** Of these certificates; only a fault asks for more of them. */
  authority: KeyPair
  /** PEM of the authority that the API server's own client certificate is of. */
  apiServerCa: string
  /** A folder with a short path, for the pods' sockets. */
  folder: string
  guests: GuestKind
  /** It shares no network with other nodes: what the kernel knows of it is the node's alone. */
  ownNetwork: boolean
}

/** The interface of virt-handler's pod on the migration network. */
const MIGRATION_INTERFACE = 'migration0'

export interface Agent {
  /** A line of a component of KubeVirt's that has a pod on this node. */
  componentLog(record: NodeRecord & { component: string }): void
  close(): Promise<void>
}

/** Plays everything that runs on one node: kubelet, virt-handler with its proxies, and the virt-launchers. */
export async function startAgent(spec: AgentSpec, clock: Clock, log: NodeLog): Promise<Agent> {
  const { node, kubeconfig } = spec
  const account = (context: string) =>
    connect({ kubeconfigText: kubeconfig, context, clock, env: {} })
  const kubelet = await account(spec.contexts.kubelet)
  const handler = await account(spec.contexts.handler)
  const launchers = new Map<string, LauncherPod>()
  const guests = guestMaker(spec.guests, clock)
  let lastAddress = 0
  let lastFolder = 0
  let handlerPod: Pod['metadata'] | undefined
  const pods = lookUp(launchers)
  const files = claimFiles(spec.folder)
  const containers = nodeContainers(pods, clock, log)
  const { handlerLog } = containers
  sayCertificates()

  const { addresses } = spec
  const faults = await watchFaults({
    cluster: kubelet,
    clock,
    node,
    act: () => breakage.act(),
    onError: (err) => log({ level: 'error', msg: 'A fault does not come', reason: String(err) }),
  })
  const breakage: Breakage = createBreakage({
    clock,
    faults,
    identity: { ca: spec.ca, certificates: spec.certificates },
    authority: spec.authority,
    log(record) {
      const said = handlerRecord(record, breakage.isRefused())
      if (said) handlerLog({ ...said })
    },
    address: () => proxies.address,
    stopListening: (vmiUid) => proxies.manager.stopTargetListener(vmiUid),
    life: () => life,
    pullAgain: () => kubeletAgent.again(),
    attachAgain,
  })
  const proxies = nodeProxies({
    address: addresses.pod,
    tls: () =>
      migrations()?.disableTLS || faults.of('PlainText') ? 'disabled' : breakage.identity(),
    clock,
    log: breakage.tell,
  })
  const metrics = copyMetrics(node)
  const server = await serveMetrics({
    address: addresses.pod,
    pair: spec.certificates.server,
    text: () => metrics.text(pods, clock.now()),
  })

  const nodes = startInformer<Node>(handler, NODES, {
    fieldSelector: `metadata.name=${node}`,
    clock,
  })
  const kubevirts = startInformer<KubeVirt>(handler, KUBEVIRTS, { clock })
  await Promise.all([nodes.synced, kubevirts.synced])

  let wake: (key: string) => void = () => {}
  const vmis = await watchVmis({ cluster: handler, clock, node, onChange: (key) => wake(key) })
  const events = eventRecorder(handler, clock, { component: 'virt-handler', host: node })
  const podEvents = eventRecorder(kubelet, clock, { component: 'kubelet', host: node })
  const context: HandlerContext = {
    node,
    clock,
    log: handlerLog,
    vmis,
    events,
    proxies,
    launchers: pods,
    faults,
    isUp: () => life.isUp,
    publish: breakage.publish,
    unpublish: breakage.unpublish,
    nodeObject: () => nodes.get(undefined, node),
    kubevirt: () => kubevirts.list()[0],
    onEnded: (vmi, launcher) => {
      if (launcher.domain.outgoing) metrics.ended(vmi, launcher.domain.outgoing)
    },
  }
  const queue = handlerQueue(context)
  wake = (key) => life.isUp && queue.add(key)
  const life = handlerLife({
    clock,
    pod: () => handlerPod && kubeletAgent.pod(handlerPod.namespace ?? '', handlerPod.name),
    report: (pod, status) => kubeletAgent.report(pod, status),
    onDown: () => proxies.restart(proxies.address),
    onRestart: containers.restarts,
    async onUp() {
      sayCertificates()
      for (const vmi of vmis.list()) queue.add(keyOf(vmi))
    },
  })

  const kubeletAgent = await startKubelet({
    cluster: kubelet,
    clock,
    node,
    log,
    events: podEvents,
    network,
    start,
    onStarted(pod) {
      containers.started(pod)
      const line = firstLine(pod.metadata.labels?.[LABEL.app] ?? '')
      if (line) containers.componentLog(line)
    },
    // In the next pod, too.
    onRunning: async (pod) => {
      if (isHandler(pod) && faults.of('HandlerCrashes')) await life.crash()
    },
    onStopping: async (pod) => {
      if (isLauncher(pod)) await stopGuest(context, pod)
    },
    onEnded: containers.ended,
    failsToPull: (pod) => isLauncher(pod) && faults.of('ImagePullFails') !== undefined,
    onGone: containers.forget,
  })
  const kubeletServer = await serveKubelet({
    address: addresses.pod,
    pair: spec.certificates.server,
    ca: spec.apiServerCa,
    clock,
    pod(namespace, name) {
      const pod = kubeletAgent.pod(namespace, name)
      return pod && containers.find(pod, facts())
    },
  })
  const heartbeats = startHeartbeats({
    node,
    clock,
    kubelet: { address: addresses.pod, port: kubeletServer.port },
    accounts: { handler, kubelet },
    isHandlerUp: () => life.isUp,
    onError: (err) =>
      handlerLog({ level: 'error', msg: "Can't reach the API", reason: String(err) }),
  })
  await heartbeats.ready
  for (const vmi of vmis.list()) queue.add(keyOf(vmi))
  faults.start()

  function sayCertificates(): void {
    for (const { cert } of Object.values(spec.certificates))
      for (const { commonName } of readCertificates(cert, 'virt-handler'))
        handlerLog(certificateLine('virt-handler', commonName))
  }

  function migrations() {
    return kubevirts.list()[0]?.spec.configuration?.migrations
  }

  function facts(): HandlerFacts {
    const attached = migrationDevice(proxies.address)
    return {
      node,
      ownNetwork: spec.ownNetwork,
      addresses: [{ device: 'eth0', address: addresses.pod }, ...attached],
      foreignPorts: [kubeletServer.port],
      relayed: breakage.relayedPorts(),
      address: proxies.address,
      ports: { [HANDLER_PORT]: { host: addresses.pod, port: server.port } },
      proxies: proxies.manager,
      vmis: () => vmis.list(),
      certificates: {
        servercertificates: breakage.identity().server.cert,
        migrationservercertificates: breakage.identity().client.cert,
      },
    }
  }

  function network(pod: Pod): PodNetwork {
    const hostIP = addresses.pod
    if (isHandler(pod)) {
      const annotations = {
        [LAB_ANNOTATION.ports]: JSON.stringify({ [HANDLER_PORT]: server.port }),
        ...networkStatus(
          pod,
          addresses.pod,
          { [MIGRATION_INTERFACE]: addresses.migration },
          isDetached() ? [MIGRATION_INTERFACE] : [],
        ),
      }
      return { podIP: addresses.pod, hostIP, annotations }
    }
    const podIP = launchers.get(pod.metadata.uid ?? '')?.podIP ?? nextAddress()
    return { podIP, hostIP, annotations: networkStatus(pod, podIP) }
  }

  /** It looks for the migration network once; without it, it silently takes its pod's address (data-plane.md §5). */
  async function handlerStarted(pod: Pod): Promise<void> {
    handlerPod = pod.metadata
    const isAttached = requestedNetworks(pod).some((one) => one.interface === MIGRATION_INTERFACE)
    const address = isAttached && !isDetached() ? addresses.migration : addresses.pod
    if (address !== proxies.address) await proxies.restart(address)
  }

  /** Where another pod has come meanwhile, virt-handler is in that. */
  async function handlerStopped({ metadata }: Pod): Promise<void> {
    if (handlerPod?.uid === metadata.uid) await life.leave()
  }

  function isDetached(): boolean {
    return faults.of('MigrationNetworkMissing') !== undefined
  }

  /** The network is there again: the pod is made anew around its containers, and virt-handler looks for it once more. */
  async function attachAgain(): Promise<void> {
    const pod = handlerPod && kubeletAgent.pod(handlerPod.namespace ?? '', handlerPod.name)
    if (!pod || requestedNetworks(pod).length === 0) return
    if (proxies.address === addresses.migration) return
    const changed = 'Pod sandbox changed, it will be killed and re-created.'
    podEvents.record(pod, 'Normal', 'SandboxChanged', changed)
    await life.crash()
    await handlerStarted(pod)
    const at = { namespace: pod.metadata.namespace, name: pod.metadata.name }
    const { annotations } = network(pod)
    await patch(kubelet, PODS, at, { metadata: { annotations } }, 'merge')
    await life.start()
  }

  function migrationDevice(address: string): { device: string; address: string }[] {
    return address === addresses.pod ? [] : [{ device: MIGRATION_INTERFACE, address }]
  }

  function nextAddress(): string {
    lastAddress++
    return `10.${244 + Math.floor(lastAddress / 250)}.${spec.number}.${(lastAddress % 250) + 2}`
  }

  async function start(
    pod: Pod,
    onExit: (code: number, reason?: string) => void,
  ): Promise<PodProcess> {
    if (isHandler(pod)) {
      await handlerStarted(pod)
      await life.enter()
      return { stop: (code) => handlerStopped(pod).then(() => onExit(code)) }
    }
    if (!isLauncher(pod)) {
      const code = await lookFor(pod, files)
      // When it is known to run.
      if (code !== undefined) setImmediate(() => onExit(code))
      return { stop: async (code) => onExit(code) }
    }
    let reason: string | undefined
    const uid = pod.metadata.uid ?? ''
    const key = `${pod.metadata.namespace}/${pod.metadata.annotations?.['kubevirt.io/domain']}`
    const launcherLog = containers.launcherLog(pod)
    launcherLog({ level: 'info', msg: 'Marked as ready', pos: 'virt-launcher.go:74' })
    const die = () => {
      reason = 'OOMKilled'
      void launcher.exit(137)
    }
    const launcher = await startLauncher({
      folder: join(spec.folder, `${spec.number}.${++lastFolder}`),
      guests,
      clock,
      log: launcherLog,
      onMoved: () => markMigrated(pod, files, launcherLog),
      onChange: () => {
        breakage.launcherChanged(launcher, die)
        wake(key)
      },
      onExit: (code) => {
        launchers.delete(uid)
        onExit(code, reason)
        wake(key)
      },
    })
    launchers.set(uid, { pod, podIP: nextAddress(), launcher: breakage.launcher(launcher) })
    wake(key)
    return { stop: (code) => breakage.stop(launcher, code) }
  }

  return {
    componentLog: containers.componentLog,
    async close() {
      await faults.close()
      await breakage.close()
      // First what could keep the others waiting: a copy ends with its launcher.
      await kubeletAgent.close()
      await kubeletServer.close()
      await heartbeats.close()
      await vmis.close()
      await queue.close()
      await Promise.all([proxies.close(), server.close(), nodes.close(), kubevirts.close()])
      await Promise.all([events.flushed(), podEvents.flushed()])
      await Promise.all([kubelet.close(), handler.close()])
    },
  }
}

function isHandler({ metadata }: Pod): boolean {
  return metadata.labels?.[LABEL.app] === 'virt-handler'
}

function isLauncher({ metadata }: Pod): boolean {
  return metadata.labels?.[LABEL.app] === 'virt-launcher'
}

function lookUp(launchers: ReadonlyMap<string, LauncherPod>): LauncherPods {
  const all = () => [...launchers.values()]
  return {
    all,
    ofPod: (namespace, name) =>
      all().find(({ pod }) => pod.metadata.namespace === namespace && pod.metadata.name === name),
    ofVmi: (uid) => all().filter(({ pod }) => pod.metadata.labels?.[LABEL.createdBy] === uid),
  }
}
