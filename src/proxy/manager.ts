import { isIP } from 'node:net'
import type { Clock } from '../clock.ts'
import { EXIT, MigError } from '../errors.ts'
import { proxyKey, sourceSocketFile } from '../kubevirt/ports.ts'
import type { Connection, ConnectionState } from './connection.ts'
import type { ProxyContext } from './context.ts'
import { createHandshakes } from './handshake.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'
import type { ProxyLog } from './log.ts'
import { checkPortMap, isLabel, labelList, labelOfFile, type PortMap } from './port-map.ts'
import type { PortRange } from './port-range.ts'
import { slabIntake } from './slab-intake.ts'
import { createSlabPool } from './slab-pool.ts'
import { openSourceListener, type SourceListener, type SourceRoute } from './source-listener.ts'
import { streamIntake } from './stream-intake.ts'
import { openTargetListener, type TargetFile, type TargetListener } from './target-listener.ts'
import type { ProxyTls, TlsProvider } from './tls.ts'
import { checkSocketPath, type SocketOwner } from './unix-socket.ts'

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

interface Group<T extends TargetListener | SourceListener> {
  listeners: T[]
  /** What was asked for; an equal wish is no change. */
  wish: string
}

export function createProxyManager(options: ProxyManagerOptions): ProxyManager {
  const log = options.log ?? (() => {})
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const targets = new Map<string, Group<TargetListener>>()
  const sources = new Map<string, Group<SourceListener>>()
  const exclusive = createMutex()
  let shuttingDown = false
  let lastId = 0

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
    openIntake: options.plainStreams ? streamIntake : slabIntake(createSlabPool()),
    socketOwner: options.socketOwner,
    logger: (fields) => (record) => log({ ...record, ...fields }),
    clock: options.clock,
    identify: (of) => {
      lastId++
      return { id: lastId, ...of }
    },
    closed: (state) => options.onClosed?.(state),
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

  const live = (): Connection[] =>
    [...targets.values(), ...sources.values()].flatMap(({ listeners }) =>
      (listeners as (TargetListener | SourceListener)[]).flatMap((l) => l.connections()),
    )

  const manager: ProxyManager = {
    startTargetListener: (key, files) =>
      exclusive(async () => {
        refuseWhenShuttingDown()
        checkKey(key)
        const wanted = files.map((file) => targetFile(key, file))
        checkTargets(wanted)
        const secured = isSecured()
        const wish = JSON.stringify([sorted(wanted), options.bind, secured])
        if (targets.get(key)?.wish === wish) return
        await stop(
          targets,
          key,
          log,
          'Manager stopping proxy on target node due to new unix filepath location',
        )
        targets.set(key, {
          wish,
          listeners: await openAll(wanted, (file) =>
            openTargetListener(context, key, file, secured),
          ),
        })
      }),
    targetListenerPorts: (key) =>
      Object.fromEntries(
        (targets.get(key)?.listeners ?? []).map(({ port, label }) => [port, label]),
      ),
    stopTargetListener: (key) =>
      exclusive(() => stop(targets, key, log, 'Manager stopping proxy on target node')),

    startSourceListener: (key, targetAddress, portMap, baseDir) =>
      exclusive(async () => {
        refuseWhenShuttingDown()
        checkKey(key)
        const routes = sourceRoutes(key, targetAddress, portMap, baseDir)
        const secured = isSecured()
        const wish = JSON.stringify([routes, secured])
        if (sources.get(key)?.wish === wish) return
        await stop(
          sources,
          key,
          log,
          'Manager is stopping proxy on source node due to new target location',
        )
        sources.set(key, {
          wish,
          listeners: await openAll(routes, (route) =>
            openSourceListener(context, key, route, secured),
          ),
        })
      }),
    sourceListenerFiles: (key) => (sources.get(key)?.listeners ?? []).map(({ file }) => file),
    stopSourceListener: (key) =>
      exclusive(() => stop(sources, key, log, 'Manager stopping proxy on source node')),

    openListenerCount: () => targets.size + sources.size,
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
        const stops = [
          ...[...targets.keys()].map((key) =>
            stop(targets, key, log, 'Manager stopping proxy on target node'),
          ),
          ...[...sources.keys()].map((key) =>
            stop(sources, key, log, 'Manager stopping proxy on source node'),
          ),
        ]
        await Promise.all(stops)
      }),
    [Symbol.asyncDispose]: () => manager.close(),
  }
  return manager
}

/** All or none: when one can't be opened, those before it are closed again. */
async function openAll<W, L extends { close(): Promise<void> }>(
  wanted: W[],
  open: (one: W) => Promise<L>,
): Promise<L[]> {
  const opened: L[] = []
  try {
    for (const one of wanted) opened.push(await open(one))
    return opened
  } catch (err) {
    for (const listener of opened.toReversed()) await listener.close()
    throw err
  }
}

async function stop<T extends TargetListener | SourceListener>(
  groups: Map<string, Group<T>>,
  key: string,
  log: ProxyLog,
  msg: string,
): Promise<void> {
  const group = groups.get(key)
  if (!group) return
  groups.delete(key)
  for (const _ of group.listeners) log({ level: 'info', msg, uid: key })
  // The first has made the folder and removes it, when it is the last.
  for (const listener of group.listeners.toReversed()) await listener.close()
}

function targetFile(key: string, file: string | TargetFile): TargetFile {
  return typeof file === 'string' ? { file, label: labelOfFile(key, file) } : file
}

function checkTargets(files: TargetFile[]): void {
  const usage = (message: string) => new MigError(EXIT.usage, message, { code: 'bad-target' })
  if (files.length === 0) throw usage('no unix socket to listen for')
  const seen = new Map<number, string>()
  for (const { file, label } of files) {
    if (!isLabel(label)) throw usage(`unknown label ${label} of ${file}, expected ${labelList()}`)
    const other = seen.get(label)
    if (other !== undefined) throw usage(`${other} and ${file} have the same label ${label}`)
    seen.set(label, file)
    checkSocketPath(file)
  }
}

/** It becomes part of file names. */
function checkKey(key: string): void {
  if (/^[\w.-]+$/.test(key)) return
  throw new MigError(EXIT.usage, `the key "${key}" can't be part of a file name`, {
    code: 'bad-key-name',
    hint: "KubeVirt takes the VMI's UID",
  })
}

function sourceRoutes(
  key: string,
  targetAddress: string,
  portMap: PortMap,
  baseDir: string,
): SourceRoute[] {
  if (isIP(targetAddress) === 0) {
    throw new MigError(EXIT.usage, `the target address "${targetAddress}" is no IP address`, {
      code: 'bad-address',
      hint: 'it is what the VMI publishes as status.migrationState.targetNodeAddress',
    })
  }
  checkPortMap(portMap)
  const routes = Object.entries(portMap)
    .map(([port, label]) => ({
      file: sourceSocketFile(baseDir, proxyKey(key, label)),
      label,
      targetAddress,
      targetPort: Number(port),
    }))
    .sort((a, b) => a.label - b.label)
  for (const { file } of routes) checkSocketPath(file)
  return routes
}

function sorted(files: TargetFile[]): TargetFile[] {
  return files.toSorted((a, b) => a.label - b.label)
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
