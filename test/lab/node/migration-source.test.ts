import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { MigrationState, Vmi } from '../../../src/kubevirt/types.ts'
import type { HandlerContext } from '../../../src/lab/node/handler-context.ts'
import { type MigrationSource, migrationSource } from '../../../src/lab/node/migration-source.ts'
import type { MigrationRecord } from '../../../src/lab/node/outgoing-migration.ts'

const T = Date.parse('2026-01-01T00:00:10Z')
let now: number
let vmi: Vmi
let record: MigrationRecord | undefined
let state: 'running' | 'ended'
let source: MigrationSource
const launcher = {
  baseDir: '/b',
  get domain() {
    return { state, arrivedAt: undefined, outgoing: record }
  },
  migrate: vi.fn(({ uid }: { uid: string }) => {
    record = { uid, startedAt: now, mode: 'PreCopy' }
  }),
  cancelMigration: vi.fn(() => true),
  settleMigration: vi.fn(),
  exit: vi.fn(async () => {}),
}
const proxies = {
  startSourceListener: vi.fn(async () => {}),
  stopSourceListener: vi.fn(async () => {}),
}
const later = vi.fn()
const onEnded = vi.fn()
const events: string[] = []

beforeEach(() => {
  vi.clearAllMocks()
  events.length = 0
  now = T
  record = undefined
  state = 'running'
  vmi = {
    metadata: { name: 'vm', namespace: 'd', uid: 'U' },
    spec: { domain: { memory: { guest: '1Gi' } } },
    status: {
      phase: 'Running',
      nodeName: 'n1',
      migrationState: {
        migrationUid: 'M',
        sourceNode: 'n1',
        sourcePod: 'p1',
        targetNode: 'n2',
        targetNodeAddress: '10.0.0.2',
        targetDirectMigrationNodePorts: { '41001': 0, '41002': 49152 },
        migrationConfiguration: { bandwidthPerMigration: '64Mi', maxDowntimeMs: 900 },
      },
    },
  }
  const context = {
    node: 'n1',
    clock: { now: () => now, sleep: async () => {} },
    log: () => {},
    proxies: { manager: proxies },
    launchers: { ofPod: () => ({ launcher, podIP: '', pod: { metadata: { name: 'p1' } } }) },
    events: {
      record: (_: object, type: string, reason: string, message: string) =>
        events.push(`${type} ${reason} ${message}`),
    },
    vmis: {
      update: async (_: Vmi, change: (draft: Vmi) => void) => {
        change(vmi)
        return vmi
      },
    },
    onEnded,
  }
  source = migrationSource(context as unknown as HandlerContext, later)
})

const sync = () => source.sync('d/vm', vmi)
const current = () => vmi.status?.migrationState as MigrationState

test('nothing happens before the target has published its ports', async () => {
  delete current().targetDirectMigrationNodePorts
  await sync()
  expect(proxies.startSourceListener).not.toHaveBeenCalled()
})

test('the listeners come first, then the copy with the settings of the hand-off', async () => {
  await sync()
  expect(proxies.startSourceListener).toHaveBeenCalledWith(
    'U',
    '10.0.0.2',
    { '41001': 0, '41002': 49152 },
    '/b',
  )
  expect(launcher.migrate).toHaveBeenCalledWith(
    expect.objectContaining({
      uid: 'M',
      vmiUid: 'U',
      block: false,
      settings: {
        bandwidth: 64 * 2 ** 20,
        maxDowntimeMs: 300,
        autoConverge: false,
        postCopy: false,
        connections: 8,
      },
      limits: expect.objectContaining({ completionSeconds: 300, progressSeconds: 150 }),
    }),
  )
  expect(current()).toMatchObject({ startTimestamp: '2026-01-01T00:00:10Z', mode: 'PreCopy' })
  expect(events).toEqual(['Normal Migrating VirtualMachineInstance is migrating.'])
  await sync()
  expect(launcher.migrate).toHaveBeenCalledTimes(1)
})

describe('a copy that failed', () => {
  beforeEach(async () => {
    await sync()
    Object.assign(record as object, { failed: true, failureReason: 'why', endedAt: T + 5000 })
  })

  test('is reported, and the guest goes on', async () => {
    await sync()
    expect(current()).toMatchObject({
      failed: true,
      completed: true,
      failureReason: 'why',
      endTimestamp: '2026-01-01T00:00:15Z',
    })
    expect(launcher.settleMigration).toHaveBeenCalled()
    expect(events.at(-1)).toBe(
      'Warning Migrated VirtualMachineInstance migration uid M failed. reason:why',
    )
    await sync()
    expect(proxies.stopSourceListener).toHaveBeenCalledWith('U')
    expect(launcher.exit).not.toHaveBeenCalled()
  })

  test('is no failure when the target has the guest after all', async () => {
    Object.assign(current(), { completed: true, endTimestamp: '2026-01-01T00:00:14Z' })
    Object.assign(vmi.status as object, { nodeName: 'n2' })
    await sync()
    expect(current().failed).toBeUndefined()
    expect(events).toHaveLength(1)
    expect(launcher.exit).toHaveBeenCalledWith(0)
  })

  test('loses the VM when post-copy had begun', async () => {
    Object.assign(record as object, { irrecoverable: true })
    await sync()
    expect(vmi.status?.phase).toBe('Failed')
  })
})

test('a cancel is passed on once', async () => {
  await sync()
  current().abortRequested = true
  await sync()
  Object.assign(record as object, { abortStatus: 'Aborting' })
  await sync()
  expect(launcher.cancelMigration).toHaveBeenCalledTimes(1)
  expect(current().abortStatus).toBe('Aborting')
  expect(events.at(-1)).toBe('Normal Migrating VirtualMachineInstance is aborting migration.')
})

test('a guest paused by the monitor shows it until the end', async () => {
  await sync()
  Object.assign(record as object, { mode: 'Paused' })
  await sync()
  expect(vmi.status?.conditions).toMatchObject([
    {
      type: 'Paused',
      status: 'True',
      reason: 'PausedByMigrationMonitor',
      message: 'VMI was paused by the migration monitor',
    },
  ])
  Object.assign(record as object, { endedAt: T + 1, failed: true, failureReason: 'x' })
  await sync()
  expect(vmi.status?.conditions).toEqual([])
})

describe('after a copy that ended well', () => {
  beforeEach(async () => {
    await sync()
    Object.assign(record as object, { endedAt: T + 1000, verified: true })
    state = 'ended'
    now = T + 1000
  })

  test('the launcher ends when the VM has gone, and only then', async () => {
    await sync()
    expect(launcher.exit).not.toHaveBeenCalled()
    expect(later).toHaveBeenCalledWith('d/vm', 60_000)
    await source.sync('d/vm', undefined)
    expect(onEnded).toHaveBeenCalledTimes(1)
    expect(proxies.stopSourceListener).toHaveBeenCalledWith('U')
    expect(launcher.exit).toHaveBeenCalledWith(0)
  })

  test('a target that does not show the domain for a minute has lost the VM', async () => {
    now = T + 61_000
    await sync()
    expect(vmi.status?.phase).toBe('Failed')
    expect(events.at(-1)).toBe(
      "Warning Migrated The VirtualMachineInstance's domain was never observed on the target after the migration completed within the timeout period.",
    )
  })
})

test('a listener that cannot be opened is told and tried again', async () => {
  proxies.startSourceListener.mockRejectedValueOnce(new Error('no room'))
  await expect(sync()).rejects.toThrow('no room')
  expect(events).toEqual(['Warning SyncFailed failed to handle migration proxy: no room'])
  await sync()
  expect(launcher.migrate).toHaveBeenCalledTimes(1)
})
