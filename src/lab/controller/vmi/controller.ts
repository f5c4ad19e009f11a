import { isStatus } from '../../../cluster/api-error.ts'
import { create, patch, remove, replace } from '../../../cluster/objects.ts'
import { hasPersistentState } from '../../../kubevirt/backend-storage.ts'
import { sameValue } from '../../../kubevirt/equality.ts'
import { ANNOTATION, LABEL } from '../../../kubevirt/labels.ts'
import { conditionOf } from '../../../kubevirt/migration.ts'
import { currentPodOf, isPodFinal } from '../../../kubevirt/pods.ts'
import { PODS, VMIS } from '../../../kubevirt/resources.ts'
import type { OwnerReference, Pod, Vmi } from '../../../kubevirt/types.ts'
import { claimOf } from '../../../kubevirt/volumes.ts'
import { automaticLimits } from '../../../rules/automatic-limits.ts'
import { isUnderWay } from '../../../rules/capacity.ts'
import { awaitsSource } from '../../../rules/decentralized.ts'
import { launcherPod } from '../../../rules/launcher-pod.ts'
import { keyOf, keyOfObject, parseKey } from '../caches.ts'
import { createExpectations } from '../expectations.ts'
import type { ControllerOptions } from '../migration/controller.ts'
import { messageOf } from '../migration/perform.ts'
import { LAB_RELEASE } from '../release.ts'
import { startWorker, type Worker } from '../worker.ts'
import { createAttachments } from './attachments.ts'
import {
  ACTIVE_MIGRATION,
  type Failure,
  imageFailure,
  lacksGuarantee,
  NO_GUARANTEE,
  noClaim,
  withFailure,
} from './conditions.ts'
import { podPatch, unpausedCondition } from './pod-sync.ts'
import { createStateClaims, STATE_CLAIM } from './state-claim.ts'
import { nextVmi } from './status.ts'
import { volumeStatus } from './volume-status.ts'

const THREADS = 5
/** ms: how often a change of networks that is put off is looked at again. */
const NETWORK_INTERVAL = 10_000
const PCI_TOPOLOGY = 'kubevirt.io/pci-topology-version'

/** The VMI controller: the first launcher pod, phases up to Scheduled, what pods are there, whether it is ready. */
export function startVmiController(options: ControllerOptions): Worker {
  const { cluster, clock, caches, log, recorder } = options
  const expectations = createExpectations(clock)
  const worker = startWorker({
    name: 'virt-controller-vmi',
    clock,
    log,
    threads: THREADS,
    reconcile,
  })

  caches.vmis.on(({ object }) => worker.queue.add(keyOfObject(object)))
  caches.pods.on(({ type, object: { metadata } }) => {
    const owner = metadata.ownerReferences?.find((reference) => reference.controller)
    const vmiName = owner && vmiOf(metadata.namespace, owner)
    if (!owner || vmiName === undefined) return
    const key = keyOf(metadata.namespace, vmiName)
    if (type === 'ADDED') expectations.settle(key, owner.uid)
    worker.queue.add(key)
  })
  caches.migrations.on(({ object: { metadata, spec } }) => {
    const vmi = caches.vmis.get(metadata.namespace, spec.vmiName ?? '')
    if (vmi && isUnprocessed(vmi)) worker.queue.add(keyOfObject(vmi))
  })
  caches.claims.on(({ type, object: { metadata } }) => {
    const owner = metadata.labels?.[LABEL.persistentStateFor]
    if (owner !== undefined) {
      const key = keyOf(metadata.namespace, owner)
      if (type === 'ADDED') expectations.settle(key, STATE_CLAIM)
      worker.queue.add(key)
    }
    for (const vmi of caches.vmis.list())
      if (
        vmi.metadata.namespace === metadata.namespace &&
        vmi.spec.volumes?.some((volume) => claimOf(volume) === metadata.name)
      )
        worker.queue.add(keyOfObject(vmi))
  })
  const attachments = createAttachments(cluster, caches, recorder, expectations)
  const stateClaims = createStateClaims(cluster, caches, expectations)
  return worker

  /** A launcher belongs to a VMI, an attachment pod to a launcher. */
  function vmiOf(
    namespace: string | undefined,
    { kind, name }: OwnerReference,
  ): string | undefined {
    if (kind === 'VirtualMachineInstance') return name
    if (kind !== 'Pod') return undefined
    return caches.pods.get(namespace, name)?.metadata.annotations?.[ANNOTATION.domain]
  }

  async function reconcile(key: string): Promise<void> {
    const { namespace, name } = parseKey(key)
    const vmi = caches.vmis.get(namespace, name)
    if (!vmi) return expectations.forget(key)
    if (vmi.metadata.annotations?.[ANNOTATION.latestApiVersion] === undefined) return introduce(vmi)
    if (!expectations.satisfied(key)) return
    const pods = caches.podsOf(vmi)
    let failure: unknown
    try {
      await sync(key, vmi, pods)
    } catch (err) {
      failure = err
    }
    const now = clock.now()
    const around = { kubevirt: caches.kubevirt(), vm: caches.vms.get(namespace, name) }
    const reached = withVolumes(nextVmi(vmi, pods, now, around), pods)
    const failed = failure === undefined ? startFailure(vmi, pods) : failureOf(vmi, failure)
    const next = withFailure(reached, failed, now)
    if (conditionOf(next, 'MigrationRequired')?.status === 'False')
      worker.queue.add(key, { after: NETWORK_INTERVAL })
    if (!sameValue(vmi, next)) await replace(cluster, VMIS, vmi.metadata, next)
    const pod = currentPodOf(next, pods)
    if (pod && !isPodFinal(pod)) await syncPod(next, pod)
    if (failure !== undefined) throw failure
  }

  /** Nothing is made for a VMI as long as a claim of its is not there. */
  function tellMissingClaim(vmi: Vmi): boolean {
    const missing = missingClaim(vmi)
    if (missing) recorder.record(vmi, 'Normal', missing.reason, missing.message)
    return missing !== undefined
  }

  function missingClaim({ metadata: { namespace = '' }, spec }: Vmi): Failure | undefined {
    const name = (spec.volumes ?? [])
      .flatMap((volume) => claimOf(volume) ?? [])
      .find((claim) => !caches.claims.get(namespace, claim))
    return name === undefined ? undefined : noClaim(namespace, name)
  }

  /** A migration of an earlier VMI of this name has not ended. */
  function isMigrating({ metadata }: Vmi): boolean {
    return caches.migrationsOf(metadata.namespace, metadata.name).some(isUnderWay)
  }

  /** What keeps a VMI from having its pod, or from its node although its pod is there. */
  function startFailure(vmi: Vmi, pods: Pod[]): Failure | undefined {
    if (isUnprocessed(vmi) && pods.length === 0)
      return missingClaim(vmi) ?? (isMigrating(vmi) ? ACTIVE_MIGRATION : stateClaims.failure(vmi))
    const launcher = currentPodOf(vmi, pods)
    if (vmi.status?.phase !== 'Scheduling' || !launcher) return undefined
    if (!lacksGuarantee(vmi, launcher)) return imageFailure(launcher)
    recorder.record(vmi, 'Warning', NO_GUARANTEE.reason, NO_GUARANTEE.message)
    return NO_GUARANTEE
  }

  function failureOf(vmi: Vmi, err: unknown): Failure {
    const state = isUnprocessed(vmi) ? stateClaims.failure(vmi, err) : undefined
    return state ?? podFailure(vmi, err)
  }

  async function introduce(vmi: Vmi): Promise<void> {
    const annotations = {
      [PCI_TOPOLOGY]: 'v3',
      ...vmi.metadata.annotations,
      [ANNOTATION.latestApiVersion]: 'v1',
      [ANNOTATION.storageApiVersion]: 'v1',
    }
    const body = { ...vmi, metadata: { ...vmi.metadata, annotations } }
    await replace(cluster, VMIS, vmi.metadata, body)
  }

  async function sync(key: string, vmi: Vmi, pods: Pod[]): Promise<void> {
    if (vmi.metadata.deletionTimestamp) return deleteAll(vmi, pods)
    const launcher = currentPodOf(vmi, pods)
    const phase = vmi.status?.phase ?? ''
    if (phase === 'Failed' || phase === 'Succeeded') {
      if (launcher) await attachments.remove(vmi, attachments.of(launcher))
      return
    }
    for (const pod of pods) if (isPodFinal(pod)) await attachments.remove(vmi, attachments.of(pod))
    if (tellMissingClaim(vmi) || awaitsSource(vmi)) return
    if (launcher) await attachments.sync(key, vmi, launcher)
    else if (isUnprocessed(vmi) && pods.length === 0 && !isMigrating(vmi)) await begin(key, vmi)
  }

  /** All pods of a VMI that is deleted, each with an event; one that has ended is deleted again until it is gone. */
  async function deleteAll(vmi: Vmi, pods: Pod[]): Promise<void> {
    for (const pod of pods) {
      if (pod.metadata.deletionTimestamp && !isPodFinal(pod)) continue
      const { name } = pod.metadata
      try {
        await remove(cluster, PODS, pod.metadata)
      } catch (err) {
        if (!isStatus(err, 404)) {
          const message = `Failed to delete virtual machine pod ${name}`
          recorder.record(vmi, 'Warning', 'FailedDelete', message)
          throw err
        }
      }
      recorder.record(vmi, 'Normal', 'SuccessfulDelete', `Deleted virtual machine pod ${name}`)
    }
  }

  async function begin(key: string, vmi: Vmi): Promise<void> {
    if (await stateClaims.ready(key, vmi)) await createPod(key, vmi)
  }

  async function createPod(key: string, vmi: Vmi): Promise<void> {
    const { namespace = '', uid = '' } = vmi.metadata
    const quotas = caches.quotas.list().filter(({ metadata }) => metadata.namespace === namespace)
    const kubevirt = caches.kubevirt()
    const limits = automaticLimits(caches.namespaces.get(undefined, namespace), quotas, kubevirt)
    const stateClaim = hasPersistentState(vmi) ? stateClaims.of(vmi)?.metadata.name : undefined
    const template = launcherPod(vmi, { kubevirt, release: LAB_RELEASE, limits, stateClaim })
    expectations.expect(key, uid)
    try {
      const body = { apiVersion: 'v1', kind: 'Pod', ...template }
      const pod = await create<Pod>(cluster, PODS, body, { namespace })
      const message = `Created virtual machine pod ${pod.metadata.name}`
      recorder.record(vmi, 'Normal', 'SuccessfulCreate', message)
    } catch (err) {
      expectations.settle(key, uid)
      const message = isInsecure(err)
        ? `failed to render launch manifest: ${podFailure(vmi, err).message}`
        : `Error creating pod: ${messageOf(err)}`
      recorder.record(vmi, 'Warning', 'FailedCreate', message)
      throw err
    }
  }

  function withVolumes(vmi: Vmi, pods: Pod[]): Vmi {
    const { spec, status } = vmi
    const state = stateClaims.of(vmi)
    if (!spec.volumes?.length && !status?.volumeStatus?.length && !state) return vmi
    const launcher = currentPodOf(vmi, pods)
    const claims = (name: string) => caches.claims.get(vmi.metadata.namespace, name)
    const attached = launcher ? attachments.of(launcher) : []
    const { volumes, told } = volumeStatus(vmi, launcher, attached, claims, state)
    for (const { reason, message } of told) recorder.record(vmi, 'Normal', reason, message)
    return { ...vmi, status: { ...status, volumeStatus: volumes } }
  }

  async function syncPod(vmi: Vmi, pod: Pod): Promise<void> {
    const condition = unpausedCondition(vmi, pod, clock.now())
    if (condition) {
      const at = { ...pod.metadata, subresource: 'status' }
      await patch(cluster, PODS, at, { status: { conditions: [condition] } }, 'strategic')
    }
    const operations = podPatch(vmi, pod)
    if (operations.length > 0) await patch(cluster, PODS, pod.metadata, operations, 'json')
  }
}

function isUnprocessed({ status }: Vmi): boolean {
  return ['', 'Pending'].includes(status?.phase ?? '')
}

function isInsecure(err: unknown): boolean {
  return messageOf(err).includes('violates PodSecurity')
}

/** Why a VMI has no pod, as its condition says it. */
function podFailure({ metadata }: Vmi, err: unknown): Failure {
  const text = messageOf(err)
  const message = isInsecure(err)
    ? `failed to create pod for vmi ${metadata.namespace}/${metadata.name}, it needs a privileged namespace to run: ${text}`
    : `failed to create virtual machine pod: ${text}`
  return { reason: 'FailedCreate', message }
}
