import { eventTime } from '../../evidence/latest.ts'
import { enteredAt } from '../../kubevirt/migration.ts'
import type { Event } from '../../kubevirt/types.ts'
import { limitsOf } from '../../rules/pending-timeout.ts'
import type { Check } from '../check.ts'
import { type EvidenceItem, type Finding, finding } from '../finding.ts'
import type { Subject } from '../subject.ts'
import { age, exactSeconds, listing, plural, shell, short } from '../words.ts'

/** A target pod that KubeVirt deleted because its time was up, once or again and again. */
export const timedOut: Check = {
  name: 'time-outs of the target pod',
  when: ({ migration }) => migration !== undefined,
  needs: [],
  judge(subject) {
    if (!subject.troubled) return []
    const deletions = subject.events.filter(
      ({ reason, message }) =>
        reason === 'SuccessfulDelete' && /timeout period exceeded/.test(message ?? ''),
    )
    const last = deletions.at(-1)
    if (!last) return inferred(subject)
    const unschedulable = /unschedulable pod/.test(last.message ?? '')
    const limits = limitsOf(subject.migration!)
    const seconds = exactSeconds((unschedulable ? limits.unschedulable : limits.pending) / 1000)
    const state = unschedulable ? 'unschedulable' : 'Pending'
    const evidence = evidenceOfEvents(deletions.slice(-2), subject)
    if (deletions.length > 1 && subject.phase !== 'Failed')
      return [loop(subject, deletions, seconds, state, evidence)]
    const assigned = subject.events.find(
      ({ reason, involvedObject }) =>
        reason === 'Scheduled' &&
        involvedObject.kind === 'Pod' &&
        !subject.launchers.some((pod) => pod.metadata.name === involvedObject.name),
    )
    return [
      finding({
        code: unschedulable ? 'MIG3040' : 'MIG3041',
        title: `${nameOf(subject)} ${subject.phase === 'Failed' ? 'failed: its' : 'lost its'} target pod stayed ${state} past its time-out of ${seconds}`,
        objects: [subject.ref],
        evidence,
        cause: unschedulable
          ? 'The scheduler found no node for it; the time-out is only what ended the attempt'
          : `It had ${assigned ? 'a node' : 'perhaps a node'} and did not become ready (ContainerCreating: image, CNI or volumes); ${reasonOf(subject)}. The VM was not touched`,
        remedy: [
          {
            text: unschedulable
              ? 'Mend what kept it from being scheduled, then migrate again'
              : 'Migrate again and see the events of the target pod while it is Pending',
            command: shell`kubectl -n ${subject.namespace} get events --field-selector involvedObject.kind=Pod`,
          },
        ],
        confidence: 'certain',
      }),
    ]
  },
}

function nameOf({ migration, name }: Subject): string {
  return `${migration?.metadata.name ?? name} (${name})`
}

function loop(
  subject: Subject,
  deletions: Event[],
  seconds: string,
  state: string,
  evidence: EvidenceItem[],
): Finding {
  const created = subject.events.filter(({ message }) =>
    /Created migration target pod/.test(message ?? ''),
  )
  const first = created[0] && eventTime(created[0])
  const last = eventTime(created.at(-1) ?? deletions.at(-1)!)
  const span = first !== undefined && last !== undefined ? ` within ${age(last - first)}` : ''
  return finding({
    code: 'MIG3044',
    title: `Loop: ${plural(Math.max(created.length, deletions.length), 'target pod')} made and ${deletions.length} deleted again${span} by the ${state === 'Pending' ? 'pending' : 'unschedulable'}-pod time-out of ${seconds}`,
    objects: [subject.ref],
    evidence,
    cause: `Each pod stayed ${state} until its time was up, and the next was made: the migration never fails by itself. ${state === 'Pending' ? 'What keeps the pods from starting' : 'What the scheduler says of the current pod'} is the reason to look for`,
    remedy: [
      {
        text: 'See why the current target pod is not placed or started',
        command: shell`kubectl -n ${subject.namespace} describe pod -l kubevirt.io/migrationJobUID=${subject.migration?.metadata.uid ?? ''}`,
      },
      {
        text: 'Cancel the migration',
        command: shell`kubectl mig cancel -n ${subject.namespace} vmim/${subject.migration?.metadata.name ?? ''}`,
        risk: 'the attempt ends',
      },
    ],
    endsByItself: 'no',
  })
}

/** Without events the times of the phases tell which limit it was. */
function inferred(subject: Subject): Finding[] {
  const { migration, phase, targetPods } = subject
  if (phase !== 'Failed' || !migration || targetPods.length > 0 || subject.state) return []
  if (subject.said.some(({ worth, hit }) => worth === 'cause' && !hit)) return []
  const from = enteredAt(migration, 'Scheduling') ?? enteredAt(migration, 'Pending')
  const to = enteredAt(migration, 'Failed')
  if (from === undefined || to === undefined || enteredAt(migration, 'Scheduled') !== undefined)
    return []
  const limits = limitsOf(migration)
  const near = (limit: number) => Math.abs(to - from - limit) <= Math.max(15_000, limit * 0.03)
  const limit = near(limits.pending)
    ? 'pending'
    : near(limits.unschedulable)
      ? 'unschedulable'
      : undefined
  if (!limit) return []
  const seconds = exactSeconds(limits[limit] / 1000)
  return [
    finding({
      code: limit === 'pending' ? 'MIG3041' : 'MIG3040',
      title: `${nameOf(subject)} failed ${exactSeconds((to - from) / 1000)} after its target pod was made: the ${limit === 'pending' ? 'catch-all time-out for pending pods' : 'time-out for unschedulable pods'} (${seconds})`,
      objects: [subject.ref],
      evidence: [
        {
          source: subject.ref,
          field: 'status.phaseTransitionTimestamps',
          value: `Scheduling, then Failed after ${age(to - from)}`,
          time: to,
        },
      ],
      cause:
        limit === 'pending'
          ? `The target pod (virt-launcher) had its node and never got ready: image pull, CNI or volume attach; which one is not shown. An earlier limit, ${exactSeconds(limits.unschedulable / 1000)}, would have ended it had no node been found`
          : 'The scheduler found no node for the target pod; its message is not in what was read',
      confidence: 'likely',
      remedy: [
        {
          text: 'Migrate again, and describe the target pod while it is Pending',
          command: shell`kubectl -n ${subject.namespace} describe pod -l kubevirt.io/created-by=${subject.vmi?.metadata.uid ?? ''}`,
        },
      ],
    }),
  ]
}

function reasonOf(subject: Subject): string {
  const warnings = subject.events.filter(
    ({ type, involvedObject }) => type === 'Warning' && involvedObject.kind === 'Pod',
  )
  const last = warnings.at(-1)
  return last
    ? short(last.message ?? '', 160)
    : `why is not shown: ${listing(['no event of that pod is in what was read'])}`
}

export function evidenceOfEvents(events: Event[], subject: Subject): EvidenceItem[] {
  return events.map((event) => {
    const time = eventTime(event)
    return {
      source: `${event.involvedObject.kind === 'Pod' ? 'pod' : 'vmim'}/${subject.namespace}/${event.involvedObject.name ?? ''}`,
      field: `event ${event.reason ?? ''}`,
      value: short(event.message ?? ''),
      ...(time !== undefined && { time }),
    }
  })
}
