import { conditionOf, timeOf } from '../../kubevirt/migration.ts'
import { isPodReady } from '../../kubevirt/pods.ts'
import type { Vmi } from '../../kubevirt/types.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import type { Subject } from '../subject.ts'
import { age, listing, shell, short } from '../words.ts'

/** Hotplugged volumes reach the target through an attachment pod; without it the migration waits for ever. */
export const attachment: Check = {
  name: 'attachment pod for hotplugged volumes',
  when: ({ vmi, phase, targetPod }) =>
    hotplugged(vmi).length > 0 &&
    ['Pending', 'Scheduling', 'Scheduled'].includes(phase) &&
    targetPod?.status?.phase === 'Running',
  needs: ['Pod'],
  judge(subject, world) {
    const volumes = hotplugged(subject.vmi)
    const target = subject.targetPod!
    const pods = subject.attachmentPods
    const pod = pods.find((p) => !['Succeeded', 'Failed'].includes(p.status?.phase ?? ''))
    const cancel = {
      text: 'Cancel the migration and start it again',
      command: shell`kubectl mig cancel -n ${subject.namespace} vmim/${subject.migration?.metadata.name ?? ''}`,
    }
    if (!pod) {
      const created = subject.said.find(({ quote }) => /Error creating attachment pod/.test(quote))
      return [
        finding({
          code: 'MIG3050',
          title: `No attachment pod (hp-volume) exists on the target for hotplugged volume ${listing(volumes)}`,
          objects: [subject.ref, `pod/${subject.namespace}/${target.metadata.name}`],
          evidence: [
            {
              source: `vmi/${subject.namespace}/${subject.name}`,
              field: 'spec.volumes',
              value: `hotpluggable: ${listing(volumes)}`,
            },
            {
              source: `pod/${subject.namespace}/${target.metadata.name}`,
              field: 'status.phase',
              value: 'Running, and no hp-volume pod is owned by it',
            },
            ...(created ? [{ source: created.source, value: created.quote }] : []),
          ],
          cause:
            'The target launcher is ready, but the hotplugged volumes are attached through a pod of their own, which was never created (a race when a volume is plugged while the migration starts). It waits in Scheduling for ever: no time-out covers this',
          confidence: 'likely',
          remedy: [cancel, { text: 'Do not plug volumes while a migration starts' }],
          endsByItself: 'no',
        }),
      ]
    }
    const born = timeOf(pod.metadata.creationTimestamp) ?? world.now
    if (isPodReady(pod) || world.now - born < 60_000) return []
    return [pending(subject, volumes, pod, world.now - born, cancel)]
  },
}

function pending(
  subject: Subject,
  volumes: string[],
  pod: Subject['attachmentPods'][number],
  lasted: number,
  cancel: { text: string; command: string },
): Finding {
  const events = subject.events.filter(
    ({ involvedObject, type }) => involvedObject.name === pod.metadata.name && type === 'Warning',
  )
  const why = short(
    events.at(-1)?.message ??
      conditionOf(pod, 'PodScheduled')?.message ??
      'its events are not in what was read',
  )
  return finding({
    code: 'MIG3051',
    title: `The attachment pod ${pod.metadata.name} for hotplugged ${listing(volumes)} is not ready for ${age(lasted)}`,
    objects: [`pod/${subject.namespace}/${pod.metadata.name}`, subject.ref],
    evidence: [
      {
        source: `pod/${subject.namespace}/${pod.metadata.name}`,
        field: 'status',
        value: `${pod.status?.phase ?? ''}: ${why}`,
      },
    ],
    cause: `${why}. No time-out covers a stuck attachment pod`,
    remedy: [{ text: 'Mend the volume or its CSI driver on the target node' }, cancel],
    endsByItself: 'no',
  })
}

/** A drain that took the attachment pod away from under the running VM. */
export const attachmentLost: Check = {
  name: 'attachment pod of the running VM',
  when: ({ vmi }) => conditionOf(vmi, 'Paused')?.reason === 'PausedIOError',
  needs: ['VirtualMachineInstance'],
  judge(subject) {
    const paused = conditionOf(subject.vmi, 'Paused')!
    const killed = subject.events.filter(
      ({ involvedObject, reason }) =>
        /^hp-volume-/.test(involvedObject.name ?? '') &&
        /Killing|Evict|Preempt|TaintManager/.test(reason ?? ''),
    )
    const node = subject.vmi?.status?.evacuationNodeName ?? subject.sourceNode ?? ''
    const pod = killed.at(-1)?.involvedObject.name
    const volumes = hotplugged(subject.vmi)
    const isFull = /not enough space|no space/i.test(paused.message ?? '')
    if (!pod)
      return [
        finding({
          code: isFull ? 'MIG3078' : 'MIG3034',
          title: `${subject.name} is paused by an I/O error (PausedIOError) of its storage${isFull ? ': not enough space' : ''}`,
          objects: [`vmi/${subject.namespace}/${subject.name}`],
          evidence: [
            {
              source: `vmi/${subject.namespace}/${subject.name}`,
              field: 'condition Paused',
              value: `PausedIOError ${paused.message ?? ''}`,
            },
          ],
          cause: isFull
            ? 'A write found no space: the volume or its pool is full, or its device was attached anew under the running launcher and the old one answers so'
            : 'A disk of the VM does not answer',
          confidence: 'likely',
          remedy: [{ text: 'See the volumes of the VM and their storage' }],
        }),
      ]
    return [
      finding({
        code: 'MIG3053',
        title: `Draining ${node} removed the attachment pod ${pod} while ${subject.name} still ran there: the VM is paused (PausedIOError)`,
        objects: [
          `vmi/${subject.namespace}/${subject.name}`,
          `pod/${subject.namespace}/${pod}`,
          `node/${node}`,
        ],
        evidence: [
          {
            source: `pod/${subject.namespace}/${pod}`,
            field: `event ${killed.at(-1)?.reason ?? ''}`,
            value: short(killed.at(-1)?.message ?? ''),
          },
          {
            source: `vmi/${subject.namespace}/${subject.name}`,
            field: 'condition Paused',
            value: `PausedIOError ${paused.message ?? ''}`,
          },
        ],
        cause: `The hotplugged ${listing(volumes)} lost its disk before the evacuation had moved the VM`,
        remedy: [
          {
            text: 'Drain with a selector that leaves hp-volume pods out until the VM has moved',
            command: shell`kubectl drain ${node} --pod-selector='kubevirt.io!=hotplug-disk'`,
          },
          {
            text: 'Stop and start the VM to get its disk back',
            risk: 'the guest stops; data in flight may be lost',
          },
        ],
        endsByItself: 'no',
      }),
    ]
  },
}

function hotplugged(vmi: Vmi | undefined): string[] {
  const inStatus = new Set(
    (vmi?.status?.volumeStatus ?? [])
      .filter(({ hotplugVolume }) => hotplugVolume)
      .map(({ name }) => name),
  )
  return (vmi?.spec.volumes ?? [])
    .filter(
      (v) =>
        v.persistentVolumeClaim?.hotpluggable || v.dataVolume?.hotpluggable || inStatus.has(v.name),
    )
    .map(({ name }) => name)
}
