import type { ReportChannel } from '../diagnose/channel-report.ts'
import { type Cell, table } from './table.ts'
import type { Terminal } from './terminal.ts'
import type { Style, Theme } from './theme.ts'
import { count, formatBytes } from './units.ts'

const TITLES = ['CHANNEL', 'PORT', 'MAP', 'LISTENER', 'SOURCE SOCKET', 'CONNECTIONS']

/** For each channel: is its place in the map right, the target's listener open, the source's socket live, what flows? */
export function channelLines(
  channels: readonly ReportChannel[],
  out: Pick<Terminal, 'theme' | 'columns' | 'interactive'>,
): string[] {
  const { theme } = out
  const rows = channels.map(({ label, purpose, port, map, listener, sourceSocket, connection }) => [
    `${label} ${SHORT[label] ?? purpose}`,
    port === null ? '-' : String(port),
    cell(MAP[map], theme),
    cell(LISTENER[listener], theme),
    cell(SOCKET[sourceSocket], theme),
    connectionCell(connection, theme),
  ])
  return table(TITLES, rows, out)
}

/** So that a row fits into 80 columns. */
const SHORT: Record<number, string> = { 0: 'control', 49152: 'memory', 49153: 'disks' }

type Look = [mark: 'done' | 'failed' | 'waiting' | 'unknown', text: string]

const NOT_YET: Look = ['waiting', 'not yet']
const OVER: Look = ['waiting', 'over']
const UNREAD: Look = ['unknown', 'not read']

const MAP: Record<ReportChannel['map'], Look> = {
  right: ['done', 'right'],
  wrong: ['failed', 'wrong'],
  'not-yet': NOT_YET,
}

const LISTENER: Record<ReportChannel['listener'], Look> = {
  open: ['done', 'open'],
  closed: ['failed', 'closed'],
  'not-yet': NOT_YET,
  over: OVER,
  unread: UNREAD,
}

const SOCKET: Record<ReportChannel['sourceSocket'], Look> = {
  live: ['done', 'live'],
  dead: ['failed', 'dead'],
  'not-yet': NOT_YET,
  over: OVER,
  unread: UNREAD,
}

function connectionCell(connection: ReportChannel['connection'], theme: Theme): Cell {
  const { state, count: n = 0, bytes = 0, seconds = 0 } = connection
  const amount = `${formatBytes(bytes)} in ${seconds.toFixed(0)}s`
  const looks: Record<typeof state, Look> = {
    flowing: ['done', `${n}, ${amount}`],
    idle: ['waiting', `${n}, idle`],
    stalled: ['failed', `${n}, stalled`],
    unanswered: ['failed', 'SYN-SENT'],
    connected: ['done', count(n, 'connection')],
    none: ['waiting', 'none'],
    'not-yet': NOT_YET,
    over: OVER,
    unread: UNREAD,
  }
  return cell(looks[state], theme)
}

const STYLE: Record<Look[0], Style> = {
  done: 'good',
  failed: 'bad',
  waiting: 'quiet',
  unknown: 'warn',
}

function cell([mark, text]: Look, { symbols }: Theme): Cell {
  const symbol = mark === 'unknown' ? '?' : symbols[mark]
  return { text: `${symbol} ${text}`, style: STYLE[mark] }
}
