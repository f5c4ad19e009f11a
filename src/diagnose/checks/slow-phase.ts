import { enteredAt } from '../../kubevirt/migration.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { age } from '../words.ts'

const SLOW_MS = 60_000

/** Phases after scheduling that take seconds, and don't end by themselves when nobody acts. */
export const slowPhase: Check = {
  name: 'hand-off and preparation take their time',
  when: ({ phase, migration }) =>
    migration !== undefined && ['Scheduled', 'PreparingTarget', 'TargetReady'].includes(phase),
  needs: ['VirtualMachineInstanceMigration'],
  judge(subject, world) {
    const since = enteredAt(subject.migration!, subject.phase)
    const lasted = since === undefined ? 0 : world.now - since
    // Where somebody says why, that is told instead, with the same remark on time-outs.
    if (lasted < SLOW_MS || subject.said.some(({ worth }) => worth === 'cause')) return []
    const published = subject.state?.targetNodeAddress
    const stories = {
      Scheduled: [
        'MIG4002',
        'virt-controller has not handed the migration over: see its log for "failed to match migration policy", "target attachment pod not found" or FailedHandOver',
      ],
      PreparingTarget: [
        'MIG4003',
        `virt-handler on ${subject.targetNode ?? 'the target node'} has not published its ports${published ? '' : ' (no targetNodeAddress)'}: network, volumes or container disks of the target are not ready, or it is down`,
      ],
      TargetReady: [
        'MIG4007',
        `the target listens${published ? ` on ${published}` : ''}, but virt-handler or launcher on ${subject.sourceNode ?? 'the source node'} has not started the copy`,
      ],
    } as const
    const [code, why] = stories[subject.phase as keyof typeof stories]
    return [
      finding({
        code,
        title: `${subject.name} has been in ${subject.phase} for ${age(lasted)}, where seconds are usual`,
        objects: [subject.ref, ...(subject.targetNode ? [`node/${subject.targetNode}`] : [])],
        evidence: [
          {
            source: subject.ref,
            field: 'status.phase',
            value: `${subject.phase} since ${age(lasted)}`,
            ...(since !== undefined && { time: since }),
          },
        ],
        cause: `${why}. No time-out covers this phase`,
        confidence: 'possible',
        remedy: [
          {
            text: `Read the log of virt-handler on ${(subject.phase === 'TargetReady' ? subject.sourceNode : subject.targetNode) ?? 'that node'}`,
            command: 'kubectl get pods -A -l kubevirt.io=virt-handler -o wide',
          },
        ],
        endsByItself: 'no',
        weight: -25,
      }),
    ]
  },
}
