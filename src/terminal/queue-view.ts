import type { LimitReport, QueueEntry, QueueReport, WaitingEntry } from '../migrate/queue.ts'
import type { QueueStep } from '../migrate/watch-queue.ts'
import { type Cell, table } from './table.ts'
import type { Terminal } from './terminal.ts'
import { formatAge } from './units.ts'
import { blockText, phaseName } from './words.ts'

/** The limits with those that hold them, then those that wait. */
export function queueLines(
  { namespace, limits, running, waiting }: QueueReport,
  terminal: Terminal,
): string[] {
  const all = namespace === null
  const ranked = [...running, ...waiting].some(({ priority }) => priority !== null)
  const limitRows = limits.map((limit) => limitRow(limit, namespace))
  const entryRows = [...running.map(runningCells), ...waiting.map(waitingCells(limits))]
  const rows = [...running, ...waiting].map((entry, i) => [
    ...(all ? [entry.namespace] : []),
    ...entryCells(entry),
    ...(ranked ? [entry.priority ?? 'none'] : []),
    ...entryRows[i]!,
  ])
  const titles = [
    ...(all ? ['NAMESPACE'] : []),
    ...['VM', 'PHASE', 'AGE', 'SOURCE'],
    ...(ranked ? ['PRIORITY'] : []),
    ...['ABOVE', 'COMPETE', 'SLOT'],
  ]
  return [
    ...table(['LIMIT', 'USED', 'FREE', 'BY'], limitRows, terminal),
    ...(rows.length === 0 ? [] : ['', ...table(titles, rows, terminal)]),
  ]
}

function limitRow({ node, used, of, by }: LimitReport, namespace: string | null): Cell[] {
  const full = used >= of
  return [
    node ?? 'cluster',
    { text: `${used} of ${of}`, ...(full && { style: 'warn' as const }) },
    String(Math.max(0, of - used)),
    by
      .map((one) => (one.namespace === namespace ? one.vm : `${one.namespace}/${one.vm}`))
      .join(', '),
  ]
}

function entryCells({ vm, phase, forSeconds, sourceNode }: QueueEntry): Cell[] {
  return [
    vm,
    phaseName(phase),
    forSeconds === null ? '' : formatAge(forSeconds * 1000),
    sourceNode ?? '',
  ]
}

/** One that runs is above all that wait. */
function runningCells(): Cell[] {
  return ['-', '-', { text: 'has one', style: 'good' }]
}

function waitingCells(limits: LimitReport[]) {
  return (entry: WaitingEntry): Cell[] => [
    String(entry.above),
    String(entry.competing),
    slotCell(entry, limits),
  ]
}

function slotCell({ limit, blocked, sourceNode }: WaitingEntry, limits: LimitReport[]): Cell {
  if (blocked) return { text: blockText(blocked) ?? blocked.type, style: 'warn' }
  const held = limits.find((one) =>
    limit === 'node' ? one.node === sourceNode : one.limit === limit,
  )
  if (!limit || !held) return 'one is free'
  return `${limit === 'cluster' ? 'cluster' : sourceNode}: ${held.used} of ${held.of} used`
}

/** `vm-2: waits: node-1: 2 of 2 used`, for logs and pipes. */
export function queueStepText(step: QueueStep, { namespace, limits }: QueueReport): string {
  const { entry } = step
  const name = entry.namespace === namespace ? entry.vm : `${entry.namespace}/${entry.vm}`
  switch (step.type) {
    case 'running':
      return `${name}: ${phaseName(entry.phase)}, has a slot`
    case 'left':
      return `${name}: has ended`
    case 'waiting': {
      const { limit, blocked } = step.entry
      const free = !limit && !blocked
      return `${name}: waits${free ? '; a slot is free' : `: ${textOf(slotCell(step.entry, limits))}`}`
    }
  }
}

/** As long after it was read. */
export function aged(queue: QueueReport, now: number): QueueReport {
  const since = (now - Date.parse(queue.generatedAt)) / 1000
  const older = <T extends QueueEntry>(entry: T): T => ({
    ...entry,
    forSeconds: entry.forSeconds === null ? null : entry.forSeconds + since,
  })
  return { ...queue, running: queue.running.map(older), waiting: queue.waiting.map(older) }
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text
}

/** For stderr, where nothing waits or runs. */
export function nothingQueuedText(namespace: string | null): string {
  const place = namespace === null ? 'in any namespace' : `in namespace "${namespace}"`
  return `no migration waits or runs ${place}`
}
