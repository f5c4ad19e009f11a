import type { Check } from '../check.ts'
import { countedTwice, deployed, untouched } from './access.ts'
import { budgets, movedAgain, nodesReady, sameNode } from './again.ts'
import { convergence, cpu, otherReason, postCopy } from './copy.ts'
import { drainHangs, evacuation, shutDown, volumeChange, workloadUpdate } from './demand.ts'
import { attachment, attachmentLost } from './hotplug.ts'
import {
  heldClaim,
  lingering,
  lostAfterHandOver,
  sharedAddress,
  staleCount,
  staleHalf,
  targetLabel,
  unfinishedHotplug,
} from './leftovers.ts'
import { migratability } from './migratability.ts'
import { certificates, migrationNetwork, networkDefined, tlsMismatch } from './network.ts'
import { placement } from './placement.ts'
import {
  deferredCancel,
  handlers,
  otherHalf,
  slowPhase,
  takenOver,
  vmEnded,
} from './preparation.ts'
import { chain, handlerRestart, portMap, reservedPorts } from './proxy.ts'
import { backoff, blockedConditions, capacity, vmNotRunning } from './queue.ts'
import { quota } from './quota.ts'
import { createRefused, silentRender } from './render.ts'
import { destinationSize, sharing } from './storage.ts'
import { targetEnded, timedOut } from './target-end.ts'
import { targetStart } from './target-start.ts'

/** All checks, in the order in which a migration meets what they look at. */
export const CHECKS: readonly Check[] = [
  deployed,
  untouched,
  countedTwice,
  migratability,
  evacuation,
  drainHangs,
  workloadUpdate,
  volumeChange,
  shutDown,
  movedAgain,
  budgets,
  nodesReady,
  sameNode,
  vmNotRunning,
  blockedConditions,
  capacity,
  backoff,
  lingering,
  staleCount,
  quota,
  createRefused,
  silentRender,
  placement,
  targetStart,
  attachment,
  attachmentLost,
  timedOut,
  targetEnded,
  handlers,
  slowPhase,
  otherHalf,
  takenOver,
  deferredCancel,
  vmEnded,
  reservedPorts,
  handlerRestart,
  portMap,
  chain,
  tlsMismatch,
  certificates,
  migrationNetwork,
  networkDefined,
  cpu,
  sharing,
  destinationSize,
  convergence,
  postCopy,
  otherReason,
  unfinishedHotplug,
  lostAfterHandOver,
  staleHalf,
  heldClaim,
  sharedAddress,
  targetLabel,
]
