import { describe, expect, test } from 'vitest'
import {
  type CopyProgress,
  doneOf,
  estimateOf,
  finishedCopyOf,
  progressOf,
  rateRangeOf,
  withRate,
} from '../../src/migrate/progress.ts'
import { ms } from './objects.ts'

const OF = { namespace: 'demo', vmi: 'vm-1', migrationUid: 'uid-m', startedAt: ms(8) }
const SERIES = '{name="vm-1",namespace="demo",node="node-1"}'
const MiB = 1024 ** 2

function metrics(names: string[], values: number[], seconds?: number): string {
  const time = seconds === undefined ? '' : ` ${ms(seconds)}`
  return names.map((name, i) => `${name}${SERIES} ${values[i]}${time}`).join('\n')
}

const MAIN = [
  'kubevirt_vmi_migration_data_bytes_total',
  'kubevirt_vmi_migration_data_processed_bytes',
  'kubevirt_vmi_migration_data_remaining_bytes',
  'kubevirt_vmi_migration_dirty_memory_rate_bytes',
  'kubevirt_vmi_migration_memory_transfer_rate_bytes',
]

describe('progress in virt-handler’s metrics', () => {
  test('of the newest release', () => {
    const text = `# HELP kubevirt_vmi_migration_data_bytes_total x\n# TYPE x counter\n${metrics(MAIN, [64 * MiB, 40 * MiB, 24 * MiB, 2 * MiB, 10 * MiB], 10)}\n`
    expect(progressOf(text, OF, ms(11))).toEqual({
      at: ms(10),
      totalBytes: 64 * MiB,
      processedBytes: 40 * MiB,
      remainingBytes: 24 * MiB,
      dirtyRate: 2 * MiB,
      transferRate: 10 * MiB,
    })
  })

  test('of 1.1 to 1.6, with another name for the total and a rate for disks', () => {
    const names = [
      'kubevirt_vmi_migration_data_total_bytes',
      'kubevirt_vmi_migration_memory_transfer_rate_bytes',
      'kubevirt_vmi_migration_disk_transfer_rate_bytes',
    ]
    expect(progressOf(metrics(names, [64, 10, 5]), OF, ms(11))).toEqual({
      at: ms(11),
      totalBytes: 64,
      transferRate: 15,
    })
  })

  test('of 1.0, with its own names and no total', () => {
    const names = [
      'kubevirt_migrate_vmi_data_processed_bytes',
      'kubevirt_migrate_vmi_data_remaining_bytes',
      'kubevirt_migrate_vmi_dirty_memory_rate_bytes',
      'kubevirt_migrate_vmi_memory_transfer_rate_bytes',
      'kubevirt_migrate_vmi_disk_transfer_rate_bytes',
    ]
    expect(progressOf(metrics(names, [1, 2, 3, 4, 0]), OF, ms(11))).toEqual({
      at: ms(11),
      processedBytes: 1,
      remainingBytes: 2,
      dirtyRate: 3,
      transferRate: 4,
    })
  })

  test('is the newest of several samples in one answer', () => {
    const remaining = ['kubevirt_vmi_migration_data_remaining_bytes']
    const text = [15, 10, 20].map((s) => metrics(remaining, [100 - s], s)).join('\n')
    expect(progressOf(text, OF, ms(21))).toEqual({ at: ms(20), remainingBytes: 80 })
  })

  test('of an earlier migration of the VM is not this one’s', () => {
    expect(progressOf(metrics(MAIN, [1, 1, 1, 1, 1], 7), OF, ms(11))).toBeUndefined()
    expect(
      progressOf(metrics(MAIN, [1, 1, 1, 1, 1]), { ...OF, startedAt: undefined }, ms(11)),
    ).toBeUndefined()
  })

  test('of other VMs, and what is no measurement, is passed over', () => {
    const text = [
      'kubevirt_vmi_migration_data_remaining_bytes{name="vm-2",namespace="demo"} 5',
      'kubevirt_vmi_migration_data_remaining_bytes{name="vm-1",namespace="other"} 5',
      `kubevirt_vmi_migration_data_processed_bytes${SERIES} NaN`,
      'go_goroutines 12',
      'not a metric at all {{{',
    ].join('\n')
    expect(progressOf(text, OF, ms(11))).toBeUndefined()
  })

  test('survives labels with quotes, commas and braces', () => {
    const text =
      'kubevirt_vmi_migration_data_remaining_bytes{a="x,\\"}y",name="vm-1",namespace="demo"} 7'
    expect(progressOf(text, OF, ms(11))?.remainingBytes).toBe(7)
  })
})

test('what only the lab tells of a finished copy goes by the migration’s uid', () => {
  const text = [
    'kubectl_mig_lab_migration_rounds{namespace="demo",name="vm-1",uid="uid-m"} 3',
    'kubectl_mig_lab_migration_downtime_seconds{namespace="demo",name="vm-1",uid="uid-m"} 0.041',
    'kubectl_mig_lab_migration_transferred_bytes{namespace="demo",name="vm-1",uid="uid-m"} 91226112',
    'kubectl_mig_lab_migration_verified{namespace="demo",name="vm-1",uid="uid-m"} 1',
    'kubectl_mig_lab_migration_rounds{namespace="demo",name="vm-1",uid="earlier"} 9',
  ].join('\n')
  expect(finishedCopyOf(text, OF)).toEqual({
    rounds: 3,
    downtimeSeconds: 0.041,
    transferredBytes: 91226112,
    verified: true,
  })
  expect(finishedCopyOf('', OF)).toBeUndefined()
})

describe('an estimate', () => {
  test('is a range: at best nothing more is dirtied, at worst the guest goes on as it does', () => {
    expect(estimateOf({ at: 0, remainingBytes: 100, transferRate: 10, dirtyRate: 5 })).toEqual({
      minMs: 10_000,
      maxMs: 20_000,
    })
  })

  test('has no upper end when pages are dirtied as fast as they are sent', () => {
    expect(estimateOf({ at: 0, remainingBytes: 100, transferRate: 10, dirtyRate: 10 })).toEqual({
      minMs: 10_000,
      maxMs: undefined,
    })
  })

  test.each([{ remainingBytes: 5 }, { remainingBytes: 5, transferRate: 0 }, { transferRate: 5 }])(
    'is not made from %o',
    (progress) => expect(estimateOf({ at: 0, ...progress })).toBeUndefined(),
  )
})

test('how much is done is what the target has as it is', () => {
  expect(doneOf({ at: 0, totalBytes: 64, remainingBytes: 16 })).toBe(0.75)
  expect(doneOf({ at: 0, totalBytes: 64, remainingBytes: 80 })).toBe(0)
  expect(doneOf({ at: 0, remainingBytes: 16 })).toBeUndefined()
})

test('a rate is worked out from two looks where there is no metric for it', () => {
  const before = { at: ms(10), processedBytes: 100 }
  expect(withRate({ at: ms(12), processedBytes: 300 }, before).transferRate).toBe(100)
  expect(withRate({ at: ms(12), processedBytes: 300, transferRate: 7 }, before).transferRate).toBe(
    7,
  )
  expect(withRate({ at: ms(12), processedBytes: 300 }, undefined).transferRate).toBeUndefined()
})

test('rates of the last looks are a range, and the estimate spans it', () => {
  const rates = [9, 30, 20, 25, 10, 24]
  const looks = rates.map((transferRate, i) => ({ at: ms(i), remainingBytes: 300, transferRate }))
  const last = looks.reduce<CopyProgress | undefined>(
    (before, look) => withRate(look, before),
    undefined,
  )
  expect(rateRangeOf(last!)).toEqual({ min: 10, max: 30 })
  expect(estimateOf(last!)).toEqual({ minMs: 10_000, maxMs: 30_000 })
  expect(estimateOf({ ...last!, dirtyRate: 10 })).toEqual({ minMs: 10_000, maxMs: undefined })
  expect(rateRangeOf({ at: 0 })).toBeUndefined()
})
