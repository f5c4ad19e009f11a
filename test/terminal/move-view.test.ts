import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ReportVerdict } from '../../src/diagnose/report.ts'
import { EXIT, MigError } from '../../src/errors.ts'
import type { Moving } from '../../src/migrate/move.ts'
import { createMoveView } from '../../src/terminal/move-view.ts'
import { COPYING, event, HANDED_OFF, known, migration, ms, upTo, vmi } from '../migrate/objects.ts'
import { pipe, type Screen, screen } from './screen.ts'
import { FORECAST, moveStory } from './story.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const VERDICT: ReportVerdict = {
  code: 'MIG3001',
  title: 'Quota team-a has no room',
  cause: '',
  stage: 'Pending',
  endsByItself: 'no',
  confidence: 'certain',
  next: [{ text: 'Raise it' }],
}

/** Plays the story up to the second, then one more frame of the spinner. */
async function playTo(second: number, shown: Screen) {
  let now = ms(0)
  const view = await createMoveView(shown.terminal, ['vm-1'], () => now)
  for (const { moving, now: at } of moveStory()) {
    if (at > ms(second)) break
    now = at
    view.show(moving)
  }
  now = ms(second)
  vi.advanceTimersByTime(200)
  return view
}

describe('on a terminal, one move is a check list', () => {
  test('with what goes on now below what is done, 80 columns', async () => {
    const shown = screen(80)
    const view = await playTo(11, shown)
    expect(shown.text()).toBe(
      `
  ✓ Admitted                no policy; slots used: cluster 0 of 5, node-1 0 of 2
  ✓ Created             1s  vm-1-m
  ✓ Pending             0s  target pod virt-launcher-vm-1-bbbbb
  ✓ Scheduling          1s  the target pod runs on node-3
  ✓ Scheduled         0.4s  handed over to virt-handler on node-3
  ✓ PreparingTarget   1.7s  node-3 listens at 10.0.0.3, ports 41001, 41002
  ✓ TargetReady         3s  copy started by node-1
  ⠹ Running           2.9s  ETA 2–3s, 24 MiB left, 16 MiB/s, dirty 8 MiB/s
                            ━━━━━━━━━━━━━━━━━━━━━━━━━━━━──────────────────  62%
`.slice(1, -1),
    )
    view.close()
  })

  test('with a longer bar at 120 columns', async () => {
    const shown = screen(120)
    const view = await playTo(11, shown)
    expect(shown.text().split('\n').at(-1)).toBe(
      '                            ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━───────────────────────  62%',
    )
    view.close()
  })

  test('whose running line is cut where the window ends, for it is drawn again', async () => {
    const shown = screen(40)
    const view = await playTo(5.1, shown)
    expect(shown.text().split('\n').at(-1)).toBe('  ⠹ TargetReady         0s  virt-han…')
    view.close()
  })

  test('where a phase’s result comes late, by another watch, its line waits for it', async () => {
    const shown = screen(80)
    const view = await createMoveView(shown.terminal, ['vm-1'], () => ms(4))
    const fast = known(migration(upTo('PreparingTarget')))
    const step = { type: 'phase' as const, phase: 'PreparingTarget' }
    view.show({ vm: 'vm-1', step, observed: fast })
    const labels = () =>
      shown
        .text()
        .split('\n')
        .map((line) => line.trim().split(/ +/)[1])
    expect(labels()).toEqual(['Created', 'PreparingTarget'])
    view.show({ vm: 'vm-1', step, observed: { ...fast, vmi: vmi(HANDED_OFF) } })
    expect(labels()).toEqual(['Created', 'Pending', 'Scheduling', 'Scheduled', 'PreparingTarget'])
    view.close()
  })

  test('whose window may become narrower meanwhile', async () => {
    const shown = screen(80)
    const view = await playTo(11, shown)
    shown.resize(60)
    vi.advanceTimersByTime(200)
    expect(shown.text().split('\n').slice(-3)).toEqual([
      '  ✓ TargetReady         3s  copy started by node-1',
      '  ⠴ Running           2.9s  ETA 2–3s, 24 MiB left, 16 Mi…',
      '                            ━━━━━━━━━━━━━━━━──────────  62%',
    ])
    view.close()
  })

  test('to its end, with the terminal given back', async () => {
    const shown = screen(80)
    const view = await playTo(14, shown)
    view.close()
    view.close()
    expect(shown.text().split('\n').slice(-2)).toEqual([
      '  ✓ Running           5.2s',
      '  ✓ Succeeded          12s',
    ])
    expect(shown.cursorVisible()).toBe(true)
  })

  test('with what a diagnosis says of one that stands still, and of one that failed', async () => {
    const shown = screen(80)
    const view = await playTo(1, shown)
    for (const stillFor of [60_000, undefined])
      view.show({
        vm: 'vm-1',
        step: { type: 'verdict', verdict: VERDICT, stillFor },
        observed: undefined,
      })
    view.close()
    expect(shown.text()).toContain(
      `
  ! Stands still        1m  Quota team-a has no room (MIG3001); next: Raise it
  ✗ Why                     Quota team-a has no room (MIG3001); next: Raise it
`.trimEnd(),
    )
  })

  test('whose times run between two steps', async () => {
    const shown = screen(80)
    let now = ms(1)
    const view = await createMoveView(shown.terminal, ['vm-1'], () => now)
    for (const { moving } of [...moveStory()].slice(0, 2)) view.show(moving)
    now = ms(43)
    vi.advanceTimersByTime(80)
    expect(shown.text()).toContain(
      'Created            42s  virt-controller has not looked at it yet',
    )
    view.close()
  })

  test('in colour, and without with NO_COLOR', async () => {
    const last = async (env: NodeJS.ProcessEnv) => {
      const shown = screen(80, 24, { env })
      const view = await playTo(14, shown)
      view.close()
      return shown.raw()
    }
    const coloured = await last({ TERM: 'xterm' })
    expect(coloured).toContain('\u001b[32m✓\u001b[39m Succeeded')
    expect(coloured).toContain('\u001b[36m⠋\u001b[39m')
    const plain = await last({ TERM: 'xterm', NO_COLOR: '1' })
    expect(plain).toContain('✓ Succeeded')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one.
    expect(plain).not.toMatch(/\u001b\[\d*m/)
  })

  test('also on a terminal that nobody has sized', async () => {
    const shown = screen(0, 0)
    const view = await playTo(11, shown)
    expect(shown.text().split('\n')).toHaveLength(9)
    view.close()
  })

  test('with warnings whole, in lines of their own above', async () => {
    const shown = screen(80)
    const view = await playTo(3.4, shown)
    const [last] = [...moveStory()].filter(({ now }) => now === ms(3.4))
    const message = 'syncing migration target failed: no route to host, which is long'
    view.show({ ...last!.moving, step: { type: 'warning', event: event('SyncFailed', message) } })
    expect(shown.text().split('\n').slice(-3)).toEqual([
      '  ! Warning                 SyncFailed: syncing migration target failed: no',
      '                            route to host, which is long (vmim/vm-1-m)',
      '  ⠋ PreparingTarget     0s  virt-handler on node-3 prepares the target',
    ])
    view.close()
  })
})

test('on a terminal, a cancel tells what was asked for, what goes on, and the end', async () => {
  const shown = screen(80, 24, { env: { NO_COLOR: '1' } })
  const view = await createMoveView(shown.terminal, ['vm-1'], () => ms(20))
  const running = known(migration(upTo('Running')), { vmi: vmi(COPYING) })
  const asked = { type: 'asked' as const, effect: 'requested' as const, again: false }
  view.show({ vm: 'vm-1', step: asked, observed: running })
  const gone = migration([...upTo('Running'), ['Failed', 21]], {
    metadata: { name: 'vm-1-m', deletionTimestamp: '2026-11-29T12:00:20Z' },
  })
  expect(shown.text().split('\n').at(-1)).toBe('  ⠋ Running            12s  copying')
  const ended = known(gone, { vmi: vmi(COPYING), gone: true })
  view.show({ vm: 'vm-1', step: { type: 'end', outcome: 'cancelled' }, observed: ended })
  view.close()
  expect(shown.text()).toBe(
    `
  ✓ Cancelling              asked for; the source node stops the copy
  ✓ Running            13s
  ✓ Cancelled          20s
`.slice(1, -1),
  )
})

describe('on a terminal, several moves are a table', () => {
  test('in the order of the names, drawn in its place, and gone at the end', async () => {
    const shown = screen(80)
    let now = ms(0)
    shown.terminal.write('$ kubectl mig migrate vm-9 vm-1\n')
    const view = await createMoveView(shown.terminal, ['vm-9', 'vm-1'], () => now)
    const error = new MigError(EXIT.notFound, 'no VM "vm-9" in namespace "demo"')
    for (const { moving, now: at } of moveStory()) {
      if (at > ms(11)) break
      now = at
      view.show(moving)
      view.show({ vm: 'vm-9', step: { type: 'refused', error }, observed: undefined })
    }
    now = ms(12)
    vi.advanceTimersByTime(1000)
    expect(shown.text()).toBe(
      `
$ kubectl mig migrate vm-9 vm-1
VM     PHASE       FOR      SOURCE   TARGET   NOW
vm-9   not moved   <none>   <none>   <none>   no VM "vm-9" in namespace "demo"
vm-1   Running     3.9s     node-1   node-3   ━━━━━━──── 62%, ETA 2–3s, 24 MiB…
`.slice(1, -1),
    )
    view.close()
    expect(shown.text()).toBe('$ kubectl mig migrate vm-9 vm-1')
  })
})

describe('through a pipe', () => {
  const play = async (extra: Moving['step'][] = []) => {
    const piped = pipe()
    let now = ms(0)
    const view = await createMoveView(piped.terminal, ['vm-1'], () => now)
    for (const { moving, now: at } of moveStory()) {
      now = at
      view.show(moving)
      if (moving.step.type === 'created') for (const step of extra) view.show({ ...moving, step })
    }
    view.close()
    return piped.text()
  }

  test('each thing that happens is a plain line with the VM’s name', async () => {
    expect(await play()).toBe(
      `
vm-1: Admitted: no policy; slots used: cluster 0 of 5, node-1 0 of 2
vm-1: Created: vm-1-m
vm-1: Scheduling: the target pod starts
vm-1: Scheduling: target pod virt-launcher-vm-1-bbbbb starts on node-3
vm-1: Scheduled: being handed over to virt-handler on node-3
vm-1: PreparingTarget: virt-handler on node-3 prepares the target
vm-1: TargetReady: virt-handler on node-1 is to start the copy
vm-1: Running: copying
vm-1: Running: 25%, ETA 4s, 48 MiB left, 12 MiB/s, dirty 0 B/s
vm-1: Running: 62%, ETA 2–3s, 24 MiB left, 16 MiB/s, dirty 8 MiB/s
vm-1: Succeeded
`.slice(1),
    )
  })

  test('a message from the cluster stays on its line and does not act', async () => {
    const evil = event('SyncFailed', 'first\nsecond \u001b[2J', { uid: 'uid-m' })
    expect(await play([{ type: 'warning', event: evil }])).toContain(
      'vm-1: Warning: SyncFailed: first second \\x1b[2J (vmim/vm-1-m)\n',
    )
  })

  test('what cannot be seen, a lost connection and a cancelling are said', async () => {
    const text = await play([
      { type: 'gap', gap: { what: 'pods', why: 'forbidden' } },
      { type: 'lost', message: 'https://x is unreachable' },
      { type: 'regained' },
      { type: 'cancelling' },
    ])
    expect(text).toContain(
      `
vm-1: Not visible: pods: forbidden
vm-1: Connection lost, trying again: https://x is unreachable
vm-1: Connection is back
vm-1: Cancelling: somebody has deleted the migration
`,
    )
  })

  test('what a diagnosis says of one that stands still, or has failed, is one line', async () => {
    const text = await play([
      { type: 'verdict', verdict: VERDICT, stillFor: 60_000 },
      { type: 'verdict', verdict: { ...VERDICT, next: [] }, stillFor: undefined },
    ])
    expect(text).toContain(
      `
vm-1: Stands still for 1m: Quota team-a has no room (MIG3001); next: Raise it
vm-1: Why: Quota team-a has no room (MIG3001)
`,
    )
  })

  test('silence does not last: where it still is, and for how long, is said again', async () => {
    const piped = pipe()
    let now = ms(8.1)
    const view = await createMoveView(piped.terminal, ['vm-1'], () => now)
    for (const { moving } of [...moveStory()].filter(({ now }) => now <= ms(9))) view.show(moving)
    const before = piped.text()
    for (now = ms(8.1); now < ms(75); now += 5000) vi.advanceTimersByTime(5000)
    expect(piped.text().slice(before.length)).toBe(
      `
vm-1: Running for 30s: ETA 4s, 48 MiB left, 12 MiB/s, dirty 0 B/s
vm-1: Running for 1m: ETA 4s, 48 MiB left, 12 MiB/s, dirty 0 B/s
`.slice(1),
    )
    view.close()
  })
})

test('a refused move says nothing but its error', async () => {
  const piped = pipe()
  const view = await createMoveView(piped.terminal, ['vm-1'], () => 0)
  const refused = { ...FORECAST, blockers: [{ check: 'not-running', message: 'no' }] }
  view.show({ vm: 'vm-1', step: { type: 'forecast', forecast: refused }, observed: undefined })
  expect(piped.text()).toBe('')
})
