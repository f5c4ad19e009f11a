import { statusOf } from '../../../cluster/api-error.ts'
import type { Cluster } from '../../../cluster/cluster.ts'
import { create, patch, remove } from '../../../cluster/objects.ts'
import { PODS, PVCS, VMIS } from '../../../kubevirt/resources.ts'
import type { Pod } from '../../../kubevirt/types.ts'
import type { ClaimTemplate } from '../../../rules/backend-storage.ts'
import type { PodTemplate } from '../../../rules/launcher-pod.ts'
import type { EventRecorder } from '../../events.ts'
import { keyOfObject } from '../caches.ts'
import type { Expectations } from '../expectations.ts'
import type { WorkQueue } from '../work-queue.ts'
import type { Log } from '../worker.ts'
import type { Action, Note, PatchOperation } from './actions.ts'
import type { Situation } from './situation.ts'
import { handOverClaims } from './state-claims.ts'

export interface Hands {
  cluster: Cluster
  recorder: EventRecorder
  expectations: Expectations
  /** Of claims, which hold up nobody but their own migration. */
  claimExpectations: Expectations
  queue: WorkQueue
  log: Log
  /** Uids of migrations that were handed off, though the cache may not show it yet. */
  handedOff: Set<string>
  /** Uids of pods that were deleted, though the cache may still have them. */
  deletedPods: Set<string>
  /** Backups that were aborted, though the cache may still show them under way; each with the uid of whom for. */
  abortedBackups: Set<string>
}

/** Does what a phase wants, in order. What fails is thrown, and ends it. */
export async function perform(
  actions: Action[],
  situation: Situation,
  hands: Hands,
): Promise<void> {
  for (const action of actions) await performOne(action, situation, hands)
}

async function performOne(action: Action, situation: Situation, hands: Hands): Promise<void> {
  const { migration, targetPod } = situation
  switch (action.do) {
    case 'note':
      note(action.note, situation, hands)
      return
    case 'log': {
      const { namespace, name, uid } = migration.metadata
      hands.log({ level: 'info', message: action.message, pos: action.pos, namespace, name, uid })
      return
    }
    case 'requeue':
      hands.queue.add(keyOfObject(migration), action)
      return
    case 'patch-vmi':
      await patchVmi(action.patch, situation, hands)
      if (action.note) note(action.note, situation, hands)
      return
    case 'abort-backup':
      await abortBackup(action, situation, hands)
      return
    case 'patch-target-pod':
      if (targetPod) await patch(hands.cluster, PODS, targetPod.metadata, action.patch, 'json')
      return
    case 'create-target-pod':
      await createTargetPod(action.pod, situation, hands)
      return
    case 'create-attachment-pod':
      await createAttachmentPod(action.pod, situation, hands)
      return
    case 'create-state-claim':
      await createStateClaim(action.claim, situation, hands)
      return
    case 'hand-over-state':
      await handOverClaims(migration, hands.cluster)
      return
    case 'delete-target-pod':
      await deleteTargetPod(action, situation, hands)
      return
    case 'hand-off':
      await handOff(action.patch, situation, hands)
      return
    case 'abort':
      await abort(action.patch, situation, hands)
      return
    case 'give-up':
      throw new Error(action.error)
  }
}

export function note(
  { on, type, reason, message }: Note,
  situation: Situation,
  hands: Hands,
): void {
  hands.recorder.record(on === 'vmi' ? situation.vmi : situation.migration, type, reason, message)
}

async function patchVmi(
  operations: PatchOperation[],
  { vmi }: Situation,
  { cluster }: Hands,
): Promise<void> {
  await patch(cluster, VMIS, vmi.metadata, operations, 'json')
}

async function abortBackup(
  { backup, note: done }: Extract<Action, { do: 'abort-backup' }>,
  situation: Situation,
  hands: Hands,
): Promise<void> {
  const { namespace = '', name } = situation.vmi.metadata
  const key = `${situation.migration.metadata.uid}/${backup}`
  if (hands.abortedBackups.has(key)) return
  await hands.cluster.request({
    method: 'PUT',
    path: `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances/${name}/backup`,
    body: { backupName: backup, cmd: 'Abort' },
  })
  hands.abortedBackups.add(key)
  note(done, situation, hands)
}

async function deleteTargetPod(
  { note: done, failure }: Extract<Action, { do: 'delete-target-pod' }>,
  situation: Situation,
  hands: Hands,
): Promise<void> {
  const { metadata } = situation.targetPod ?? {}
  const uid = metadata?.uid ?? ''
  if (!metadata || hands.deletedPods.has(uid)) return
  try {
    await remove(hands.cluster, PODS, metadata)
    hands.deletedPods.add(uid)
  } catch (err) {
    const message = `${failure}: ${messageOf(err)}`
    note({ on: 'migration', type: 'Warning', reason: 'FailedDelete', message }, situation, hands)
    throw err
  }
  note(done, situation, hands)
}

async function createTargetPod(
  template: PodTemplate,
  situation: Situation,
  hands: Hands,
): Promise<void> {
  const { migration, vmi } = situation
  const { namespace = '', name, uid = '' } = vmi.metadata
  const key = keyOfObject(migration)
  const id = expectationOf('virt-launcher', migration.metadata.uid)
  hands.expectations.expect(key, id)
  try {
    const body = { apiVersion: 'v1', kind: 'Pod', ...template }
    const pod = await create<Pod>(hands.cluster, PODS, body, { namespace })
    const message = `Created migration target pod ${pod.metadata.name}`
    note({ on: 'migration', type: 'Normal', reason: 'SuccessfulCreate', message }, situation, hands)
  } catch (err) {
    hands.expectations.settle(key, id)
    const text = messageOf(err)
    const message = text.includes('violates PodSecurity')
      ? `failed to render launch manifest: failed to create target pod for vmi ${namespace}/${name}, it needs a privileged namespace to run: ${text}`
      : `Error creating pod: ${text}`
    if (uid) note({ on: 'vmi', type: 'Warning', reason: 'FailedCreate', message }, situation, hands)
    throw err
  }
}

async function createAttachmentPod(
  template: PodTemplate,
  situation: Situation,
  hands: Hands,
): Promise<void> {
  const { namespace = '', uid } = situation.migration.metadata
  const key = keyOfObject(situation.migration)
  const id = expectationOf('hotplug-disk', uid)
  hands.expectations.expect(key, id)
  try {
    const body = { apiVersion: 'v1', kind: 'Pod', ...template }
    const pod = await create<Pod>(hands.cluster, PODS, body, { namespace })
    const message = `Created attachment pod ${pod.metadata.name}`
    note({ on: 'migration', type: 'Normal', reason: 'SuccessfulCreate', message }, situation, hands)
  } catch (err) {
    hands.expectations.settle(key, id)
    const message = `Error creating attachment pod: ${messageOf(err)}`
    note({ on: 'vmi', type: 'Warning', reason: 'FailedCreate', message }, situation, hands)
    throw err
  }
}

/** Whoever waits for it looks again when the cache has it. */
async function createStateClaim(
  template: ClaimTemplate,
  { migration }: Situation,
  { cluster, claimExpectations }: Hands,
): Promise<void> {
  const { namespace = '', uid = '' } = migration.metadata
  const key = keyOfObject(migration)
  claimExpectations.expect(key, uid)
  try {
    const body = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...template }
    await create(cluster, PVCS, body, { namespace })
  } catch (err) {
    claimExpectations.settle(key, uid)
    throw err
  }
}

/** By the kind of pod and the migration, since the pod's name is the server's to make. */
export function expectationOf(kind: string, migrationUid: string | undefined): string {
  return `${kind}/${migrationUid ?? ''}`
}

async function handOff(
  operations: PatchOperation[],
  situation: Situation,
  hands: Hands,
): Promise<void> {
  try {
    await patchVmi(operations, situation, hands)
  } catch (err) {
    // The typing error is KubeVirt's.
    const message = `Failed to set MigrationStat in VMI status. :${messageOf(err)}`
    note({ on: 'migration', type: 'Warning', reason: 'FailedHandOver', message }, situation, hands)
    throw err
  }
  hands.handedOff.add(situation.migration.metadata.uid ?? '')
  const message = 'Migration target pod is ready for preparation by virt-handler.'
  note({ on: 'migration', type: 'Normal', reason: 'SuccessfulHandOver', message }, situation, hands)
}

async function abort(
  operations: PatchOperation[],
  situation: Situation,
  hands: Hands,
): Promise<void> {
  try {
    await patchVmi(operations, situation, hands)
  } catch (err) {
    const message = `failed to set MigrationState in VMI status. :${messageOf(err)}`
    note(
      { on: 'migration', type: 'Warning', reason: 'FailedAbortMigration', message },
      situation,
      hands,
    )
    throw err
  }
  const message = 'Migration is ready to be canceled by virt-handler.'
  note(
    { on: 'migration', type: 'Normal', reason: 'SuccessfulAbortMigration', message },
    situation,
    hands,
  )
}

/** The server's own words, as KubeVirt passes them on. */
export function messageOf(err: unknown): string {
  return statusOf(err)?.message ?? (err instanceof Error ? err.message : String(err))
}
