import { isStatus } from '../../../cluster/api-error.ts'
import { create, patch, remove, replace } from '../../../cluster/objects.ts'
import { sameValue } from '../../../kubevirt/equality.ts'
import { ANNOTATION, LABEL } from '../../../kubevirt/labels.ts'
import { conditionOf } from '../../../kubevirt/migration.ts'
import { currentPodOf, isPodFinal } from '../../../kubevirt/pods.ts'
import { PODS, VMIS } from '../../../kubevirt/resources.ts'
import type { OwnerReference, Pod, Vmi, VmiVolume } from '../../../kubevirt/types.ts'
import { claimOf, hotpluggedVolumes } from '../../../kubevirt/volumes.ts'
import { attaches, attachmentPod } from '../../../rules/attachment-pod.ts'
import { automaticLimits } from '../../../rules/automatic-limits.ts'
import { launcherPod } from '../../../rules/launcher-pod.ts'
import { keyOf, keyOfObject, parseKey } from '../caches.ts'
import { createExpectations } from '../expectations.ts'
import type { ControllerOptions } from '../migration/controller.ts'
import { messageOf } from '../migration/perform.ts'
import { LAB_RELEASE } from '../release.ts'
import { startWorker, type Worker } from '../worker.ts'
import {
  type Failure,
  imageFailure,
  lacksGuarantee,
  NO_GUARANTEE,
  withFailure,
} from './conditions.ts'
import { podPatch, unpausedCondition } from './pod-sync.ts'
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
  caches.claims.on(({ object: { metadata } }) => {
    for (const vmi of caches.vmis.list())
      if (
        vmi.metadata.namespace === metadata.namespace &&
        vmi.spec.volumes?.some((volume) => claimOf(volume) === metadata.name)
      )
        worker.queue.add(keyOfObject(vmi))
  })
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
    const reached = withVolumes(nextVmi(vmi, pods, now), pods)
    const failed = failure === undefined ? startFailure(vmi, pods) : podFailure(vmi, failure)
    const next = withFailure(reached, failed, now)
    if (conditionOf(next, 'MigrationRequired')?.status === 'False')
      worker.queue.add(key, { after: NETWORK_INTERVAL })
    if (!sameValue(vmi, next)) await replace(cluster, VMIS, vmi.metadata, next)
    const pod = currentPodOf(next, pods)
    if (pod && !isPodFinal(pod)) await syncPod(next, pod)
    if (failure !== undefined) throw failure
  }

  /** What keeps a VMI from its node although its pod is there. */
  function startFailure(vmi: Vmi, pods: Pod[]): Failure | undefined {
    const launcher = currentPodOf(vmi, pods)
    if (vmi.status?.phase !== 'Scheduling' || !launcher) return undefined
    if (!lacksGuarantee(vmi, launcher)) return imageFailure(launcher)
    recorder.record(vmi, 'Warning', NO_GUARANTEE.reason, NO_GUARANTEE.message)
    return NO_GUARANTEE
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
    if (vmi.status?.phase === 'Running' && launcher) await attach(key, vmi, launcher)
    for (const pod of pods) if (isPodFinal(pod)) await deletePods(attachmentsOf(pod))
    const unprocessed = ['', 'Pending'].includes(vmi.status?.phase ?? '')
    if (unprocessed && pods.length === 0) await createPod(key, vmi)
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

  async function deletePods(pods: Pod[]): Promise<void> {
    for (const { metadata } of pods)
      if (!metadata.deletionTimestamp) {
        try {
          await remove(cluster, PODS, metadata)
        } catch (err) {
          if (!isStatus(err, 404)) throw err
        }
      }
  }

  async function createPod(key: string, vmi: Vmi): Promise<void> {
    const { namespace = '', uid = '' } = vmi.metadata
    const quotas = caches.quotas.list().filter(({ metadata }) => metadata.namespace === namespace)
    const kubevirt = caches.kubevirt()
    const limits = automaticLimits(caches.namespaces.get(undefined, namespace), quotas, kubevirt)
    const template = launcherPod(vmi, { kubevirt, release: LAB_RELEASE, limits })
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

  /** One attachment pod for all that is plugged in now; one that holds anything else goes when this one runs. */
  async function attach(key: string, vmi: Vmi, launcher: Pod): Promise<void> {
    const volumes = hotpluggedVolumes(vmi.spec, launcher)
    const present = attachmentsOf(launcher)
    const wanted = present.find((pod) => attaches(pod, volumes))
    if (volumes.length > 0 && !wanted) await createAttachment(key, vmi, launcher, volumes)
    const served = volumes.length === 0 || wanted?.status?.phase === 'Running'
    if (served) await deletePods(present.filter((pod) => pod !== wanted))
  }

  function attachmentsOf(launcher: Pod): Pod[] {
    return caches.pods
      .by('owner', launcher.metadata.uid ?? '')
      .filter(({ metadata }) => metadata.labels?.[LABEL.app] === 'hotplug-disk')
  }

  async function createAttachment(
    key: string,
    vmi: Vmi,
    launcher: Pod,
    volumes: VmiVolume[],
  ): Promise<void> {
    const { namespace = '' } = vmi.metadata
    const id = launcher.metadata.uid ?? ''
    expectations.expect(key, id)
    try {
      const template = attachmentPod(launcher, volumes, caches.kubevirt())
      const body = { apiVersion: 'v1', kind: 'Pod', ...template }
      const pod = await create<Pod>(cluster, PODS, body, { namespace })
      recorder.record(
        vmi,
        'Normal',
        'SuccessfulCreate',
        `Created attachment pod ${pod.metadata.name}`,
      )
    } catch (err) {
      expectations.settle(key, id)
      const message = `Error creating attachment pod: ${messageOf(err)}`
      recorder.record(vmi, 'Warning', 'FailedCreate', message)
      throw err
    }
  }

  function withVolumes(vmi: Vmi, pods: Pod[]): Vmi {
    if ((vmi.spec.volumes ?? []).length === 0) return vmi
    const launcher = currentPodOf(vmi, pods)
    const attachment = launcher ? attachmentsOf(launcher)[0] : undefined
    const claims = (name: string) => caches.claims.get(vmi.metadata.namespace, name)
    const status = { ...vmi.status, volumeStatus: volumeStatus(vmi, launcher, attachment, claims) }
    return { ...vmi, status }
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
