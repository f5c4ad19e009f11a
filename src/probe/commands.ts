import { type InterfaceAddresses, parseAddresses, parseRoute, type Route } from './addresses.ts'
import { type ConnectOutcome, connectOutcome } from './connect.ts'
import { parseTcpTable, parseUnixTable, type SocketRow } from './socket-table.ts'

/**
 * The read-only commands that are run in containers of KubeVirt, and nothing else is: each with what it tells. The tools
 * are in the images of virt-handler and virt-launcher (fact sheet data-plane.md §7).
 */
export interface NodeCommand<T> {
  /** Run as it is, without a shell. */
  argv: readonly string[]
  /** In which container. */
  container: 'virt-handler' | 'compute'
  /** Completes "reads …". */
  reads: string
  /** @param stdout of a run that ended with 0 */
  parse(stdout: string): T
  /** Where failing is an answer too; undefined when it is none. */
  parseFailure?(code: number, stderr: string): T | undefined
}

export type TcpState = 'established' | 'syn-sent' | 'syn-recv' | 'close-wait' | 'fin-wait-2'

export const LISTENERS: NodeCommand<SocketRow[]> = {
  argv: ['ss', '-ltnH'],
  container: 'virt-handler',
  reads: 'the ports that are listened on',
  parse: parseTcpTable,
}

/** All states at once, SYN-SENT among them: so a blocked port shows itself. */
export const CONNECTIONS: NodeCommand<SocketRow[]> = {
  argv: ['ss', '-tanH'],
  container: 'virt-handler',
  reads: 'all TCP connections with their states and queues',
  parse: parseTcpTable,
}

/** With counters of bytes and of what had to be sent again. */
export function connectionsIn(state: TcpState): NodeCommand<SocketRow[]> {
  return {
    argv: ['ss', '-tinH', 'state', state],
    container: 'virt-handler',
    reads: `the TCP connections in state ${state} with their counters`,
    parse: parseTcpTable,
  }
}

export const UNIX_LISTENERS: NodeCommand<string[]> = {
  argv: ['ss', '-xlH'],
  container: 'virt-handler',
  reads: 'the unix sockets that are listened on',
  parse: parseUnixTable,
}

export const ADDRESSES: NodeCommand<InterfaceAddresses[]> = {
  argv: ['ip', '-br', 'addr', 'show'],
  container: 'virt-handler',
  reads: 'interfaces and their addresses, migration0 among them',
  parse: parseAddresses,
}

export function routeTo(address: string): NodeCommand<Route | 'none'> {
  return {
    argv: ['ip', 'route', 'get', address],
    container: 'virt-handler',
    reads: `by which interface ${address} is reached`,
    parse: parseRoute,
    parseFailure: (_code, stderr) =>
      /unreachable|No route to host/.test(stderr) ? 'none' : undefined,
  }
}

const PROXY_SOCKETS_FOLDER = '/var/run/kubevirt/migrationproxy/'

/** The files are there also when nothing listens on them any more; that is what {@link UNIX_LISTENERS} tells. */
export const PROXY_SOCKETS: NodeCommand<string[]> = {
  argv: ['ls', '-l', PROXY_SOCKETS_FOLDER],
  container: 'compute',
  reads: "the proxy's socket files in the launcher",
  parse: (stdout) =>
    stdout.split('\n').flatMap((line) => (/^s/.test(line) ? [line.split(/\s+/).at(-1) ?? ''] : [])),
}

/**
 * Folders of certificates in virt-handler: what it is as a target, as a source, and as a source up to KubeVirt 1.6 and in
 * the fallback of 1.7 to 1.9 (fact sheet data-plane.md §2.3).
 */
export type CertificateFolder =
  | 'servercertificates'
  | 'migrationservercertificates'
  | 'clientcertificates'

/** Only ever the public part. */
export function certificateIn(folder: CertificateFolder): NodeCommand<string> {
  return {
    argv: ['cat', certificateFile(folder)],
    container: 'virt-handler',
    reads: `the public certificate in ${folder}`,
    parse: (stdout) => stdout,
  }
}

export function certificateFile(folder: CertificateFolder): string {
  return `/etc/virt-handler/${folder}/tls.crt`
}

/** Seconds, less than is waited for the command: so that its own answer is heard. */
const CONNECT_LIMIT = 4

/**
 * One TCP connection that is closed at once: by bash, the images have nothing else for it (fact sheet data-plane.md §7.1).
 * Only ever to the port of label 0 (§1.5).
 */
export function connectTo(address: string, port: number): NodeCommand<ConnectOutcome> {
  const open = ': <>/dev/tcp/$0/$1'
  return {
    argv: ['timeout', String(CONNECT_LIMIT), 'bash', '-c', open, address, String(port)],
    container: 'virt-handler',
    reads: `whether ${address}:${port} takes a connection`,
    parse: () => 'connected',
    parseFailure: connectOutcome,
  }
}
