import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { EXIT, MigError } from '../../src/errors.ts'
import type { QueueReport, WaitingEntry } from '../../src/migrate/queue.ts'
import type { QueueChange } from '../../src/migrate/watch-queue.ts'
import { showQueueChanges } from '../../src/terminal/queue-watch-view.ts'
import { pipe, screen } from './screen.ts'

const NOW = Date.parse('2026-11-29T15:20:22Z')
const text = (...lines: string[]) => lines.join('\n')

const warnings: string[] = []
const warn = (line: string) => void warnings.push(line)

const holder = (vm: string) => ({ namespace: 'demo', vm, migration: `m-${vm}` })
const entry = (vm: string, phase: string) => ({
  ...holder(vm),
  phase,
  forSeconds: 20,
  sourceNode: 'node-1',
  priority: null,
})
const waiting: WaitingEntry = {
  ...entry('vm-2', 'Pending'),
  limit: 'cluster',
  blocked: null,
  above: 0,
  competing: 0,
}
const queue = (by: string[], running: QueueReport['running'], rest: WaitingEntry[]) => ({
  apiVersion: 'kubectl-mig/v1alpha1' as const,
  kind: 'QueueReport' as const,
  generatedAt: new Date(NOW).toISOString(),
  namespace: 'demo',
  limits: [
    { limit: 'cluster' as const, node: null, used: by.length, of: 1, by: by.map(holder) },
    { limit: 'node' as const, node: 'node-1', used: by.length, of: 2, by: by.map(holder) },
  ],
  running,
  waiting: rest,
})
const FULL = queue(['vm-1'], [entry('vm-1', 'Running')], [waiting])
const NEXT = queue(['vm-2'], [entry('vm-2', 'Scheduling')], [])

/** One holds the only slot; the connection goes and comes; then the other has the slot, and all is over. */
async function* changes(see: () => void = () => {}): AsyncGenerator<QueueChange> {
  const step = (type: 'lost', message: string): QueueChange => ({ type, message })
  const all: QueueChange[] = [
    { type: 'read', steps: [], queue: FULL },
    step('lost', 'https://x is unreachable'),
    { type: 'regained' },
    {
      type: 'read',
      steps: [
        { type: 'left', entry: FULL.running[0]! },
        { type: 'running', entry: NEXT.running[0]! },
      ],
      queue: NEXT,
    },
    { type: 'read', steps: [{ type: 'waiting', entry: waiting }], queue: FULL },
    { type: 'read', steps: [{ type: 'waiting', entry: { ...waiting, limit: null } }], queue: FULL },
    { type: 'read', steps: [{ type: 'left', entry: waiting }], queue: queue([], [], []) },
  ]
  for (const change of all) {
    yield change
    see()
  }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

describe.each([80, 120])('on a terminal of %d columns', (columns) => {
  test('the queue changes in its place, and stays at the end', async () => {
    const shown = screen(columns, 24, { env: { NO_COLOR: '1' } })
    const frames: string[] = []
    const options = { format: undefined, warn, now: () => NOW + 2000 }
    await showQueueChanges(
      changes(() => frames.push(shown.text())),
      shown.terminal,
      options,
    )
    const full = text(
      'LIMIT     USED     FREE   BY',
      'cluster   1 of 1   0      vm-1',
      'node-1    1 of 2   1      vm-1',
      '',
      'VM     PHASE     AGE   SOURCE   ABOVE   COMPETE   SLOT',
      'vm-1   Running   22s   node-1   -       -         has one',
      'vm-2   Pending   22s   node-1   0       0         cluster: 1 of 1 used',
    )
    expect(frames).toEqual([
      full,
      `connection lost, trying again: https://x is unreachable\n${full}`,
      full,
      text(
        'LIMIT     USED     FREE   BY',
        'cluster   1 of 1   0      vm-2',
        'node-1    1 of 2   1      vm-2',
        '',
        'VM     PHASE        AGE   SOURCE   ABOVE   COMPETE   SLOT',
        'vm-2   Scheduling   22s   node-1   -       -         has one',
      ),
      full,
      full,
      text(
        'LIMIT     USED     FREE   BY',
        'cluster   0 of 1   1',
        'node-1    0 of 2   2',
        '',
        'no migration waits or runs in namespace "demo"',
      ),
    ])
    expect(shown.text()).toBe(frames.at(-1))
    expect(shown.cursorVisible()).toBe(true)
  })
})

test('on a terminal ages run on between two looks, in colour', async () => {
  const shown = screen(80, 24)
  let now = NOW
  async function* once(): AsyncGenerator<QueueChange> {
    yield { type: 'read', steps: [], queue: FULL }
    now += 5000
    vi.advanceTimersByTime(1000)
  }
  await showQueueChanges(once(), shown.terminal, { format: undefined, warn, now: () => now })
  expect(shown.text()).toContain('vm-1   Running   25s')
  expect(shown.raw()).toContain('\u001b[33m1 of 1\u001b[39m')
})

test('through a pipe it is the tables, then a line for each change', async () => {
  const piped = pipe()
  await showQueueChanges(changes(), piped.terminal, { format: undefined, warn, now: () => NOW })
  expect(piped.text().split('\n').slice(7)).toEqual([
    'queue: connection lost, trying again: https://x is unreachable',
    'queue: connection is back',
    'vm-1: has ended',
    'vm-2: Scheduling, has a slot',
    'vm-2: waits: cluster: 1 of 1 used',
    'vm-2: waits; a slot is free',
    'vm-2: has ended',
    '',
  ])
})

test('with a format it is a document for each change', async () => {
  const piped = pipe()
  await showQueueChanges(changes(), piped.terminal, { format: 'json', warn, now: () => NOW })
  const documents = piped.text().trimEnd().split('\n')
  expect(documents.map((line) => JSON.parse(line).limits[0].by[0]?.vm)).toEqual([
    'vm-1',
    'vm-2',
    'vm-1',
    'vm-1',
    undefined,
  ])
  expect(warnings).toEqual([
    'connection lost, trying again: https://x is unreachable',
    'connection is back',
  ])
})

test('the terminal is given back when it is interrupted', async () => {
  const shown = screen()
  async function* broken(): AsyncGenerator<QueueChange> {
    yield { type: 'read', steps: [], queue: FULL }
    throw new MigError(EXIT.interrupted, '')
  }
  const watching = showQueueChanges(broken(), shown.terminal, {
    format: undefined,
    warn,
    now: () => NOW,
  })
  await expect(watching).rejects.toMatchObject({ exit: EXIT.interrupted })
  expect(shown.cursorVisible()).toBe(true)
})
