import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Vmi } from '../../kubevirt/types.ts'
import {
  ADDRESSES,
  type CertificateFolder,
  CONNECTIONS,
  certificateFile,
  connectionsIn,
  connectTo,
  LISTENERS,
  PROXY_SOCKETS,
  routeTo,
  UNIX_LISTENERS,
} from '../../probe/commands.ts'
import { BACKLOG } from '../../proxy/listener.ts'
import type { ProxyManager } from '../../proxy/manager.ts'
import { bashConnect } from './bash-connect.ts'
import { asProbed, refused, STATES } from './command-forms.ts'
import { type RelayedPort, seenByNode } from './faults/relayed-port.ts'
import {
  largestBacklog,
  ownInodes,
  type TcpSocket,
  tcpSockets,
  unixListeners,
} from './kernel-sockets.ts'
import { runProgram } from './program.ts'
import { type Counters, countedTable, tcpTable, unixTable, withHeading } from './socket-table.ts'

/** How a command in a container ended. */
export interface Outcome {
  stdout: string
  stderr: string
  code: number
}

/** What a virt-handler's container can be asked about. */
export interface HandlerFacts {
  /** Where it listens; the migration network's address too, where it has one. */
  addresses: { device: string; address: string }[]
  /** Ports at these addresses that are not the pod's. */
  foreignPorts: readonly number[]
  /** What is published in the place of its own ports. */
  relayed: readonly RelayedPort[]
  /** Where it takes migrations. */
  address: string
  /** Ports that it has elsewhere in truth, as all nodes share this machine. */
  ports: Readonly<Record<number, { host: string; port: number }>>
  proxies: ProxyManager
  vmis(): Vmi[]
  node: string
  /** On a network of its own the system's programs tell the truth themselves. */
  ownNetwork: boolean
  /** PEM, public. */
  certificates: Partial<Record<CertificateFolder, string>>
}

/** Runs a command in virt-handler's container: the ones of src/probe are all that it has, answered from real sockets. */
export async function runInHandler(
  typed: readonly string[],
  facts: HandlerFacts,
): Promise<Outcome> {
  const { argv, headed } = asProbed(typed)
  const is = (command: { argv: readonly string[] }) => isSame(argv, command.argv)
  const table = (text: string, of: 'tcp' | 'counted' | 'unix') =>
    headed ? withHeading(text, of) : text
  if (facts.ownNetwork && NETWORK_PROGRAMS.has(typed[0] ?? ''))
    return runProgram(typed).catch(() => refused(typed, []))
  if (is(LISTENERS))
    return withSockets(facts, (all) =>
      table(tcpTable(all.filter(({ state }) => state === 'LISTEN')), 'tcp'),
    )
  if (is(CONNECTIONS)) return withSockets(facts, (all) => table(tcpTable(all), 'tcp'))
  for (const [state, name] of STATES) {
    if (!is(connectionsIn(state))) continue
    return withSockets(facts, (all) => {
      const own = all.filter((socket) => socket.state === name)
      return table(countedTable(own, countersOf(facts.proxies)), 'counted')
    })
  }
  if (is(UNIX_LISTENERS))
    return withTool(argv, async () => table(unixTable(await sourceSockets(facts)), 'unix'))
  if (is(ADDRESSES)) return done(interfaces(facts))
  const [address = ''] = argv.slice(-1)
  if (is(routeTo(address))) return route(address, facts)
  const [host = '', port = ''] = argv.slice(-2)
  if (is(connectTo(host, Number(port))))
    return bashConnect({ host, port: Number(port), from: facts.address, seconds: Number(argv[1]) })
  const [program, file = ''] = argv
  if (program === 'cat' && argv.length === 2) {
    for (const [folder, pem] of Object.entries(facts.certificates))
      if (file === certificateFile(folder as CertificateFolder)) return done(pem)
    if (file.startsWith('/etc/virt-handler/'))
      return { stdout: '', stderr: `cat: ${file}: No such file or directory\n`, code: 1 }
  }
  return refused(argv, HANDLER_PROGRAMS)
}

/** Runs a command in a launcher's container. @param baseDir `/var/run/kubevirt` of the pod */
export async function runInLauncher(argv: readonly string[], baseDir: string): Promise<Outcome> {
  if (!isSame(argv, PROXY_SOCKETS.argv)) return refused(argv, ['ls'])
  const folder = join(baseDir, 'migrationproxy')
  const names = (await readdir(folder)).sort()
  const lines = await Promise.all(names.map((name) => listed(folder, name)))
  return done(`total 0\n${lines.join('')}`)
}

const NETWORK_PROGRAMS = new Set(['ss', 'ip', 'timeout'])
const HANDLER_PROGRAMS = [...NETWORK_PROGRAMS, 'cat']

function done(stdout: string): Outcome {
  return { stdout, stderr: '', code: 0 }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, i) => word === b[i])
}

/** Where the system has no such tables the tool is not there either. */
async function withTool(argv: readonly string[], text: () => Promise<string>): Promise<Outcome> {
  try {
    return done(await text())
  } catch {
    return refused(argv, [])
  }
}

function withSockets(
  facts: HandlerFacts,
  text: (sockets: TcpSocket[]) => string,
): Promise<Outcome> {
  return withTool(LISTENERS.argv, async () => {
    const [all, held, most] = await Promise.all([tcpSockets(), ownInodes(), largestBacklog()])
    const ours = all.filter(({ inode }) => inode === 0 || held.has(inode))
    const own = ours.filter((socket) => isOwn(socket, facts))
    const seen = seenByNode(own, facts.relayed)
    return text(seen.map((socket) => withBacklog(socket, facts, most)))
  })
}

/** `ss` shows as queue of a listener what may wait there: the proxy's, or Node's own, of which the kernel's table says nothing. */
function withBacklog(socket: TcpSocket, { ports }: HandlerFacts, most: number): TcpSocket {
  if (socket.state !== 'LISTEN') return socket
  const isServer = Object.values(ports).some(({ port }) => port === socket.local.port)
  return { ...socket, sendQ: Math.min(isServer ? NODE_BACKLOG : BACKLOG, most) }
}

const NODE_BACKLOG = 511

/** All nodes share this process: the node's own are at its addresses, or lead to where its migrations go. */
function isOwn({ local, peer }: TcpSocket, facts: HandlerFacts): boolean {
  if (facts.addresses.some(({ address }) => address === local.address))
    return !facts.foreignPorts.includes(local.port)
  return facts.vmis().some(({ status }) => {
    const state = status?.migrationState
    if (state?.sourceNode !== facts.node || state.targetNodeAddress !== peer.address) return false
    return String(peer.port) in (state.targetDirectMigrationNodePorts ?? {})
  })
}

/** What the proxy has counted of the connection; TLS's own share is not in it. */
function countersOf(proxies: ProxyManager): (socket: TcpSocket) => Counters | undefined {
  const connections = proxies.connections()
  return ({ peer }) => {
    const found = connections.findIndex((one) => one.peer === `${peer.address}:${peer.port}`)
    const [connection] = found < 0 ? [] : connections.splice(found, 1)
    if (!connection) return undefined
    const { role, bytesIn, bytesOut } = connection
    return role === 'source'
      ? { sent: bytesOut, received: bytesIn }
      : { sent: bytesIn, received: bytesOut }
  }
}

async function sourceSockets({ proxies, vmis }: HandlerFacts): Promise<string[]> {
  const own = vmis().flatMap(({ metadata }) => proxies.sourceListenerFiles(metadata.uid ?? ''))
  const live = new Set(await unixListeners())
  return own.filter((path) => live.has(path))
}

function interfaces({ addresses }: HandlerFacts): string {
  const rows = addresses.map(({ device, address }) => [`${device}@if2`, 'UP', `${address}/24`])
  return [['lo', 'UNKNOWN', '127.0.0.1/8 ::1/128'], ...rows]
    .map(([name = '', state = '', text]) => `${name.padEnd(16)} ${state.padEnd(14)} ${text} \n`)
    .join('')
}

/** By the interface of the same /24, else by the pod's own. */
function route(target: string, { addresses }: HandlerFacts): Outcome {
  if (!/^\d+(\.\d+){3}$/.test(target)) {
    const stderr = `Error: any valid prefix is expected rather than "${target}".\n`
    return { stdout: '', stderr, code: 1 }
  }
  const link = (address: string) => address.split('.').slice(0, 3).join('.')
  const onLink = addresses.find(({ address }) => link(address) === link(target))
  const { device, address } = onLink ?? addresses[0] ?? { device: 'lo', address: '127.0.0.1' }
  const via = onLink ? '' : `via ${link(address)}.254 `
  return done(`${target} ${via}dev ${device} src ${address} uid 0 \n    cache \n`)
}

async function listed(folder: string, name: string): Promise<string> {
  const found = await lstat(join(folder, name)).catch(() => undefined)
  if (!found) return ''
  const time = found.mtime.toUTCString().slice(5, 22)
  const [day = '', month = '', , clock = ''] = time.split(' ')
  const kind = found.isSocket() ? 's' : found.isDirectory() ? 'd' : '-'
  return `${kind}rwxr-xr-x. 1 qemu qemu 0 ${month} ${day} ${clock} ${name}\n`
}
