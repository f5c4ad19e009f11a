import type { Check } from '../check.ts'
import { countedTwice, deployed, forbidden, untouched } from './access.ts'
import { backoff } from './backoff.ts'
import { budgets, raisedBudget } from './budgets.ts'
import { deferredCancel } from './cancel.ts'
import { cancelledEvacuation } from './cancelled-evacuation.ts'
import { capacity } from './capacity.ts'
import { clientNames } from './client-names.ts'
import { connections } from './connections.ts'
import { convergence } from './convergence.ts'
import { cpu } from './cpu.ts'
import { drainHangs, evacuation, shutDown } from './evacuation.ts'
import { failedTargets } from './failed-targets.ts'
import { otherReason } from './failure-reason.ts'
import { lostAfterHandOver, unfinishedHotplug } from './hand-over.ts'
import { handlers } from './handlers.ts'
import { blockedConditions, vmNotRunning } from './holds.ts'
import { attachment, attachmentLost } from './hotplug.ts'
import { heldClaim, staleHalf, targetLabel } from './leftover-objects.ts'
import { lingering, sharedAddress, staleCount, uncollected } from './leftover-pods.ts'
import { limitRange } from './limit-range.ts'
import { listeners, sourceSockets } from './listeners.ts'
import { migratability } from './migratability.ts'
import { migrationNetwork, networkDefined } from './network.ts'
import { networkPolicy } from './network-policy.ts'
import { nodesReady, sameNode } from './nodes.ts'
import { otherHalf } from './other-half.ts'
import { overdueCopy } from './overdue-copy.ts'
import { path } from './path.ts'
import { timedOut } from './pending-timeouts.ts'
import { inFlight, nodeHandler } from './place.ts'
import { placement } from './placement.ts'
import { policy } from './policy.ts'
import { postCopy } from './post-copy.ts'
import { chain, handlerRestart, portMap, reservedPorts } from './proxy.ts'
import { presentedCertificates } from './proxy-certificates.ts'
import { quota } from './quota.ts'
import { listenerSpeaksTls, reach } from './reach.ts'
import { recovery } from './recovery.ts'
import { refusedSecond } from './refused-second.ts'
import { createRefused, silentRender } from './render.ts'
import { movedAgain } from './repeated-moves.ts'
import { sharedStorage } from './shared-storage.ts'
import { slowPhase } from './slow-phase.ts'
import { takenOver, vmEnded } from './state-owner.ts'
import { destinationSize, sharing } from './storage.ts'
import { targetEnded } from './target-end.ts'
import { targetStart } from './target-start.ts'
import { certificates, tlsMismatch, tlsOff } from './tls.ts'
import { trust } from './trust.ts'
import { unreadStage } from './unread-stage.ts'
import { volumeRecovery } from './volume-recovery.ts'
import { volumeChange, workloadUpdate } from './workload-update.ts'

/** All checks, in the order in which a migration meets what they look at. */
export const CHECKS: readonly Check[] = [
  unreadStage,
  inFlight,
  nodeHandler,
  forbidden,
  deployed,
  untouched,
  countedTwice,
  migratability,
  refusedSecond,
  evacuation,
  drainHangs,
  cancelledEvacuation,
  workloadUpdate,
  volumeChange,
  volumeRecovery,
  shutDown,
  movedAgain,
  budgets,
  nodesReady,
  sameNode,
  vmNotRunning,
  blockedConditions,
  policy,
  capacity,
  backoff,
  lingering,
  staleCount,
  quota,
  createRefused,
  limitRange,
  silentRender,
  placement,
  targetStart,
  attachment,
  attachmentLost,
  timedOut,
  failedTargets,
  targetEnded,
  handlers,
  slowPhase,
  otherHalf,
  recovery,
  takenOver,
  deferredCancel,
  vmEnded,
  reservedPorts,
  handlerRestart,
  portMap,
  listeners,
  sourceSockets,
  connections,
  chain,
  tlsMismatch,
  tlsOff,
  certificates,
  trust,
  presentedCertificates,
  clientNames,
  listenerSpeaksTls,
  migrationNetwork,
  networkDefined,
  path,
  reach,
  networkPolicy,
  cpu,
  sharing,
  sharedStorage,
  destinationSize,
  convergence,
  overdueCopy,
  postCopy,
  otherReason,
  unfinishedHotplug,
  lostAfterHandOver,
  staleHalf,
  heldClaim,
  sharedAddress,
  uncollected,
  raisedBudget,
  targetLabel,
]
