import { eventTime } from '../../evidence/latest.ts'
import { conditionOf } from '../../kubevirt/migration.ts'
import { limitsOf, pendingTimeout } from '../../rules/pending-timeout.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { parseSchedulerMessage } from '../scheduler-message.ts'
import type { Subject, World } from '../subject.ts'
import { exactSeconds, moment, short } from '../words.ts'
import { decide } from './placement-verdict.ts'
import type { Unplaced } from './unplaced.ts'

/** Why the scheduler finds no node for the target pod: which constraint removes which nodes, and whose it is. */
export const placement: Check = {
  name: 'placement of the target pod',
  when: ({ migration, phase }) =>
    migration !== undefined && !['Succeeded', 'Running', 'TargetReady'].includes(phase),
  needs: [],
  judge(subject, world) {
    const unplaced = unplacedOf(subject, world)
    if (!unplaced) return []
    const verdict = decide(unplaced)
    const { end, endsByItself, deadline } = endOf(unplaced)
    const waits = subject.said.filter(({ row }) => row.code === 'MIG3014').slice(-1)
    return [
      finding({
        code: verdict.code,
        title: verdict.title,
        objects: [
          `pod/${subject.namespace}/${unplaced.podName}`,
          subject.ref,
          ...(verdict.objects ?? []),
        ],
        evidence: [
          {
            source: `pod/${subject.namespace}/${unplaced.podName}`,
            field: 'PodScheduled=False Unschedulable',
            value: short(
              unplaced.message.replace(/\.? (?:no new claims[^,]*, )?preemption:.*$/s, ''),
              260,
            ),
          },
          ...waits.map(({ source, quote }) => ({ source, value: quote })),
          ...(verdict.evidence ?? []),
        ],
        cause: [verdict.cause, end].filter(Boolean).join('. '),
        remedy: verdict.remedy,
        endsByItself,
        ...(deadline !== undefined && { deadline }),
      }),
    ]
  },
}

function unplacedOf(subject: Subject, world: World): Unplaced | undefined {
  const pod = subject.targetPod
  const scheduled = conditionOf(pod, 'PodScheduled')
  const others = world.nodes.filter(({ metadata }) => metadata.name !== subject.sourceNode)
  if (pod && scheduled?.status === 'False') {
    const message = scheduled.message ?? scheduled.reason ?? ''
    return {
      subject,
      world,
      pod,
      podName: pod.metadata.name,
      message,
      parsed: parseSchedulerMessage(message),
      others,
    }
  }
  if (pod?.spec.nodeName) return undefined
  const event = subject.events
    .filter(
      ({ reason, involvedObject }) =>
        reason === 'FailedScheduling' && involvedObject.kind === 'Pod',
    )
    .sort((a, b) => (eventTime(a) ?? 0) - (eventTime(b) ?? 0))
    .at(-1)
  const name = event?.involvedObject.name
  if (!name || subject.launchers.some((p) => p.metadata.name === name && p.spec.nodeName))
    return undefined
  const message = event.message ?? ''
  return {
    subject,
    world,
    pod,
    podName: name,
    message,
    parsed: parseSchedulerMessage(message),
    others,
  }
}

/** What ends the wait: KubeVirt's time-out for unschedulable pods, or that it already has. */
function endOf({ subject, world, pod }: Unplaced) {
  const { migration, phase } = subject
  const limit = exactSeconds(limitsOf(migration!).unschedulable / 1000)
  if (phase === 'Failed' || !pod) {
    const end =
      phase === 'Failed'
        ? `It failed by the time-out for unschedulable pods, ${limit}`
        : `The time-out for unschedulable pods is ${limit}`
    return { end, endsByItself: 'yes' as const, deadline: undefined }
  }
  const timeout = pendingTimeout(migration!, pod, world.now)
  if (!timeout.pending) return { end: '', endsByItself: 'unknown' as const, deadline: undefined }
  const seconds = exactSeconds(limitsOf(migration!)[timeout.limit] / 1000)
  return {
    end: `The time-out (${seconds} after the pod was made, ${moment(timeout.deadline)}) ends the migration`,
    endsByItself: 'yes' as const,
    deadline: timeout.deadline,
  }
}
