import type { ChannelFacts } from './channels.ts'

/** A channel as it is printed. */
export interface ReportChannel {
  /** 0, 49152, 49153: a name, never a TCP port. */
  label: number
  purpose: string
  /** The TCP port on the target; null while it is not published. */
  port: number | null
  /** `wrong`: not published once. */
  map: ChannelFacts['map']
  listener: ChannelFacts['listener']
  sourceSocket: ChannelFacts['sourceSocket']
  connection: ReportConnection
}

interface ReportConnection {
  /** `none`: nobody has connected. `connected`: their counters are not known. */
  state:
    | 'flowing'
    | 'idle'
    | 'stalled'
    | 'unanswered'
    | 'connected'
    | 'none'
    | 'not-yet'
    | 'over'
    | 'unread'
  /** Established ones. */
  count?: number
  /** What arrived in either direction in `seconds`. */
  bytes?: number
  seconds?: number
}

export function reportChannel({ port, connection, ...same }: ChannelFacts): ReportChannel {
  return { ...same, port: port ?? null, connection: reportConnection(connection) }
}

function reportConnection(connection: ChannelFacts['connection']): ReportConnection {
  if (typeof connection === 'string') return { state: connection }
  const { established: count, unanswered, flow } = connection
  if (unanswered !== undefined) return { state: 'unanswered', count }
  if (count === 0) return { state: 'none', count }
  if (!flow) return { state: 'connected', count }
  return { state: flow.kind, count, bytes: flow.bytes, seconds: flow.apart / 1000 }
}
