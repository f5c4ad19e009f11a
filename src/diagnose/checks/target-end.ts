import { eventTime } from '../../evidence/latest.ts'
import { enteredAt, timeOf } from '../../kubevirt/migration.ts'
import type { ContainerStatus, Pod } from '../../kubevirt/types.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import type { Said, Subject } from '../subject.ts'
import { shell, short } from '../words.ts'
import { evidenceOfEvents } from './pending-timeouts.ts'
import { evidenceOf } from './texts.ts'

/** A target pod that is gone or has ended, without a time-out: evicted, deleted, killed, crashed. */
export const targetEnded: Check = {
  name: 'end of the target pod',
  when: ({ migration, phase }) => migration !== undefined && phase !== 'Succeeded',
  needs: [],
  judge(subject) {
    const pod = subject.targetPod
    const compute = pod && computeOf(pod)
    const ended =
      compute?.state?.terminated ??
      (pod?.status?.phase === 'Failed' ? compute?.lastState?.terminated : undefined)
    // Who killed it explains libvirt's error, whenever that was.
    if (pod && ended && isOutOfMemory(ended)) return [endedFinding(subject, pod, ended)]
    if (pod && (ended || isEvicted(pod)) && downBeforeCopy(subject))
      return [endedFinding(subject, pod, ended)]
    if (pod && pod.status?.phase === 'Failed' && downBeforeCopy(subject))
      return [endedFinding(subject, pod, undefined)]
    if (pod?.metadata.deletionTimestamp && !['Running', 'Failed'].includes(subject.phase))
      return [deleting(subject, pod)]
    if (!pod && stoppedBefore(subject)) return removed(subject)
    const down = subject.said.find(({ row, hit }) => row.code === 'MIG4004' && !hit)
    return down && subject.troubled && !pod ? [gone(subject, down)] : removed(subject)
  },
}

/** An end before the copy has a story of its own; after its start libvirt's error tells it. */
function downBeforeCopy({ state, phase, said }: Subject): boolean {
  const reason = state?.failureReason
  if (reason && !/target pod is down/i.test(reason)) return false
  if (said.some(({ row, hit }) => row.code === 'MIG4004' && !hit)) return true
  return ['Scheduling', 'Scheduled', 'PreparingTarget', 'TargetReady', 'Failed'].includes(phase)
}

function endedFinding(subject: Subject, pod: Pod, ended: Ended): Finding {
  const name = pod.metadata.name
  const node = pod.spec.nodeName ?? subject.targetNode ?? ''
  const stage = stageOf(subject)
  const objects = [`pod/${subject.namespace}/${name}`, subject.ref]
  const source = `pod/${subject.namespace}/${name}`
  if (isEvicted(pod) || /preempt/i.test(pod.status?.reason ?? ''))
    return finding({
      code: 'MIG3043',
      title: `The target pod ${name} was evicted from ${node}: ${pod.status?.reason ?? ''}`,
      objects,
      evidence: [{ source, field: 'status.message', value: short(pod.status?.message ?? '') }],
      cause: short(pod.status?.message ?? 'Its node was short of resources'),
      remedy: [{ text: 'See the pressure of the node and the priority of the VM' }],
    })
  const oom = isOutOfMemory(ended) || ended?.exitCode === 137
  const code = isOutOfMemory(ended) ? 'MIG3080' : 'MIG4004'
  const how = ended
    ? `exit code ${ended.exitCode ?? '?'}${ended.reason ? `, ${ended.reason}` : ''}`
    : `phase ${pod.status?.phase}`
  const texts = subject.said.filter(({ hit, worth }) => hit && worth === 'cause').slice(0, 1)
  return finding({
    code,
    title: `The target launcher ${name} on ${node} ended (${how}) ${stage}`,
    objects,
    evidence: [
      {
        source,
        field: 'container compute',
        value: short(
          ended ? `terminated, ${how}${ended.message ? `: ${ended.message}` : ''}` : how,
        ),
      },
      ...texts.map(({ source: from, quote }) => ({ source: from, value: quote })),
    ],
    cause: oom
      ? 'It was killed, out of memory: the target asks for more than its limit allows, or the node had none'
      : ended?.exitCode === 0
        ? 'It ended without error: it was told to, or nobody sent the guest in time (240 to 360 s)'
        : 'It crashed or gave up; why is in its log, which is not in what was read',
    confidence: oom ? 'certain' : 'likely',
    remedy: [
      {
        text: 'Read the log of its compute container (panic, OOM), also of the previous run',
        command: shell`kubectl -n ${subject.namespace} logs ${name} -c compute`,
      },
    ],
    ...(ended === undefined && { weight: -20 }),
  })
}

type Ended = NonNullable<ContainerStatus['state']>['terminated']

function isOutOfMemory(ended: Ended): boolean {
  return ended?.reason === 'OOMKilled'
}

function deleting(subject: Subject, pod: Pod): Finding {
  return finding({
    code: 'MIG3042',
    title: `The target pod ${pod.metadata.name} is being deleted while the migration is in ${subject.phase}`,
    objects: [`pod/${subject.namespace}/${pod.metadata.name}`, subject.ref],
    evidence: [
      {
        source: `pod/${subject.namespace}/${pod.metadata.name}`,
        field: 'metadata.deletionTimestamp',
        value: pod.metadata.deletionTimestamp ?? '',
      },
    ],
    cause: 'When it is gone, the migration fails; who deletes it is in the audit log',
    confidence: 'likely',
    remedy: [{ text: 'See what deletes launcher pods: a drain, the descheduler, a cleanup job' }],
    endsByItself: 'yes',
  })
}

/** It ended, and its object was not read: only that it was so is known. */
function gone(subject: Subject, said: Said): Finding {
  return finding({
    code: 'MIG4004',
    title: `The target launcher of ${subject.name} ended ${stageOf(subject)}`,
    objects: [subject.ref],
    evidence: evidenceOf([said], 1),
    cause:
      'Its pod is not in what was read: exit code and log of its compute container would tell why',
    confidence: 'possible',
    remedy: [
      {
        text: 'Migrate again and keep the log of the target launcher',
        command: shell`kubectl -n ${subject.namespace} logs -f -l kubevirt.io/created-by=${subject.vmi?.metadata.uid ?? ''} -c compute`,
      },
    ],
    weight: -20,
  })
}

function stageOf({ migration, phase }: Subject): string {
  const reached =
    [...(migration?.status?.phaseTransitionTimestamps ?? [])]
      .map((t) => t.phase)
      .filter((p) => p !== 'Failed')
      .at(-1) ?? phase
  switch (reached) {
    case 'PreparingTarget':
    case 'Scheduled':
      return 'while the target was being prepared'
    case 'TargetReady':
      return 'while it waited for the copy to begin'
    case 'Running':
      return 'during the copy'
    default:
      return `in ${reached || 'the beginning'}`
  }
}

/** FailedMigration says that the pod was removed, no time-out did it, and the pod's own events may say who. */
function removed(subject: Subject): Finding[] {
  const said = subject.said.find(({ row }) => row.code === 'MIG3042') ?? stoppedBefore(subject)
  const timeout = subject.said.some(({ row }) => row.code === 'MIG3040' || row.code === 'MIG3041')
  if (!said || timeout || !subject.troubled) return []
  const events = subject.events.filter(
    ({ reason, involvedObject }) =>
      involvedObject.kind === 'Pod' &&
      /Preempt|Evict|Killing|NodeNotReady|DisruptionTarget/.test(reason ?? ''),
  )
  const telling = events.find(({ reason }) => /Preempt|Evict/.test(reason ?? ''))
  return [
    finding({
      code: telling ? 'MIG3043' : 'MIG3042',
      title: telling
        ? `The target pod was removed: ${telling.reason}, ${short(telling.message ?? '', 120)}`
        : `The target pod of ${subject.name} was deleted during the migration, and not by a time-out`,
      objects: [subject.ref],
      evidence: [
        {
          source: said.source,
          ...(said.field !== undefined && { field: said.field }),
          value: said.quote,
          ...(said.time !== undefined && { time: said.time }),
        },
        ...evidenceOfEvents(events.slice(-2), subject),
      ],
      cause: telling
        ? 'A more important pod or the node needed the room'
        : 'A person, an eviction or a preemption removed it; its events or the audit log name who',
      confidence: telling ? 'certain' : stoppedBefore(subject) ? 'likely' : 'possible',
      remedy: [
        {
          text: 'See the events of that pod and who deletes launcher pods (descheduler, drain, cleanup jobs)',
        },
      ],
      // What was cut by it is an echo.
      ...(stoppedBefore(subject) && { weight: 45 }),
    }),
  ]
}

/**
 * The kubelet was told to stop the launcher while the migration still went on: its pod was deleted. A launcher that ends by
 * itself, or because its migration has failed, is not stopped.
 */
function stoppedBefore({ events, state, migration }: Subject) {
  const ended = timeOf(state?.endTimestamp) ?? (migration && enteredAt(migration, 'Failed'))
  if (ended === undefined) return undefined
  const stop = events.find(
    (event) =>
      event.involvedObject.kind === 'Pod' &&
      event.involvedObject.name === state?.targetPod &&
      event.reason === 'Killing' &&
      event.message?.startsWith('Stopping container compute') &&
      // Times are whole seconds.
      (eventTime(event) ?? Number.POSITIVE_INFINITY) <= ended,
  )
  if (!stop) return undefined
  const { involvedObject: of, message = '' } = stop
  const time = eventTime(stop)
  return {
    source: `pod/${of.namespace ?? ''}/${of.name}`,
    field: 'event Killing',
    quote: short(message),
    ...(time !== undefined && { time }),
  }
}

function isEvicted(pod: Pod): boolean {
  return /^(Evicted|Preempting|NodeLost|NodeShutdown|Terminated|NodeAffinity|UnexpectedAdmissionError|TopologyAffinityError|NUMAResources\w*|OutOf\w+)$/.test(
    pod.status?.reason ?? '',
  )
}

function computeOf(pod: Pod): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find(({ name }) => name === 'compute')
}
