import type { Clock } from '../clock.ts'
import type { ConnectionOptions, ConnectionState } from './connection.ts'
import type { Handshakes } from './handshake.ts'
import type { OpenIntake } from './intake.ts'
import type { Limits } from './limits.ts'
import type { ProxyLog, ProxyRecord } from './log.ts'
import type { PortRange } from './port-range.ts'
import type { ProxyTls } from './tls.ts'
import type { SocketOwner } from './unix-socket.ts'

/** What a manager's listeners share. */
export interface ProxyContext {
  bind: string
  portRange: PortRange | undefined
  /** For a listener that was started with TLS: the last known, should it have been turned off since. */
  currentTls(): ProxyTls
  handshakes: Handshakes
  limits: Limits
  openIntake: OpenIntake
  socketOwner: SocketOwner | undefined
  logger(fields: Pick<ProxyRecord, 'uid' | 'listening' | 'outbound'>): ProxyLog
  identify(
    of: Pick<ConnectionState, 'role' | 'key' | 'label' | 'peer'>,
  ): ConnectionOptions['identity']
  clock: Clock
  closed(state: ConnectionState): void
  acceptFailed(err: NodeJS.ErrnoException): void
}
