import type { Vmi } from '../kubevirt/types.ts'

const THREADS = 8

/**
 * On how many connections, beside the first, QEMU sends a guest's memory: none where the launcher may not use more CPU
 * than the guest has (KubeVirt 1.5 to main; fact sheet data-plane.md §3.5).
 */
export function parallelConnections({ spec }: Vmi): number {
  const { cpu, resources } = spec.domain ?? {}
  return cpu?.dedicatedCpuPlacement || resources?.limits?.['cpu'] !== undefined ? 0 : THREADS
}
