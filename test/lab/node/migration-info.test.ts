import { expect, test } from 'vitest'
import { migrationInfo } from '../../../src/lab/node/migration-info.ts'

const MIB = 2 ** 20

test('a copy in the words of virt-launcher, which diagnose reads', () => {
  const progress = {
    mode: 'PreCopy' as const,
    iteration: 3,
    totalBytes: 32 * MIB,
    processedBytes: 64.5 * MIB,
    remainingBytes: 12 * MIB,
    memoryBytesPerSecond: 8_000_000,
    diskBytesPerSecond: 0,
    dirtyBytesPerSecond: 8_500_000,
    expectedDowntimeMs: 1500.4,
    pausedAt: undefined,
    resumedAt: undefined,
    throttlePercent: 0,
    postCopyRequests: 0,
  }
  expect(migrationInfo('M1', progress, 4012)).toBe(
    'Migration info for M1: TimeElapsed:4012ms DataProcessed:64MiB DataRemaining:12MiB DataTotal:32MiB MemoryProcessed:64MiB MemoryRemaining:12MiB MemoryTotal:32MiB MemoryBandwidth:64Mbps DirtyRate:68Mbps Iteration:3 PostcopyRequests:0 ConstantPages:0 NormalPages:16512 NormalData:64MiB ExpectedDowntime:1500ms DiskMbps:0',
  )
})
