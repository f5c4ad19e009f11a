import type { HandlerProbe, Probed, ProxyProbe } from '../../src/evidence/probes.ts'
import { parseAddresses, parseRoute } from '../../src/probe/addresses.ts'
import { parseTcpTable } from '../../src/probe/socket-table.ts'
import { handedOff, handler, kubevirt, migration, source, target, through, vmi } from './world.ts'

/** What the commands of src/probe say on both nodes of a migration that is well, and how to say otherwise. */

export const ADDRESS = '10.9.0.2'
export const PORTS = { '35001': 0, '41068': 49152, '38284': 49153 }

/** Copies since ten seconds; its disk too. */
export function copying(
  state: Record<string, unknown> = {},
  migrations: Record<string, unknown> = {},
) {
  return [
    kubevirt(migrations),
    migration('Running', {
      status: through('Pending', 'PreparingTarget', 'TargetReady', 'Running'),
    }),
    vmi(
      {},
      {
        migrationMethod: 'BlockMigration',
        ...handedOff({
          targetNodeAddress: ADDRESS,
          targetDirectMigrationNodePorts: PORTS,
          startTimestamp: '2026-01-01T10:01:50Z',
          ...state,
        }),
      },
    ),
    source,
    target('node-b'),
    handler('node-a'),
    handler('node-b'),
  ]
}

export function read<T>(value: T, from = 'pod/kubevirt/x'): Probed<T> {
  return { state: 'read', value, from }
}

export function unread(detail: string): { state: 'unread'; gap: never } {
  return { state: 'unread', gap: { what: 'ss', why: 'unreadable', detail } as never }
}

/** A connection from source to target. @param port of the target */
export interface Line {
  port: number
  sent?: number
  sendQ?: number
  retrans?: number
  acked?: number
}

const fromSource = ({ port, sent = 0, sendQ = 0, retrans, acked = sent }: Line) =>
  [
    `0 ${sendQ} 10.9.0.1:5${port % 10000} ${ADDRESS}:${port}`,
    `\t cubic bytes_sent:${sent} bytes_acked:${acked} bytes_received:10${retrans === undefined ? '' : ` retrans:0/${retrans}`}`,
  ].join('\n')

/** Connections as they are counted, twice. */
export function counted(before: Line[], after: Line[]) {
  const table = (lines: Line[]) => parseTcpTable(lines.map(fromSource).join('\n'))
  return read({ before: table(before), after: table(after), apart: 2000 })
}

/** At the target: what arrived and is not read. */
export function arrived(port: number, ...recvQ: [before: number, after: number]) {
  const [before = [], after = []] = recvQ.map((bytes) =>
    parseTcpTable(
      `${bytes} 0 ${ADDRESS}:${port} 10.9.0.1:5${port % 10000}\n\t bytes_received:1000`,
    ),
  )
  return read({ before, after, apart: 2000 })
}

/** As `ss -tanH` shows it. */
export const established = (port: number) =>
  `ESTAB 0 0 10.9.0.1:5${port % 10000} ${ADDRESS}:${port}`

const side = (node: string, addresses: string): HandlerProbe => ({
  node,
  pod: `pod/kubevirt/virt-handler-${node}`,
  addresses: read(parseAddresses(addresses)),
  certificates: [],
})

const flowing = (by: number): Line[] =>
  Object.keys(PORTS).map((port) => ({ port: Number(port), sent: by }))

/** All is well; what is given replaces what was seen. */
export function probe({
  source: from = {},
  target: to = {},
  ...more
}: {
  source?: Partial<NonNullable<ProxyProbe['source']>>
  target?: Partial<NonNullable<ProxyProbe['target']>>
} & Partial<Omit<ProxyProbe, 'source' | 'target'>> = {}): ProxyProbe {
  const folder = '/proc/4711/root/var/run/kubevirt/migrationproxy'
  return {
    migrationUid: 'u1',
    rung: 'exec',
    source: {
      ...side('node-a', 'lo UNKNOWN 127.0.0.1/8\neth0@if7 UP 10.9.0.1/24'),
      connections: read(
        parseTcpTable(
          Object.keys(PORTS)
            .map((port) => established(Number(port)))
            .join('\n'),
        ),
      ),
      counted: counted(flowing(1000), flowing(501_000)),
      unixListeners: read(
        ['v1', 'v1-49152', 'v1-49153'].map((key) => `${folder}/${key}-source.sock`),
      ),
      route: read(parseRoute(`${ADDRESS} dev eth0 src 10.9.0.1 uid 0`)),
      ...from,
    },
    target: {
      ...side('node-b', `lo UNKNOWN 127.0.0.1/8\neth0@if9 UP ${ADDRESS}/24`),
      listeners: read(
        parseTcpTable(
          ['8443', ...Object.keys(PORTS)].map((port) => `LISTEN 0 4096 *:${port} *:*`).join('\n'),
        ),
      ),
      ...to,
    },
    ...more,
  }
}
