import type { Vmi } from './types.ts'

/** Conditions by which KubeVirt asks for a migration that is to come (fact sheet control-plane.md §1.4). */
const WAITING = [
  'EvictionRequested',
  'VolumesChange',
  'HotVCPUChange',
  'HotMemoryChange',
  'MigrationRequired',
]

/** Whether somebody wants the VM to move: an evacuation, or a change that takes effect by moving. */
export function isAskedToMove({ status }: Vmi): boolean {
  return (
    !!status?.evacuationNodeName ||
    (status?.conditions ?? []).some((c) => WAITING.includes(c.type) && c.status === 'True')
  )
}
