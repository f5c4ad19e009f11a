import { eventTime } from '../../evidence/latest.ts'
import { timeOf } from '../../kubevirt/migration.ts'
import type { ContainerStatus, Event, KubeObject, Pod } from '../../kubevirt/types.ts'
import { limitsOf, pendingTimeout } from '../../rules/pending-timeout.ts'
import type { Code } from '../catalogue.ts'
import type { Check } from '../check.ts'
import { type EvidenceItem, type Finding, finding } from '../finding.ts'
import type { Said, Subject, World } from '../subject.ts'
import { fill } from '../texts.ts'
import { age, exactSeconds, listing, moment, shell, short } from '../words.ts'
import { evidenceOf, objectsOf } from './texts.ts'

const IMAGE =
  /ImagePullBackOff|ErrImagePull|InvalidImageName|ErrImageNeverPull|ImageInspectError|RegistryUnavailable/
const CONFIG = /CreateContainerConfigError|CreateContainerError|RunContainerError/
/** What the texts of the kubelet say more exactly than a waiting reason does. */
const START_CODES: Code[] = ['MIG3035', 'MIG3030', 'MIG9010', 'MIG3032', 'MIG3034']
const SLOW_MS = 60_000

/** Why a target pod that has its node does not get to run: image, network, volumes, init containers. */
export const targetStart: Check = {
  name: 'start of the target pod',
  when: ({ targetPod, phase }) =>
    !!targetPod?.spec.nodeName && ['Pending', 'Scheduling', 'Scheduled'].includes(phase),
  needs: ['Pod'],
  judge(subject, world) {
    const pod = subject.targetPod!
    if (pod.status?.phase === 'Running') return unready(subject, world, pod)
    if (pod.status?.phase !== 'Pending' && pod.status?.phase !== undefined) return []
    const waiting = waitingOf(pod)
    const said = START_CODES.map((code) =>
      subject.said.filter(({ row }) => row.code === code),
    ).find((some) => some.length > 0)
    const found = said
      ? fromSaid(said, waiting, subject, world, pod)
      : fromStates(waiting, subject, world, pod)
    return found ? [ending(found, subject, world, pod)] : []
  },
}

interface Waiting {
  container: string
  reason: string
  message: string
  init: boolean
}

function waitingOf(pod: Pod): Waiting[] {
  const of = (statuses: ContainerStatus[] | undefined, init: boolean) =>
    (statuses ?? []).flatMap(({ name, state }) =>
      state?.waiting
        ? [
            {
              container: name,
              reason: state.waiting.reason ?? '',
              message: state.waiting.message ?? '',
              init,
            },
          ]
        : [],
    )
  return [
    ...of(pod.status?.initContainerStatuses, true),
    ...of(pod.status?.containerStatuses, false),
  ]
}

/** The kubelet's or the network plugin's own words, and the container that waits. */
function fromSaid(
  said: Said[],
  waiting: Waiting[],
  subject: Subject,
  world: World,
  pod: Pod,
): Finding {
  const { quote } = said.at(-1)!
  // Of the rows that match the last text, the more telling stands first.
  const last = said.find((one) => one.quote === quote)!
  const state = waiting.find(({ reason }) => reason !== 'PodInitializing') ?? waiting[0]
  const disk = state && containerDiskOf(state.container, subject)
  const held = last.row.code === 'MIG3035' ? `; ${holderOf(last, subject, world)}` : ''
  return finding({
    code: last.row.code,
    title: `${fill(last.row.title, last.groups)}${state ? ` (${state.container} is ${state.reason})` : ''}`,
    objects: [`pod/${subject.namespace}/${pod.metadata.name}`, ...objectsOf(subject)],
    evidence: [...evidenceOf(said.slice(-3), 2), ...stateEvidence(waiting, pod, subject)],
    cause: `${fill(last.row.means, last.groups)}. On ${pod.spec.nodeName}${disk ? `; ${disk}` : ''}${held}`,
    remedy: [{ text: fill(last.row.next, last.groups) }],
  })
}

interface VolumeAttachment extends KubeObject {
  spec: { nodeName?: string; source?: { persistentVolumeName?: string } }
  status?: { attached?: boolean }
}

/** Who has the volume: by the attachments of the cluster, else by the event, else the source. */
function holderOf({ groups }: Said, { sourceNode }: Subject, { evidence }: World): string {
  const attached = evidence.objects
    .list<VolumeAttachment>('VolumeAttachment')
    .find(
      ({ spec, status }) => spec.source?.persistentVolumeName === groups.volume && status?.attached,
    )
  if (attached?.spec.nodeName)
    return `VolumeAttachment ${attached.metadata.name} holds it on ${attached.spec.nodeName}`
  const by = groups.pods ? `held by ${groups.pods}` : 'held'
  return sourceNode ? `${by} on ${sourceNode}` : by
}

function fromStates(
  waiting: Waiting[],
  subject: Subject,
  world: World,
  pod: Pod,
): Finding | undefined {
  const node = pod.spec.nodeName ?? ''
  const image = waiting.find(({ reason }) => IMAGE.test(reason))
  const base = {
    objects: [`pod/${subject.namespace}/${pod.metadata.name}`, `node/${node}`],
    evidence: stateEvidence(waiting, pod, subject),
  }
  if (image) {
    const disk = containerDiskOf(image.container, subject)
    return finding({
      ...base,
      code: 'MIG3030',
      title: `The target pod cannot pull an image on ${node}: ${image.container} is ${image.reason}`,
      cause: `${disk ?? short(image.message)}; the source runs because its node has the image cached`,
      remedy: [{ text: 'Make the image available in its registry, or preload it on the nodes' }],
    })
  }
  const config = waiting.find(({ reason }) => CONFIG.test(reason))
  if (config)
    return finding({
      ...base,
      code: 'MIG3031',
      title: `A container of the target pod cannot be made on ${node}: ${config.container} is ${config.reason}`,
      cause: short(config.message) || 'Its configuration refers to something that is missing',
      remedy: [{ text: 'See the message and what it names (ConfigMap, Secret, device)' }],
    })
  const crash = waiting.find(({ reason }) => reason === 'CrashLoopBackOff')
  if (crash)
    return finding({
      ...base,
      code: 'MIG3037',
      title: `A container of the target pod crashes again and again on ${node}: ${crash.container}`,
      cause: short(crash.message),
      remedy: [
        {
          text: 'Read its log',
          command: shell`kubectl -n ${subject.namespace} logs ${pod.metadata.name} -c ${crash.container} --previous`,
        },
      ],
    })

  const warnings = podWarnings(subject, pod)
  const since = timeOf(pod.metadata.creationTimestamp)
  const lasted = since === undefined ? 0 : world.now - since
  const event = warnings.at(-1)
  if (event) return fromEvent(event, waiting, subject, pod)
  const init = waiting.find(({ init }) => init)
  // A healthy pod takes a moment to start; one that follows a failure is looked at at once.
  if (lasted < SLOW_MS && subject.earlier.length === 0 && !init) return undefined
  return stuck(waiting, init, lasted, subject, pod)
}

function stuck(
  waiting: Waiting[],
  init: Waiting | undefined,
  lasted: number,
  subject: Subject,
  pod: Pod,
): Finding {
  const node = pod.spec.nodeName ?? ''
  const failed = subject.earlier.find((m) => m.status?.phase === 'Failed')
  const before = failed
    ? ` An earlier migration, ${failed.metadata.name}, failed; state left over from it on ${node} (network plugin, volumes) is a common reason.`
    : ''
  return finding({
    code: init ? 'MIG3033' : 'MIG3038',
    title: `The target pod does not get ready on ${node}: ${init ? `stuck in Init, ${init.container} is ${init.reason}` : `it is ${listing(waiting.map(({ reason }) => reason)) || 'Pending'}`}`,
    status: lasted >= SLOW_MS || failed || init ? 'fail' : 'warn',
    objects: [`pod/${subject.namespace}/${pod.metadata.name}`, `node/${node}`],
    evidence: stateEvidence(waiting, pod, subject),
    cause: `Why is not in what was read: its events (image, CNI, volumes) would tell.${before} Pending for ${age(lasted)}`,
    confidence: 'possible',
    remedy: [
      {
        text: 'See the events of the pod',
        command: shell`kubectl -n ${subject.namespace} describe pod ${pod.metadata.name}`,
      },
    ],
    weight: -5,
  })
}

function fromEvent(event: Event, waiting: Waiting[], subject: Subject, pod: Pod): Finding {
  const node = pod.spec.nodeName ?? ''
  const reason = event.reason ?? ''
  const code: Code = /Sandbox/.test(reason)
    ? 'MIG3032'
    : /Volume|Mount/.test(reason)
      ? 'MIG3034'
      : /Image|Failed$/.test(reason)
        ? 'MIG3030'
        : 'MIG3033'
  const time = eventTime(event)
  return finding({
    code,
    title: `The target pod does not start on ${node}: ${reason}`,
    objects: [`pod/${subject.namespace}/${pod.metadata.name}`, `node/${node}`],
    evidence: [
      {
        source: `pod/${subject.namespace}/${pod.metadata.name}`,
        field: `event ${reason}`,
        value: short(event.message ?? '', 300),
        ...(time !== undefined && { time }),
      },
      ...stateEvidence(waiting, pod, subject),
    ],
    cause: short(event.message ?? '', 300),
    remedy: [{ text: 'See what the event names on that node' }],
  })
}

/** Running, but KubeVirt does not take it for ready: no time-out covers that. */
function unready(subject: Subject, world: World, pod: Pod): Finding[] {
  const since = timeOf(pod.status?.startTime ?? pod.metadata.creationTimestamp)
  const lasted = since === undefined ? 0 : world.now - since
  const bad = (pod.status?.containerStatuses ?? []).filter(({ name, ready, state }) =>
    name === 'compute' || name === 'istio-proxy'
      ? false
      : ready === false && state?.terminated === undefined,
  )
  if (bad.length === 0 || lasted < SLOW_MS || subject.phase === 'Pending') return []
  return [
    finding({
      code: 'MIG3036',
      title: `The target pod runs, but ${listing(bad.map(({ name }) => name))} is not ready, for ${age(lasted)}`,
      objects: [`pod/${subject.namespace}/${pod.metadata.name}`],
      evidence: bad.map(({ name, state }) => ({
        source: `pod/${subject.namespace}/${pod.metadata.name}`,
        field: `container ${name}`,
        value: short(JSON.stringify(state ?? {})),
      })),
      cause:
        'The migration stays in Scheduling until every container but compute and istio-proxy is ready; no time-out ends this',
      remedy: [
        {
          text: 'See that container’s log; else cancel the migration',
          command: shell`kubectl -n ${subject.namespace} logs ${pod.metadata.name} -c ${bad[0]!.name}`,
        },
      ],
      endsByItself: 'no',
    }),
  ]
}

function podWarnings(subject: Subject, pod: Pod): Event[] {
  return subject.events.filter(
    ({ type, involvedObject, reason }) =>
      type === 'Warning' &&
      involvedObject.kind === 'Pod' &&
      involvedObject.name === pod.metadata.name &&
      !/Unhealthy|FailedScheduling/.test(reason ?? ''),
  )
}

/** Which image a containerDisk container needs: its name is `volume<name>` or `volume<name>-init`. */
function containerDiskOf(container: string, { vmi }: Subject): string | undefined {
  const name = /^volume(.+?)(?:-init)?$/.exec(container)?.[1]
  const volume = (vmi?.spec.volumes ?? []).find((v) => v.name === name) as
    | { containerDisk?: { image?: string } }
    | undefined
  return volume?.containerDisk?.image
    ? `it is the containerDisk ${name}, image ${volume.containerDisk.image}`
    : undefined
}

function stateEvidence(waiting: Waiting[], pod: Pod, { namespace }: Subject): EvidenceItem[] {
  return waiting.slice(0, 2).map(({ container, reason, message }) => ({
    source: `pod/${namespace}/${pod.metadata.name}`,
    field: `container ${container}`,
    value: short(`${reason} ${message}`.trim()),
  }))
}

/** KubeVirt deletes a target pod that is Pending for 900 s, whatever the reason. */
function ending(found: Finding, { migration, phase }: Subject, world: World, pod: Pod): Finding {
  const timeout = pendingTimeout(migration!, pod, world.now)
  if (!timeout.pending) return found
  const limit = exactSeconds(limitsOf(migration!)[timeout.limit] / 1000)
  const end = phase === 'Pending' ? 'makes a new pod' : 'ends the migration'
  return {
    ...found,
    cause: [
      found.cause,
      `The time-out (${limit} after the pod was made, ${moment(timeout.deadline)}) ${end}`,
    ]
      .filter(Boolean)
      .join('. '),
    endsByItself: phase === 'Pending' ? 'no' : 'yes',
    deadline: timeout.deadline,
  }
}
