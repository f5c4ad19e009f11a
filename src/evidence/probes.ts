import type { InterfaceAddresses, Route } from '../probe/addresses.ts'
import type { CertificateFolder } from '../probe/commands.ts'
import type { ConnectOutcome } from '../probe/connect.ts'
import type { SocketRow } from '../probe/socket-table.ts'
import type { HandshakeOutcome } from '../probe/tls-handshake.ts'
import type { Gap } from './evidence.ts'

/** How much may be done to find out: nothing but the API, read-only commands on nodes, one connection. */
export type Rung = 'none' | 'exec' | 'connect'

/** What a probe told, or why it did not. */
export type Probed<T> = { state: 'read'; value: T; from: string } | { state: 'unread'; gap: Gap }

/** Established connections at two moments. */
export interface Counted {
  before: SocketRow[]
  after: SocketRow[]
  /** ms between the two. */
  apart: number
}

/** What was seen in the virt-handler of one side. */
export interface HandlerProbe {
  node: string
  /** `pod/NS/NAME`. */
  pod: string
  addresses: Probed<InterfaceAddresses[]>
  /** PEM, public. */
  certificates: { folder: CertificateFolder; pem: Probed<string> }[]
  /** Undefined where the migration is not at a stage at which there are sockets. */
  counted?: Probed<Counted>
}

interface SourceProbe extends HandlerProbe {
  /** To the target's address; undefined while that is not published. */
  route?: Probed<Route | 'none'>
  connections?: Probed<SocketRow[]>
  /** Paths. */
  unixListeners?: Probed<string[]>
}

interface TargetProbe extends HandlerProbe {
  listeners?: Probed<SocketRow[]>
}

/** What was seen of the proxies of one migration. */
export interface ProxyProbe {
  migrationUid: string
  /** How far it went: what was asked for, or what was permitted. */
  rung: Rung
  /** Why a side was not looked at, though its proxies are open. */
  unlooked?: Gap
  source?: SourceProbe
  target?: TargetProbe
  /** From the source's virt-handler to the port of label 0. */
  connect?: Probed<ConnectOutcome>
  /** With the port of label 0, by way of the API server: tells who listens, not whether the network carries. */
  handshake?: Probed<HandshakeOutcome>
}
