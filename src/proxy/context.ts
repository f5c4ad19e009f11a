import type { ConnectionState } from './connection.ts'
import type { Handshakes } from './handshake.ts'
import type { OpenIntake } from './intake.ts'
import type { Limits } from './limits.ts'
import type { ProxyLog, ProxyRecord } from './log.ts'
import type { PortRange } from './port-range.ts'
import type { TlsProvider } from './tls.ts'
import type { SocketOwner } from './unix-socket.ts'

/** What a manager's listeners share. */
export interface ProxyContext {
  bind: string
  portRange: PortRange | undefined
  tls: TlsProvider
  handshakes: Handshakes
  limits: Limits
  openIntake: OpenIntake
  socketOwner: SocketOwner | undefined
  logger(fields: Pick<ProxyRecord, 'uid' | 'listening' | 'outbound'>): ProxyLog
  newState(of: Pick<ConnectionState, 'role' | 'key' | 'label' | 'peer'>): ConnectionState
  closed(state: ConnectionState): void
  acceptFailed(err: NodeJS.ErrnoException): void
}
