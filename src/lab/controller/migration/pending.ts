import { hasPersistentState } from '../../../kubevirt/backend-storage.ts'
import { isGateOn } from '../../../kubevirt/defaults.ts'
import { ANNOTATION } from '../../../kubevirt/labels.ts'
import { isPodReady } from '../../../kubevirt/pods.ts'
import type { Pod, Vmi } from '../../../kubevirt/types.ts'
import { hasHotplugVolumes, hotpluggedVolumes } from '../../../kubevirt/volumes.ts'
import { attachmentPod } from '../../../rules/attachment-pod.ts'
import { automaticLimits } from '../../../rules/automatic-limits.ts'
import { targetStateClaim } from '../../../rules/backend-storage.ts'
import { backoffOf } from '../../../rules/backoff.ts'
import { capacityFor } from '../../../rules/capacity.ts'
import { halfOf } from '../../../rules/decentralized.ts'
import { type PendingBlock, pendingBlock } from '../../../rules/pending-block.ts'
import { PRIORITY, pollInterval, priorityOf } from '../../../rules/queue.ts'
import { receivingPod, targetPod } from '../../../rules/target-pod.ts'
import { LAB_RELEASE } from '../release.ts'
import { type Action, type PatchOperation, pointer } from './actions.ts'
import { cancelActions } from './cancel.ts'
import { pendingPodActions } from './pending-pod.ts'
import type { Situation } from './situation.ts'

const ROOT = 0
const NON_ROOT = 107

/** Waits for a back-off, for a slot, and makes the target pod (fact sheet control-plane.md §2.5, §2.6). */
export function pending(situation: Situation, now: number): Action[] {
  const { migration, vmi, siblings } = situation
  if (migration.metadata.deletionTimestamp) return cancelActions(situation)
  const backoff = backoffOf(migration, siblings, now)
  if (backoff.wait) {
    const { namespace, name } = vmi.metadata
    const message = `backoff migrating vmi ${namespace}/${name}`
    return [
      { do: 'note', note: { on: 'vmi', type: 'Warning', reason: 'MigrationBackoff', message } },
      { do: 'requeue', after: backoff.remaining, priority: PRIORITY.running },
    ]
  }
  // The other cluster makes the target pod.
  if (halfOf(migration) === 'source') return []
  const block = pendingBlock(migration, vmi, situation.kubevirt, now)
  if (block?.by === 'utility-volumes') return utilityActions(situation, block.remaining)
  if (block)
    return [...backupActions(block), ...podActions(situation, now), backupRequeue(situation)]
  return podActions(situation, now)
}

/** They have to be gone first: nothing is made before. */
function utilityActions({ vmi }: Situation, remaining: number): Action[] {
  if (remaining <= 0) return []
  const { namespace, name } = vmi.metadata
  const seconds = Math.ceil(remaining / 1000)
  const message = `Migration waiting for utility volumes to detach from VMI [${namespace}/${name}]. Will timeout in ${seconds} seconds.`
  const reason = 'UtilityVolumeMigrationPending'
  return [
    { do: 'note', note: { on: 'migration', type: 'Warning', reason, message } },
    { do: 'requeue', after: remaining, priority: PRIORITY.running },
  ]
}

/** What is urgent does not wait for a backup. */
function backupActions({
  backup,
  abort,
  message,
}: Extract<PendingBlock, { by: 'backup' }>): Action[] {
  if (!abort) return []
  const reason = 'BackupAbortedForMigration'
  return [
    { do: 'abort-backup', backup, note: { on: 'migration', type: 'Normal', reason, message } },
  ]
}

/** The target pod is made all the same, and waits with a slot of its own. */
function backupRequeue({ migration }: Situation): Action {
  const priority = priorityOf(migration)
  return { do: 'requeue', after: pollInterval(priority), priority }
}

function podActions(situation: Situation, now: number): Action[] {
  const { targetPod } = situation
  if (!targetPod) return createTarget(situation)
  return isPodReady(targetPod)
    ? attachVolumes(situation, targetPod)
    : pendingPodActions(situation, now)
}

/** What was plugged into the VM while it ran has to come to the target's node too. */
function attachVolumes(situation: Situation, targetPod: Pod): Action[] {
  const { migration, vmi, sourcePod, attachmentPod: attached, kubevirt } = situation
  if (attached || !sourcePod || !hasHotplugVolumes(vmi)) return []
  const volumes = hotpluggedVolumes(vmi.spec, sourcePod)
  const pod = attachmentPod(targetPod, volumes, kubevirt, migration)
  return [{ do: 'create-attachment-pod', pod }]
}

function createTarget(situation: Situation): Action[] {
  const { migration, vmi, sourcePod } = situation
  const receives = halfOf(migration) === 'target'
  if (!sourcePod && !receives) return []
  const asRoot = isGateOn(situation.kubevirt, 'Root')
  const preparation = asRoot ? rootPatch(vmi) : nonRootPatch(vmi)
  const first: Action[] = preparation.length > 0 ? [{ do: 'patch-vmi', patch: preparation }] : []
  const wait = gatekeeper(situation)
  if (wait) return [...first, ...wait]
  if (vmi.status?.phase !== 'Running' && !receives) return first
  const state = stateFor(situation)
  if (state && !state.ready) return [...first, state.action]

  const options = {
    kubevirt: situation.kubevirt,
    release: LAB_RELEASE,
    limits: automaticLimits(situation.namespace, situation.quotas, situation.kubevirt),
    stateClaim: state?.claim,
  }
  const prepared = asRoot ? vmi : asNonRoot(vmi)
  const rendered =
    sourcePod && !receives
      ? targetPod(prepared, migration, { ...options, sourceNode: situation.sourceNode, sourcePod })
      : receivingPod(prepared, migration, options)
  return rendered.ok
    ? [...first, { do: 'create-target-pod', pod: rendered.pod }]
    : [...first, { do: 'give-up', error: rendered.error }]
}

type State = { ready: true; claim: string } | { ready: false; action: Action }

/** The claim of its TPM and EFI that the target pod mounts, or what there is to do for one; undefined where none is needed. */
function stateFor({ migration, vmi, claims, storage }: Situation): State | undefined {
  if (!hasPersistentState(vmi)) return undefined
  const found = targetStateClaim(vmi, migration, claims, storage)
  switch (found.kind) {
    case 'existing':
      return { ready: true, claim: found.target.metadata.name }
    case 'create':
      return { ready: false, action: { do: 'create-state-claim', claim: found.claim } }
    case 'error':
      return { ready: false, action: { do: 'give-up', error: found.error } }
  }
}

/** Why not yet, and when to ask again; undefined when the pod may be made. Nobody but the log is told. */
function gatekeeper({ migration, vmi, creating, livePods, view }: Situation): Action[] | undefined {
  const priority = priorityOf(migration)
  const soon: Action = { do: 'requeue', after: 1000, priority }
  if (creating) return [soon]
  const { namespace, name } = vmi.metadata
  if (livePods > 1) {
    const message = `Waiting to schedule target pod for migration because there are already multiple pods running for vmi ${namespace}/${name}`
    return [{ do: 'log', message, pos: 'migration.go:998' }, soon]
  }
  const capacity = capacityFor(view, vmi.status?.nodeName)
  if (capacity.admit) return undefined
  const { limit, used } = capacity
  const why =
    limit === 'cluster'
      ? `total running parallel migration count [${used}] is currently at the global cluster limit.`
      : `total running parallel outbound migrations on target node [${used}] has hit outbound migrations per node limit.`
  const message = `Waiting to schedule target pod for vmi [${namespace}/${name}] migration because ${why}`
  return [
    { do: 'log', message, pos: 'migration.go:888' },
    { do: 'requeue', after: pollInterval(priority), priority },
  ]
}

/** Unless the cluster wants root, the target launcher does not run as root, whatever the source does. */
function nonRootPatch({ metadata, status }: Vmi): PatchOperation[] {
  const patch: PatchOperation[] = []
  if (status?.runtimeUser !== NON_ROOT)
    patch.push({ op: 'add', path: '/status/runtimeUser', value: NON_ROOT })
  if (metadata.annotations === undefined)
    patch.push({
      op: 'add',
      path: '/metadata/annotations',
      value: { [ANNOTATION.nonroot]: 'true' },
    })
  else if (metadata.annotations[ANNOTATION.nonroot] === undefined) {
    const path = pointer('metadata', 'annotations', ANNOTATION.nonroot)
    patch.push({ op: 'add', path, value: 'true' })
  }
  return patch
}

function rootPatch({ metadata, status }: Vmi): PatchOperation[] {
  const patch: PatchOperation[] = []
  if ((status?.runtimeUser ?? ROOT) !== ROOT)
    patch.push({ op: 'add', path: '/status/runtimeUser', value: ROOT })
  if (metadata.annotations?.[ANNOTATION.nonroot] !== undefined)
    patch.push({ op: 'remove', path: pointer('metadata', 'annotations', ANNOTATION.nonroot) })
  return patch
}

function asNonRoot(vmi: Vmi): Vmi {
  const annotations = { [ANNOTATION.nonroot]: 'true', ...vmi.metadata.annotations }
  return { ...vmi, metadata: { ...vmi.metadata, annotations } }
}
