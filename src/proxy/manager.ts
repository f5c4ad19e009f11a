import type { Clock } from '../clock.ts'
import { EXIT, MigError } from '../errors.ts'
import type { ConnectionState } from './connection.ts'
import type { ProxyContext } from './context.ts'
import { fastIntake } from './fast-intake.ts'
import { createGroups } from './groups.ts'
import { createHandshakes } from './handshake.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'
import type { ProxyLog } from './log.ts'
import type { PortMap } from './port-map.ts'
import type { PortRange } from './port-range.ts'
import { sourceRoutes, targetFiles } from './requests.ts'
import { openSourceListener, type SourceListener } from './source-listener.ts'
import { streamIntake } from './stream-intake.ts'
import { openTargetListener, type TargetFile, type TargetListener } from './target-listener.ts'
import type { ProxyTls, TlsProvider } from './tls.ts'
import type { SocketOwner } from './unix-socket.ts'

export interface ProxyManagerOptions {
  /** Address that target listeners bind to: the migration network's; `::` is KubeVirt's way, every address. */
  bind: string
  tls: TlsProvider
  clock: Clock
  log?: ProxyLog
  /** Target ports come from here; without it the kernel picks. */
  portRange?: PortRange
  limits?: Partial<Limits>
  /** Whom the source's sockets are given to; needs root. KubeVirt: 107:107, QEMU's. */
  socketOwner?: SocketOwner
  /** Copy by node's public streams only, slower: for a node whose internals the fast path doesn't get on with. */
  plainStreams?: boolean
  /** Called once for each connection, with its final state. */
  onClosed?(state: ConnectionState): void
}

/** The operations of KubeVirt's ProxyManager (data-plane.md §1.2), by key: the VMI's UID in KubeVirt. */
export interface ProxyManager {
  /**
   * One TCP listener for each socket of the target's launcher. A string's label is found in its name, as KubeVirt
   * does it. Nothing happens when the key listens for exactly this already; else the old listeners are replaced.
   * On failure nothing listens for the key.
   * @throws MigError
   */
  startTargetListener(key: string, files: readonly (string | TargetFile)[]): Promise<void>
  /** `{real port: label}`; empty for an unknown key. */
  targetListenerPorts(key: string): PortMap
  stopTargetListener(key: string): Promise<void>
  /**
   * One unix socket for each port of the target, `<baseDir>/migrationproxy/<key>[-label]-source.sock`. Nothing
   * happens when the key has exactly these routes already; else the old listeners are replaced. On failure nothing
   * listens for the key.
   * @param portMap as {@link targetListenerPorts} gives it
   * @throws MigError
   */
  startSourceListener(
    key: string,
    targetAddress: string,
    portMap: PortMap,
    baseDir: string,
  ): Promise<void>
  /** In the order of the labels; empty for an unknown key. */
  sourceListenerFiles(key: string): string[]
  stopSourceListener(key: string): Promise<void>
  /** Counts keys, not sockets. */
  openListenerCount(): number
  connections(): ConnectionState[]
  /** From now on every start is refused; what runs goes on. */
  initiateGracefulShutdown(): void
  /** Resolves as soon as no connection is open. */
  idle(): Promise<void>
  /** Stops everything; what is open is cut. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export function createProxyManager(options: ProxyManagerOptions): ProxyManager {
  const log = options.log ?? (() => {})
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const targets = createGroups<TargetListener>(log, {
    stopped: 'Manager stopping proxy on target node',
    replaced: 'Manager stopping proxy on target node due to new unix filepath location',
  })
  const sources = createGroups<SourceListener>(log, {
    stopped: 'Manager stopping proxy on source node',
    replaced: 'Manager is stopping proxy on source node due to new target location',
  })
  const exclusive = createMutex()
  let shuttingDown = false
  let lastId = 0
  let streams = 0

  let lastTls: ProxyTls | undefined
  /** A listener keeps the mode it was started in. */
  const isSecured = () => {
    const tls = options.tls()
    if (tls !== 'disabled') lastTls = tls
    return tls !== 'disabled'
  }
  const currentTls = () => {
    isSecured()
    return lastTls as ProxyTls
  }

  const context: ProxyContext = {
    bind: options.bind,
    portRange: options.portRange,
    currentTls,
    handshakes: createHandshakes(limits.handshakeMs, options.clock),
    limits,
    openIntake: options.plainStreams
      ? streamIntake
      : fastIntake(() => (lastTls ? 2 * streams : streams)),
    socketOwner: options.socketOwner,
    logger: (fields) => (record) => log({ ...record, ...fields }),
    clock: options.clock,
    identify: (of) => {
      lastId++
      streams++
      return { id: lastId, ...of }
    },
    closed(state) {
      streams--
      options.onClosed?.(state)
    },
    acceptFailed: (err) =>
      log({
        level: 'error',
        msg: 'proxy unix socket listener returned error.',
        reason: err.message,
      }),
  }

  const refuseWhenShuttingDown = () => {
    if (!shuttingDown) return
    throw new MigError(
      EXIT.refused,
      'unable to process new migration connections during virt-handler shutdown',
      { code: 'shutting-down' },
    )
  }

  const live = () => [...targets.connections(), ...sources.connections()]

  const manager: ProxyManager = {
    startTargetListener: (key, files) =>
      exclusive(async () => {
        refuseWhenShuttingDown()
        const wanted = targetFiles(key, files)
        const secured = isSecured()
        const open = wanted.map((file) => () => openTargetListener(context, key, file, secured))
        await targets.replace(key, { wanted, secured }, open)
      }),
    targetListenerPorts: (key) =>
      Object.fromEntries(targets.of(key).map(({ port, label }) => [port, label])),
    stopTargetListener: (key) => exclusive(() => targets.stop(key)),

    startSourceListener: (key, targetAddress, portMap, baseDir) =>
      exclusive(async () => {
        refuseWhenShuttingDown()
        const wanted = sourceRoutes(key, targetAddress, portMap, baseDir)
        const secured = isSecured()
        const other = { answered: false }
        const open = wanted.map(
          (route) => () => openSourceListener(context, key, route, secured, other),
        )
        await sources.replace(key, { wanted, secured }, open)
      }),
    sourceListenerFiles: (key) => sources.of(key).map(({ file }) => file),
    stopSourceListener: (key) => exclusive(() => sources.stop(key)),

    openListenerCount: () => targets.count() + sources.count(),
    connections: () => live().map(({ state }) => state()),
    initiateGracefulShutdown() {
      shuttingDown = true
    },
    async idle() {
      for (let open = live(); open.length > 0; open = live()) {
        await Promise.race(open.map(({ done }) => done))
      }
    },
    close: () =>
      exclusive(async () => {
        shuttingDown = true
        await Promise.all([targets.stopAll(), sources.stopAll()])
      }),
    [Symbol.asyncDispose]: () => manager.close(),
  }
  return manager
}

/** Starts and stops happen one after the other, as under KubeVirt's single lock. */
function createMutex(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const run = last.then(task)
    last = run.catch(() => {})
    return run
  }
}
