import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { EXIT, MigError } from '../../src/errors.ts'
import type { Moved } from '../../src/migrate/move.ts'
import type { Observed } from '../../src/migrate/observed.ts'
import { portMapOf } from '../../src/migrate/ports.ts'
import { emptyReport, reportOf } from '../../src/migrate/report.ts'
import type { SettingReport } from '../../src/migrate/settings.ts'
import type { StatusChange } from '../../src/migrate/status.ts'
import type { ListChange } from '../../src/migrate/watch-list.ts'
import { portLines } from '../../src/terminal/ports-view.ts'
import { cancelText, errorLines, movesText } from '../../src/terminal/results.ts'
import { statusLines } from '../../src/terminal/status-table.ts'
import { showChanges } from '../../src/terminal/status-view.ts'
import type { Terminal } from '../../src/terminal/terminal.ts'
import { noMigrationText, timelineLines } from '../../src/terminal/timeline-view.ts'
import {
  event,
  known,
  LISTENING,
  migration,
  ms,
  unschedulable,
  upTo,
  vmi,
} from '../migrate/objects.ts'
import { pipe, type Screen, screen } from './screen.ts'
import { manyMigrations } from './story.ts'

const text = (lines: string[]) => `\n${lines.join('\n')}\n`
const NO_COLOR = { env: { NO_COLOR: '1' } }

describe('a list', () => {
  test('at 80 columns', () => {
    const { terminal } = screen(80, 24, NO_COLOR)
    expect(text(statusLines(manyMigrations(), terminal, ms(20)))).toBe(`
VM     PHASE       FOR   SOURCE   TARGET   NOW
vm-1   Running     12s   node-1   node-3   ━━━━━━──── 62%, ETA 2–3s, 24 MiB lef…
vm-2   Pending     18s   node-1   <none>   2 of 2 slots of node-1 are in use, 1…
vm-3   Succeeded   7s    node-1   node-3   took 12s, 91 MiB copied, 3 rounds, d…
vm-4   Failed      14s   node-1   node-3   Target pod is down
`)
  })

  test('at 120 columns', () => {
    const { terminal } = screen(120, 24, NO_COLOR)
    expect(text(statusLines(manyMigrations(), terminal, ms(20)))).toBe(`
VM     PHASE       FOR   SOURCE   TARGET   NOW
vm-1   Running     12s   node-1   node-3   ━━━━━━──── 62%, ETA 2–3s, 24 MiB left, 16 MiB/s, dirty 8 MiB/s
vm-2   Pending     18s   node-1   <none>   2 of 2 slots of node-1 are in use, 1 waiting ranks above it, 2 compete with…
vm-3   Succeeded   7s    node-1   node-3   took 12s, 91 MiB copied, 3 rounds, downtime 41 ms, content verified
vm-4   Failed      14s   node-1   node-3   Target pod is down
`)
  })

  test('through a pipe, wide, of several namespaces', () => {
    const { terminal } = pipe()
    const options = { namespaces: true, wide: true }
    expect(text(statusLines(manyMigrations().slice(2), terminal, ms(20), options))).toBe(`
NAMESPACE   VM     MIGRATION           PHASE       FOR   SOURCE   TARGET   NOW
demo        vm-3   kubectl-mig-x7k23   Succeeded   7s    node-1   node-3   took 12s, 91 MiB copied, 3 rounds, downtime 41 ms, content verified
demo        vm-4   kubectl-mig-x7k24   Failed      14s   node-1   node-3   Target pod is down
`)
  })

  test('in colour on a terminal', () => {
    const { terminal } = screen(80)
    const lines = statusLines(manyMigrations(), terminal, ms(20))
    expect(lines[3]).toContain('\u001b[32mSucceeded\u001b[39m')
    expect(lines[4]).toContain('\u001b[31mFailed\u001b[39m')
  })
})

describe('a timeline', () => {
  const [copying, waiting, , failed] = manyMigrations() as [Observed, Observed, Observed, Observed]

  test('says where it is, for how long, and what lies ahead, at 80 columns', () => {
    const { terminal } = screen(80, 24, NO_COLOR)
    expect(text(timelineLines(copying, terminal, ms(20)))).toBe(`
vm-1: Running for 12s, node-1 → node-3 (kubectl-mig-x7k21 in demo)

✓ 12:00:01Z  Created             1s  kubectl-mig-x7k21
✓ 12:00:02Z  Pending             0s  target pod virt-launcher-vm-1-bbbbb
✓ 12:00:02Z  Scheduling          1s  the target pod runs on node-3
✓ 12:00:03Z  Scheduled           0s  handed over to virt-handler on node-3
✓ 12:00:03Z  PreparingTarget     2s  node-3 listens at 10.0.0.3, ports 41001,
                                     41002
✓ 12:00:05Z  TargetReady         3s  copy started by node-1
● 12:00:08Z  Running            12s  ETA 2–3s, 24 MiB left, 16 MiB/s, dirty 8
                                     MiB/s
                                     ━━━━━━━━━━━━━━━━━━━━━━━──────────────  62%
·            Succeeded
`)
  })

  test('of one that waits names the limit', () => {
    const lines = timelineLines(waiting, pipe().terminal, ms(20))
    expect(lines.slice(0, 4)).toEqual([
      'vm-2: Pending for 18s, node-1 (kubectl-mig-x7k22 in demo)',
      '',
      '✓ 12:00:01Z  Created             1s  kubectl-mig-x7k22',
      '● 12:00:02Z  Pending            18s  2 of 2 slots of node-1 are in use, 1 waiting ranks above it, 2 compete with it, used by vm-8 and other/vm-9',
    ])
  })

  test('of one whose pod no node takes says so, and when KubeVirt gives up', () => {
    const targetPod = unschedulable('0/3 nodes are available: 3 node(s) were unschedulable.')
    const stuck = known(migration(upTo('Scheduling')), { vmi: vmi(), targetPod })
    expect(timelineLines(stuck, pipe().terminal, ms(10))[4]).toBe(
      '● 12:00:02Z  Scheduling          8s  target pod virt-launcher-vm-1-bbbbb has no node yet: KubeVirt gives up in 4m52s: 0/3 nodes are available: 3 node(s) were unschedulable.',
    )
    expect(statusLines([stuck], screen(80).terminal, ms(10))[1]).toContain(
      'KubeVirt gives up in 4m52s',
    )
  })

  test('of one that failed ends with the reason, and the warnings stand below', () => {
    const warning = event('SyncFailed', 'syncing migration target failed: no route')
    const observed = { ...failed, events: new Map([['e', warning]]) }
    const lines = timelineLines(observed, pipe().terminal, ms(20))
    expect(lines[0]).toBe(
      'vm-4: failed 14s ago, after 5s, node-1 → node-3 (kubectl-mig-x7k24 in demo)',
    )
    expect(lines.slice(-3)).toEqual([
      '✗ 12:00:06Z  Failed                  Target pod is down',
      '',
      '! SyncFailed: syncing migration target failed: no route (vmim/vm-1-m)',
    ])
  })

  test('there is none for a VM without migration', () => {
    const subject = { namespace: 'demo', name: 'vm-1', vm: undefined, migration: undefined }
    expect(noMigrationText({ ...subject, vmi: vmi() })).toBe(
      'vm-1 in namespace demo runs on node-1; it has no migration',
    )
    expect(noMigrationText({ ...subject, vmi: undefined })).toBe(
      'vm-1 in namespace demo is not running; it has no migration',
    )
  })
})

test('ports say whose they are, what they are worth, and are never cut', () => {
  const subject = { namespace: 'demo', name: 'vm-1', vm: undefined }
  const running = { ...subject, vmi: vmi(LISTENING), migration: migration(upTo('TargetReady')) }
  expect(text(portLines(portMapOf(running, ms(10)), screen(80).terminal))).toBe(`
vm-1: TargetReady, node-1 → node-3 (vm-1-m); ports are open

LABEL   PURPOSE                   TARGET ADDRESS   PORT    SOURCE SOCKET
0       control (libvirt)         10.0.0.3         41001   /var/run/kubevirt/migrationproxy/uid-vmi-source.sock
49152   memory and device state   10.0.0.3         41002   /var/run/kubevirt/migrationproxy/uid-vmi-49152-source.sock
`)
  const early = { ...subject, vmi: vmi(), migration: migration(upTo('Scheduling')) }
  expect(portLines(portMapOf(early, ms(10)), pipe().terminal)[3]).toBe(
    '0       control (libvirt)         <none>           <none>   /var/run/kubevirt/migrationproxy/uid-vmi-source.sock',
  )
})

describe('what came of it', () => {
  const [, , moved, failed] = manyMigrations() as [Observed, Observed, Observed, Observed]
  const done: Moved = {
    vm: 'vm-3',
    report: reportOf(moved, ms(20)),
    error: undefined,
    planned: undefined,
  }
  const broken: Moved = {
    vm: 'vm-4',
    report: reportOf(failed, ms(20)),
    error: new MigError(EXIT.migrationFailed, 'migration "x" of "vm-4" failed: Target pod is down'),
    planned: undefined,
  }

  test('one that moved: a sentence through a pipe, two lines on a terminal', async () => {
    expect(await movesText([done], undefined, pipe().terminal)).toBe(
      'vm-3 moved from node-1 to node-3 in 12s: 91 MiB copied, 3 rounds, downtime 41 ms, content verified\n',
    )
    expect(await movesText([done], undefined, screen(80, 24, NO_COLOR).terminal)).toBe(
      'vm-3 moved from node-1 to node-3 in 12s\n  91 MiB copied, 3 rounds, downtime 41 ms, content verified\n',
    )
  })

  test('what nobody measured is said to be unknown', async () => {
    const report = { ...done.report, copy: null }
    expect(await movesText([{ ...done, report }], undefined, pipe().terminal)).toBe(
      'vm-3 moved from node-1 to node-3 in 12s: bytes, rounds and downtime unknown\n',
    )
  })

  test('the object of a dry run begins as kubectl prints it, whatever order the server has', async () => {
    const planned = {
      spec: { vmiName: 'vm-3' },
      status: {},
      metadata: { name: 'm' },
      kind: 'VirtualMachineInstanceMigration',
      apiVersion: 'kubevirt.io/v1',
    }
    const text = await movesText([{ ...done, planned }], undefined, pipe().terminal)
    expect(text.match(/^\w+/gm)).toEqual(['apiVersion', 'kind', 'metadata', 'spec', 'status'])
  })

  test('one that was not moved: the error says it all', async () => {
    expect(await movesText([broken], undefined, pipe().terminal)).toBe('')
    expect(errorLines([broken])).toBe('')
  })

  test('several: a table, and a line for each that was not moved', async () => {
    const refused = {
      ...broken,
      report: { ...emptyReport('demo', 'vm-9', 0), outcome: 'refused' as const },
      vm: 'vm-9',
    }
    expect(await movesText([done, broken, refused], undefined, pipe().terminal)).toBe(
      `
VM     RESULT      SOURCE   TARGET   TOOK     COPIED   ROUNDS   DOWNTIME
vm-3   moved       node-1   node-3   12s      91 MiB   3        41 ms
vm-4   failed      node-1   node-3   5s       <none>   <none>
vm-9   not moved   <none>   <none>   <none>   <none>   <none>
`.slice(1),
    )
    expect(errorLines([done, broken])).toBe(
      'vm-4: migration "x" of "vm-4" failed: Target pod is down\n',
    )
  })

  test('a document: a report for one, a list for several', async () => {
    const kind = async (moves: Moved[]) =>
      JSON.parse(await movesText(moves, 'json', pipe().terminal)).kind
    expect([await kind([done]), await kind([done, broken])]).toEqual([
      'MigrationReport',
      'MigrationList',
    ])
  })

  test('a dry run: objects that kubectl takes', async () => {
    const planned = { apiVersion: 'kubevirt.io/v1', kind: 'X', metadata: { generateName: 'a-' } }
    const plan = { ...done, planned: planned as never }
    expect(await movesText([plan], undefined, pipe().terminal)).toBe(
      'apiVersion: kubevirt.io/v1\nkind: X\nmetadata:\n  generateName: a-\n',
    )
    expect(
      (await movesText([plan, plan], undefined, pipe().terminal)).match(/^---$/gm),
    ).toHaveLength(2)
    expect(JSON.parse(await movesText([plan, plan], 'json', pipe().terminal))).toMatchObject({
      kind: 'List',
      items: [planned, planned],
    })
  })

  test('cancelled ones, and those that are still being cancelled', async () => {
    const cancelled = { ...done, report: { ...done.report, outcome: 'cancelled' as const } }
    expect(await cancelText([cancelled], {})).toBe(
      'vm-3: migration kubectl-mig-x7k23 cancelled; the VM stays on node-1\n',
    )
    const going = { ...done, report: { ...done.report, outcome: 'running' as const } }
    expect(await cancelText([going], {})).toBe(
      'vm-3: migration kubectl-mig-x7k23 is being cancelled\n',
    )
    expect(await cancelText([going], { dryRun: 'server' })).toBe(
      'vm-3: migration kubectl-mig-x7k23 would be cancelled (server dry run)\n',
    )
  })
})

describe('watching', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
  afterEach(() => void vi.useRealTimers())

  const warnings: string[] = []
  const OPTIONS = { format: undefined, warn: (line: string) => void warnings.push(line) }

  /** Two migrations are listed; then the first ends, and the connection goes and comes. */
  async function* changes(see: () => void): AsyncGenerator<ListChange> {
    const [copying, waiting, moved] = manyMigrations() as [Observed, Observed, Observed]
    const created = { type: 'created' as const, migration: copying.migration }
    yield { step: created, observed: copying, migrations: () => [copying] }
    yield { step: { type: 'listed' }, observed: undefined, migrations: () => [copying, waiting] }
    see()
    yield {
      step: { type: 'lost', message: 'https://x is unreachable' },
      observed: undefined,
      migrations: () => [copying, waiting],
    }
    see()
    yield { step: { type: 'regained' }, observed: undefined, migrations: () => [copying, waiting] }
    yield {
      step: { type: 'phase', phase: 'Succeeded' },
      observed: moved,
      migrations: () => [waiting, moved],
    }
    see()
  }

  test('on a terminal is a table that changes in its place, and stays at the end', async () => {
    const shown: Screen = screen(80, 24, NO_COLOR)
    const frames: string[] = []
    const options = { ...OPTIONS, now: () => ms(20) }
    await showChanges(
      changes(() => frames.push(shown.text())),
      shown.terminal,
      options,
    )
    expect(frames.map((frame) => frame.split('\n').map((line) => line.slice(0, 22)))).toEqual([
      ['VM     PHASE     FOR ', 'vm-1   Running   12s ', 'vm-2   Pending   18s '].map((l) =>
        expect.stringContaining(l.trimEnd()),
      ),
      [
        'connection lost, tryin',
        expect.any(String),
        expect.stringContaining('vm-1'),
        expect.stringContaining('vm-2'),
      ],
      [
        expect.any(String),
        expect.stringContaining('vm-2   Pending'),
        expect.stringContaining('vm-3   Succeeded'),
      ],
    ])
    expect(shown.text()).toBe(frames.at(-1))
    expect(shown.cursorVisible()).toBe(true)
  })

  test('on a terminal draws running times anew each second', async () => {
    const shown = screen(80, 24, NO_COLOR)
    let now = ms(20)
    async function* once(): AsyncGenerator<ListChange> {
      const [copying] = manyMigrations()
      yield { step: { type: 'listed' }, observed: undefined, migrations: () => [copying!] }
      now = ms(25)
      vi.advanceTimersByTime(1000)
    }
    await showChanges(once(), shown.terminal, { ...OPTIONS, now: () => now })
    expect(shown.text()).toContain('vm-1   Running   17s')
  })

  test('through a pipe is the table, then lines', async () => {
    const piped = pipe()
    const options = { ...OPTIONS, now: () => ms(20), namespaces: true }
    await showChanges(
      changes(() => {}),
      piped.terminal,
      options,
    )
    expect(piped.text().split('\n').slice(3)).toEqual([
      'status: Connection lost, trying again: https://x is unreachable',
      'status: Connection is back',
      'demo/vm-3: Succeeded',
      '',
    ])
  })

  test('with a format is a document a line', async () => {
    const piped = pipe()
    const options = { ...OPTIONS, format: 'json' as const, now: () => ms(20) }
    await showChanges(
      changes(() => {}),
      piped.terminal,
      options,
    )
    const documents = piped
      .text()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(documents.map(({ kind, vm, phase }) => [kind, vm, phase])).toEqual([
      ['MigrationReport', 'vm-1', 'Running'],
      ['MigrationReport', 'vm-3', 'Succeeded'],
    ])
    expect(warnings.splice(0)).toEqual([
      'connection lost, trying again: https://x is unreachable',
      'connection is back',
    ])
  })

  /** One that copies, with two of the settings that hold. */
  async function* single(): AsyncGenerator<StatusChange> {
    const [copying] = manyMigrations()
    const setting = { value: 5, from: 'default' as const, source: '1.9', labels: [] }
    const settings: SettingReport[] = [
      { ...setting, name: 'parallelMigrationsPerCluster' },
      { ...setting, name: 'bandwidthPerMigration', value: '16Mi', from: 'kubevirt', source: 'kv' },
    ]
    const subject = { namespace: 'demo', name: 'vm-1', vm: undefined, ...copying! }
    const status = { subject, migrations: [copying!], settings, gaps: [] }
    const all = () => [copying!]
    yield { step: { type: 'listed' }, observed: copying, migrations: all, single: status }
  }
  const TIMELINE = [
    'vm-1: Running for 12s, node-1 → node-3 (kubectl-mig-x7k21 in demo)',
    '',
    '✓ 12:00:01Z  Created             1s  kubectl-mig-x7k21',
    '✓ 12:00:02Z  Pending             0s  target pod virt-launcher-vm-1-bbbbb',
    '✓ 12:00:02Z  Scheduling          1s  the target pod runs on node-3',
    '✓ 12:00:03Z  Scheduled           0s  handed over to virt-handler on node-3',
    '✓ 12:00:03Z  PreparingTarget     2s  node-3 listens at 10.0.0.3, ports 41001, 41002',
    '✓ 12:00:05Z  TargetReady         3s  copy started by node-1',
    '● 12:00:08Z  Running            12s  ETA 2–3s, 24 MiB left, 16 MiB/s, dirty 8 MiB/s',
  ]
  const SETTINGS = [
    'SETTING                        VALUE   FROM',
    'parallelMigrationsPerCluster   5       default of 1.9',
    'bandwidthPerMigration          16Mi    KubeVirt CR kv',
  ]
  const watched = async (terminal: Terminal) =>
    showChanges(single(), terminal, { ...OPTIONS, now: () => ms(20) })

  test('of one, on a terminal: its timeline, then which settings hold', async () => {
    const shown = screen(120, 24, NO_COLOR)
    await watched(shown.terminal)
    const lines = shown.text().split('\n')
    expect(lines.slice(0, 9)).toEqual(TIMELINE)
    expect(lines.slice(10)).toEqual(['·            Succeeded', '', ...SETTINGS])
  })

  test('of one, in a low window: what goes on now, before it what has room', async () => {
    const shown = screen(120, 8, NO_COLOR)
    await watched(shown.terminal)
    const lines = shown.text().split('\n')
    expect(lines.slice(0, 5)).toEqual([...TIMELINE.slice(0, 2), ...TIMELINE.slice(-3)].slice(0, 5))
    expect(lines.at(-1)).toBe('·            Succeeded')
    expect(lines).toHaveLength(7)
  })

  test('of one, through a pipe: the same in plain lines', async () => {
    const piped = pipe()
    await watched(piped.terminal)
    const lines = piped.text().trimEnd().split('\n')
    expect(lines.slice(0, 9)).toEqual(TIMELINE)
    expect(lines.slice(-3)).toEqual(SETTINGS)
    expect(piped.text()).not.toContain('\u001b')
  })

  test('of one, with a format: its settings too', async () => {
    const piped = pipe()
    const options = { ...OPTIONS, format: 'json' as const, now: () => ms(20) }
    await showChanges(single(), piped.terminal, options)
    const { kind, settings } = JSON.parse(piped.text())
    expect(kind).toBe('MigrationReport')
    expect(settings).toHaveLength(2)
  })

  test('gives the terminal back when it is interrupted', async () => {
    const shown = screen()
    async function* broken(): AsyncGenerator<ListChange> {
      yield { step: { type: 'listed' }, observed: undefined, migrations: () => [] }
      throw new MigError(EXIT.interrupted, '')
    }
    const watching = showChanges(broken(), shown.terminal, { ...OPTIONS, now: () => ms(20) })
    await expect(watching).rejects.toMatchObject({ exit: EXIT.interrupted })
    expect(shown.text()).toBe('no migration in flight')
    expect(shown.cursorVisible()).toBe(true)
  })
})
