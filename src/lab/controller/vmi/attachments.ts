import { isStatus } from '../../../cluster/api-error.ts'
import type { Cluster } from '../../../cluster/cluster.ts'
import { create, remove } from '../../../cluster/objects.ts'
import { LABEL } from '../../../kubevirt/labels.ts'
import { isPodReady } from '../../../kubevirt/pods.ts'
import { PODS } from '../../../kubevirt/resources.ts'
import type { Pod, Vmi, VmiVolume } from '../../../kubevirt/types.ts'
import { hotpluggedVolumes } from '../../../kubevirt/volumes.ts'
import { attachmentPod, attachments as planOf } from '../../../rules/attachment-pod.ts'
import type { EventRecorder } from '../../events.ts'
import type { Caches } from '../caches.ts'
import type { Expectations } from '../expectations.ts'
import { messageOf } from '../migration/perform.ts'

/** The pods that bring hotplugged volumes to the nodes of a VM's launchers. */
export interface Attachments {
  of(launcher: Pod): Pod[]
  /** One pod for all that is plugged in now; those that hold anything else go when it runs. */
  sync(key: string, vmi: Vmi, launcher: Pod): Promise<void>
  remove(vmi: Vmi, pods: Pod[]): Promise<void>
}

export function createAttachments(
  cluster: Cluster,
  caches: Caches,
  recorder: EventRecorder,
  expectations: Expectations,
): Attachments {
  const of = (launcher: Pod) =>
    caches.pods
      .by('owner', launcher.metadata.uid ?? '')
      .filter(({ metadata }) => metadata.labels?.[LABEL.app] === 'hotplug-disk')

  async function sync(key: string, vmi: Vmi, launcher: Pod): Promise<void> {
    if (!isPodReady(launcher)) return
    const volumes = hotpluggedVolumes(vmi.spec, launcher)
    const plan = planOf(of(launcher), volumes)
    if (plan.create) await make(key, vmi, launcher, volumes)
    await removeAll(vmi, plan.remove)
  }

  async function make(key: string, vmi: Vmi, launcher: Pod, volumes: VmiVolume[]): Promise<void> {
    const { namespace = '' } = vmi.metadata
    const id = launcher.metadata.uid ?? ''
    expectations.expect(key, id)
    try {
      const template = attachmentPod(launcher, volumes, caches.kubevirt())
      const body = { apiVersion: 'v1', kind: 'Pod', ...template }
      const pod = await create<Pod>(cluster, PODS, body, { namespace })
      const message = `Created attachment pod ${pod.metadata.name}`
      recorder.record(vmi, 'Normal', 'SuccessfulCreate', message)
    } catch (err) {
      expectations.settle(key, id)
      const message = `Error creating attachment pod: ${messageOf(err)}`
      recorder.record(vmi, 'Warning', 'FailedCreate', message)
      throw err
    }
  }

  async function removeAll(vmi: Vmi, pods: Pod[]): Promise<void> {
    for (const { metadata } of pods) {
      if (metadata.deletionTimestamp) continue
      const { name } = metadata
      try {
        await remove(cluster, PODS, metadata, { gracePeriodSeconds: 0 })
      } catch (err) {
        if (!isStatus(err, 404)) {
          const message = `Failed to delete attachment pod ${name}`
          recorder.record(vmi, 'Warning', 'FailedDelete', message)
          throw err
        }
      }
      recorder.record(vmi, 'Normal', 'SuccessfulDelete', `Deleted attachment pod ${name}`)
    }
  }

  return { of, sync, remove: removeAll }
}
