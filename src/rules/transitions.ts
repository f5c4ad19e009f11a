import { conditionOf, isFinal, phaseOf } from '../kubevirt/migration.ts'
import { isPodFinal, isPodReady } from '../kubevirt/pods.ts'
import type { Migration, Pod, Vmi } from '../kubevirt/types.ts'
import { hasHotplugVolumes } from '../kubevirt/volumes.ts'
import { halfOf, isSourceKnown, isSynchronized, targetStateOf } from './decentralized.ts'

/** What the migration controller sees of one migration. */
export interface Observed {
  migration: Migration
  vmi: Vmi | undefined
  targetPod: Pod | undefined
  /** Only for a VM with hotplugged volumes. */
  attachmentPod?: Pod | undefined
  /** The controller has handed it off, though the VMI it sees may not show it yet. */
  handedOff?: boolean
  /** The migration that the VMI's slot names, when it still exists and is another one. */
  slotOwner?: Migration | undefined
}

type FailureCause = keyof typeof FAILURES

/**
 * What happens next to a migration (fact sheet control-plane.md §2.4). The message is that of the event of a failure;
 * `waitsFor` names what a phase is left by.
 */
export type Transition =
  | { kind: 'final' }
  | {
      kind: 'fail'
      cause: FailureCause
      message: string
      /** It broke off: which side has the VM's state now may not be known (backend storage, §2.4). */
      interrupted: boolean
    }
  | { kind: 'request-abort' }
  | { kind: 'advance'; to: string }
  | { kind: 'succeed' }
  | { kind: 'stay'; waitsFor: Wait }

type Wait =
  | 'target-pod'
  | 'attachment-pod'
  | 'target-pod-ready'
  | 'hand-off'
  | 'target-address'
  | 'copy-start'
  | 'copy-end'
  | 'hotplug'
  | 'peer'

const FAILURES = {
  'vmi-missing': 'Migration failed because vmi does not exist.',
  'vmi-ended': 'Migration failed vmi shutdown during migration.',
  canceled: 'Migration failed due to being canceled',
  'target-pod-ended': 'Migration failed because target pod shutdown during migration',
  'target-pod-removed': 'Migration target pod was removed during active migration.',
  'state-cleared': "VMI's migration state was cleared during the active migration.",
  'state-taken-over':
    "VMI's migration state was taken over by another migration job during active migration.",
  'copy-failed': 'source node reported migration failed',
  'attachment-pod-ended':
    'Migration failed because target attachment pod shutdown during migration',
  'not-eligible': 'VMI is not eligible for migration because another migration job is in progress.',
} as const

const INTERRUPTIONS: FailureCause[] = ['vmi-ended', 'target-pod-ended', 'target-pod-removed']

const STARTED = ['Scheduling', 'Scheduled', 'PreparingTarget', 'TargetReady', 'Running']
const HANDED_OFF = ['PreparingTarget', 'TargetReady', 'Running']

/** The first row of KubeVirt's list that fits, else one step of the phase machine. */
export function transitionOf(observed: Observed): Transition {
  const { migration } = observed
  if (isFinal(migration)) return { kind: 'final' }
  const cause = failureOf(observed)
  if (cause) return fail(cause)
  const aborts = conditionOf(migration, 'migrationAbortRequested') !== undefined
  if (migration.metadata.deletionTimestamp && !aborts) return { kind: 'request-abort' }
  if (observed.attachmentPod && isPodFinal(observed.attachmentPod))
    return fail('attachment-pod-ended')
  return nextPhase(observed)
}

function failureOf(observed: Observed): FailureCause | undefined {
  const { migration, vmi, targetPod } = observed
  const phase = phaseOf(migration)
  if (!vmi) return 'vmi-missing'
  const half = halfOf(migration)
  const synchronized = isSynchronized(migration, vmi)
  // The source's guest ends when it has arrived.
  const hasLeft = half === 'source' && synchronized
  if (isEnded(vmi) && !hasLeft) return 'vmi-ended'
  if (migration.metadata.deletionTimestamp && !isHandedOff(observed)) return 'canceled'
  if (targetPod && isPodFinal(targetPod)) return 'target-pod-ended'
  if (STARTED.includes(phase) && !targetPod && half !== 'source') return 'target-pod-removed'

  const state = vmi.status?.migrationState
  const own = state?.migrationUid === migration.metadata.uid
  if (HANDED_OFF.includes(phase) && !synchronized) return 'state-cleared'
  if (HANDED_OFF.includes(phase) && !own) return 'state-taken-over'
  if (own && synchronized && state?.failed) return 'copy-failed'
  return undefined
}

function isEnded({ status }: Vmi): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded'
}

/** Hand-off is when the VMI's slot becomes this migration's; from then on a deletion asks for an abort. */
export function isHandedOff({ migration, vmi, handedOff }: Observed): boolean {
  const slot = vmi?.status?.migrationState?.migrationUid
  return handedOff === true || (slot !== undefined && slot === migration.metadata.uid)
}

function nextPhase(observed: Observed): Transition {
  const { migration, vmi, targetPod, attachmentPod } = observed
  const state = vmi?.status?.migrationState
  const own = state?.migrationUid === migration.metadata.uid ? state : undefined
  if (halfOf(migration) === 'source') return nextOfSource(observed)
  switch (phaseOf(migration)) {
    case '':
      return firstPhase(observed)
    case 'Pending':
      if (!targetPod) return stay('target-pod')
      if (hasHotplugVolumes(vmi) && !(attachmentPod && isPodReady(attachmentPod)))
        return stay('attachment-pod')
      return advance('Scheduling')
    case 'Scheduling':
      if (!targetPod || !isPodReady(targetPod)) return stay('target-pod-ready')
      if (hasHotplugVolumes(vmi) && !(attachmentPod && isPodReady(attachmentPod)))
        return stay('attachment-pod')
      return advance('Scheduled')
    case 'Scheduled':
      return own?.targetNode ? advance('PreparingTarget') : stay('hand-off')
    case 'PreparingTarget':
      return own?.targetNode && own.targetNodeAddress
        ? advance('TargetReady')
        : stay('target-address')
    case 'TargetReady':
      return own?.startTimestamp ? advance('Running') : stay('copy-start')
    case 'Running':
      if (!own?.completed) return stay('copy-end')
      return isHotplugging(vmi) ? stay('hotplug') : { kind: 'succeed' }
    case 'WaitingForSync':
      return isSourceKnown(vmi) ? advance('Pending') : stay('peer')
    default:
      return stay('peer')
  }
}

/** The half that sends has no target pod of its own: it goes by what the other cluster says of it. */
function nextOfSource(observed: Observed): Transition {
  const { migration, vmi } = observed
  const state = vmi?.status?.migrationState
  const { pod, node, nodeAddress } = targetStateOf(vmi)
  const next = (to: string, ready: unknown) => (ready ? advance(to) : stay('peer'))
  switch (phaseOf(migration)) {
    case '':
      return firstPhase(observed)
    case 'Synchronizing':
      return next('Pending', isSynchronized(migration, vmi))
    case 'Pending':
      return next('Scheduling', vmi?.status?.phase === 'Running')
    case 'Scheduling':
      return next('Scheduled', pod)
    case 'Scheduled':
      return next('PreparingTarget', node)
    case 'PreparingTarget':
      return next('TargetReady', isSourceKnown(vmi) && nodeAddress)
    case 'TargetReady':
      return state?.startTimestamp ? advance('Running') : stay('copy-start')
    default:
      return state?.completed ? { kind: 'succeed' } : stay('copy-end')
  }
}

function firstPhase({ migration, slotOwner }: Observed): Transition {
  const owned = slotOwner !== undefined && slotOwner.metadata.uid !== migration.metadata.uid
  if (owned && !isFinal(slotOwner)) return fail('not-eligible')
  const half = halfOf(migration)
  if (half === undefined) return advance('Pending')
  return advance(half === 'target' ? 'WaitingForSync' : 'Synchronizing')
}

/** A hotplug that came with the move holds it in Running until virt-handler has finished it (§2.4). */
function isHotplugging(vmi: Vmi | undefined): boolean {
  return (
    conditionOf(vmi, 'HotVCPUChange') !== undefined ||
    conditionOf(vmi, 'HotMemoryChange')?.status === 'True' ||
    conditionOf(vmi, 'MigrationRequired')?.status === 'True'
  )
}

function fail(cause: FailureCause): Transition {
  const interrupted = INTERRUPTIONS.includes(cause)
  return { kind: 'fail', cause, message: FAILURES[cause], interrupted }
}

function advance(to: string): Transition {
  return { kind: 'advance', to }
}

function stay(waitsFor: Wait): Transition {
  return { kind: 'stay', waitsFor }
}
