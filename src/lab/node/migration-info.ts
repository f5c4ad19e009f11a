import type { CopyProgress } from './guest/guest.ts'

/** Every so many looks at the copy virt-launcher logs how it stands: every four seconds. */
export const LOOKS_A_LINE = 10

const MIB = 2 ** 20

/**
 * How a copy stands, as KubeVirt's virt-launcher words it (fact sheet data-plane.md §4.4); of what a lab does not count it
 * says 0. @param uid of the migration @param elapsedMs since it began
 */
export function migrationInfo(uid: string, progress: CopyProgress, elapsedMs: number): string {
  const { processedBytes, remainingBytes, totalBytes } = progress
  const mib = (bytes: number) => `${Math.floor(bytes / MIB)}MiB`
  const mbps = (bytesPerSecond: number) => `${Math.floor((bytesPerSecond * 8) / 1e6)}Mbps`
  const figures = {
    TimeElapsed: `${Math.round(elapsedMs)}ms`,
    DataProcessed: mib(processedBytes),
    DataRemaining: mib(remainingBytes),
    DataTotal: mib(totalBytes),
    MemoryProcessed: mib(processedBytes),
    MemoryRemaining: mib(remainingBytes),
    MemoryTotal: mib(totalBytes),
    MemoryBandwidth: mbps(progress.memoryBytesPerSecond),
    DirtyRate: mbps(progress.dirtyBytesPerSecond),
    Iteration: progress.iteration,
    PostcopyRequests: progress.postCopyRequests,
    ConstantPages: 0,
    NormalPages: Math.floor(processedBytes / 4096),
    NormalData: mib(processedBytes),
    ExpectedDowntime: `${Math.round(progress.expectedDowntimeMs)}ms`,
    DiskMbps: Math.floor((progress.diskBytesPerSecond * 8) / 1e6),
  }
  const words = Object.entries(figures).map(([name, value]) => `${name}:${value}`)
  return `Migration info for ${uid}: ${words.join(' ')}`
}
