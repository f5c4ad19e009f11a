import { isFinal, phaseOf } from '../../../kubevirt/migration.ts'
import { halfOf } from '../../../rules/decentralized.ts'
import type { Situation } from './situation.ts'

/**
 * Does a migration that has ended come to collect old ones and to wake those that wait? It is the last step of a pass, and
 * KubeVirt's passes over some fail for ever before it: over one that failed before hand-off, whose failure it would write
 * into the slot of an earlier migration, and over one that lost to another that is under way (fact sheet control-plane.md
 * §2.5, seen: §10). The attempts are not made here (mark-failed.ts); that they lead nowhere is as it is there.
 */
export function hasAftermath({ migration, vmi, slotOwner }: Situation): boolean {
  const state = vmi.status?.migrationState
  if (vmi.metadata.deletionTimestamp || !state) return true
  if (state.migrationUid === migration.metadata.uid) return true
  if (slotOwner && !isFinal(slotOwner)) return false
  const marked = phaseOf(migration) === 'Failed' && halfOf(migration) !== 'source'
  return !marked || state.failed === true
}
