import type { ClaimTemplate } from '../../../rules/backend-storage.ts'
import type { PodTemplate } from '../../../rules/launcher-pod.ts'

export interface PatchOperation {
  op: 'add' | 'remove' | 'replace' | 'test'
  path: string
  value?: unknown
}

export interface Note {
  on: 'migration' | 'vmi'
  type: 'Normal' | 'Warning'
  reason: string
  message: string
}

/** What a phase wants done; perform.ts does it, in this order, and stops at the first that fails. */
export type Action =
  | { do: 'note'; note: Note }
  /** Only the log says it. */
  | { do: 'log'; message: string; pos: string }
  /** Looked at again after so many ms. */
  | { do: 'requeue'; after: number; priority: number }
  | { do: 'patch-vmi'; patch: PatchOperation[]; note?: Note }
  /** Once for each backup. */
  | { do: 'abort-backup'; backup: string; note: Note }
  | { do: 'patch-target-pod'; patch: PatchOperation[] }
  | { do: 'create-target-pod'; pod: PodTemplate }
  | { do: 'create-attachment-pod'; pod: PodTemplate }
  /** Of the VM's TPM and EFI, for the target. */
  | { do: 'create-state-claim'; claim: ClaimTemplate }
  | { do: 'hand-over-state' }
  /** `failure` begins the event that says why it could not be. */
  | { do: 'delete-target-pod'; note: Note; failure: string }
  | { do: 'hand-off'; patch: PatchOperation[] }
  | { do: 'abort'; patch: PatchOperation[] }
  /** Ends the pass; it is tried again with growing delays. */
  | { do: 'give-up'; error: string }

/** One step of a JSON pointer. */
export function pointer(...steps: string[]): string {
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
