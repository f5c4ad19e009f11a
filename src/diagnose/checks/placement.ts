import { eventTime } from '../../evidence/latest.ts'
import { conditionOf } from '../../kubevirt/migration.ts'
import type { KubeObject, Node, Pod } from '../../kubevirt/types.ts'
import { limitsOf, pendingTimeout } from '../../rules/pending-timeout.ts'
import { placePod } from '../../rules/placement.ts'
import type { Check } from '../check.ts'
import type { EvidenceItem } from '../finding.ts'
import { type Finding, finding, type Remedy } from '../finding.ts'
import {
  type Objection,
  parseSchedulerMessage,
  type SchedulerMessage,
} from '../scheduler-message.ts'
import type { Subject, World } from '../subject.ts'
import { exactBytes, exactSeconds, listing, moment, plural, short } from '../words.ts'
import { selectorVerdict } from './placement-selector.ts'

export interface Unplaced {
  subject: Subject
  world: World
  /** Undefined when the pod is gone and only its event is left. */
  pod: Pod | undefined
  podName: string
  message: string
  parsed: SchedulerMessage | undefined
  /** All nodes but the source. */
  others: Node[]
}

/** What is decided about an unplaced pod: the code, what to say, and of whose making the constraint is. */
export interface PlacementVerdict {
  code: Finding['code']
  title: string
  cause: string
  remedy: Remedy[]
  objects?: string[]
  evidence?: EvidenceItem[]
}

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
        cause: `${verdict.cause}. ${end}`,
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

function decide(unplaced: Unplaced): PlacementVerdict {
  const { parsed, message, subject } = unplaced
  if (!parsed)
    return {
      code: 'MIG3026',
      title: `The target pod of ${subject.name} is not scheduled: ${short(message, 160)}`,
      cause: 'The scheduler’s message names the reason',
      remedy: [{ text: 'See the message' }],
    }
  const by = (kind: Objection['kind']) =>
    parsed.objections.filter((objection) => objection.kind === kind)
  const volume = by('volume-affinity')
  if (volume.length > 0) return tiedVolume(unplaced, volume)
  if (by('volume-claim').length > 0) return claim(unplaced, by('volume-claim')[0]!)
  const selected =
    by('selector').length > 0 ||
    (unplaced.pod?.spec.nodeSelector &&
      parsed.objections.every(({ kind }) => kind === 'source' || kind === 'other'))
  const verdict = selected ? selectorVerdict(unplaced, describeNodes(unplaced)) : undefined
  if (verdict) return verdict
  const rest = parsed.objections.filter(({ kind }) => kind !== 'source')
  return byKind(unplaced, rest)
}

/** The constraint that removes most nodes names the code; all are told. */
function byKind(unplaced: Unplaced, objections: Objection[]): PlacementVerdict {
  const { subject, others, world, parsed } = unplaced
  const [most] = [...objections].sort((a, b) => b.nodes - a.nodes)
  const nodes = describeNodes(unplaced)
  const where = nodes || objections.map(({ nodes: n, text }) => `${n} ${text}`).join('; ')
  const target = `The target pod of ${subject.name} cannot be scheduled`
  const usable = others.filter(
    (node) =>
      !node.spec.unschedulable &&
      !(node.spec.taints ?? []).some(({ effect }) => effect !== 'PreferNoSchedule'),
  )
  const schedulable =
    world.nodes.length > 0 && usable.length === 0
      ? ': no other schedulable node, at least two are needed'
      : ''
  const source = subject.sourceNode
    ? `${subject.sourceNode} is excluded as the source (the target must run elsewhere)`
    : 'the source node is excluded'
  const cause = [where, source].filter(Boolean).join('; ')
  // The rule against the source pod excludes one node; what excludes more is the VM's own.
  const kept = parsed?.objections.filter(({ kind }) => kind === 'source') ?? []
  if (objections.length === 0 && kept.reduce((sum, { nodes: n }) => sum + n, 0) > 1)
    return ownRules(unplaced, kept, cause)
  switch (most?.kind) {
    case 'taint':
      return {
        code: 'MIG3012',
        title: `${target}: ${taintsOf(unplaced, most)} not tolerated${schedulable}`,
        cause,
        remedy: [
          { text: 'Add a toleration to the VM, remove the taint, or add a node that VMs may use' },
        ],
      }
    case 'cordon':
      return {
        code: 'MIG3013',
        title: `${target}: ${cordoned(unplaced)} cordoned (unschedulable)${schedulable}`,
        cause,
        remedy: [
          {
            text: 'Uncordon a node',
            command: `kubectl uncordon ${others.find((node) => node.spec.unschedulable)?.metadata.name ?? 'NODE'}`,
          },
        ],
      }
    case 'resource':
      return resource(
        unplaced,
        objections.filter(({ kind }) => kind === 'resource'),
        where,
        source,
      )
    case 'pods':
      return {
        code: 'MIG3010',
        title: `${target}: the other nodes hold as many pods as they may`,
        cause,
        remedy: [{ text: 'Free pods, or add a node' }],
      }
    case 'spread':
    case 'pod-affinity':
      return {
        code: 'MIG3024',
        title: `${target}: ${short(most.text, 120)}`,
        cause: `${cause}. The rules are the VM’s own (affinity, topologySpreadConstraints)`,
        remedy: [
          {
            text: 'Loosen the VM’s affinity or spread constraints, or add a node that satisfies them',
          },
        ],
      }
    default:
      break
  }
  const onlyNode = world.nodes.length > 0 && others.length === 0
  return {
    code: onlyNode || objections.length === 0 ? 'MIG3020' : 'MIG3026',
    title: `${target}${onlyNode ? ': there is no second node' : objections.length === 0 ? ': no node besides the source is left' : `: ${short(most?.text ?? '', 120)}`}`,
    cause,
    remedy: [{ text: 'A migration needs at least two schedulable nodes that can take the VM' }],
  }
}

function ownRules(
  { subject, parsed }: Unplaced,
  kept: Objection[],
  cause: string,
): PlacementVerdict {
  return {
    code: 'MIG3024',
    title: `The target pod of ${subject.name} cannot be scheduled: anti-affinity rules exclude all ${parsed?.total ?? ''} nodes (${short(kept[0]?.text ?? '', 80)})`,
    cause: `${cause}; the other nodes hold pods that the VM’s own anti-affinity, or theirs, keeps apart`,
    remedy: [{ text: 'Make the anti-affinity of the VM a preference, or add a node for the move' }],
  }
}

function resource(
  unplaced: Unplaced,
  objections: Objection[],
  where: string,
  source: string,
): PlacementVerdict {
  const { subject } = unplaced
  const names = objections.map(({ detail }) => detail ?? '')
  const device = names.every((name) => name.includes('/'))
  return {
    code: device ? 'MIG3023' : 'MIG3010',
    title: `The target pod of ${subject.name} cannot be scheduled: Insufficient ${listing(names)} on ${plural(Math.max(...objections.map(({ nodes }) => nodes)), 'node')}`,
    cause: `${where}; ${source}`,
    remedy: [
      device
        ? {
            text: `See whether the device plugin of ${listing(names)} runs on the other nodes and has devices free`,
          }
        : {
            text: 'Free capacity on another node (move or stop VMs) or add a node; the target asks for as much as the VM, its overhead included',
          },
    ],
  }
}

function tiedVolume(unplaced: Unplaced, objections: Objection[]): PlacementVerdict {
  const { subject, world } = unplaced
  const volumes = world.evidence.objects.list<
    KubeObject & {
      spec: {
        nodeAffinity?: {
          required?: {
            nodeSelectorTerms?: { matchExpressions?: { key: string; values?: string[] }[] }[]
          }
        }
        csi?: { driver?: string }
      }
    }
  >('PersistentVolume')
  const claims = world.evidence.objects.list<
    KubeObject & { spec: { volumeName?: string; accessModes?: string[] } }
  >('PersistentVolumeClaim')
  const used = new Set(
    (subject.vmi?.spec.volumes ?? []).map(
      (v) => v.persistentVolumeClaim?.claimName ?? v.dataVolume?.name,
    ),
  )
  const tied = claims
    .filter(({ metadata }) => metadata.namespace === subject.namespace)
    .filter(
      ({ metadata }) => used.has(metadata.name) || [...used].every((name) => name === undefined),
    )
    .flatMap((pvc) => {
      const pv = volumes.find(({ metadata }) => metadata.name === pvc.spec.volumeName)
      const nodes = (pv?.spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap(
        ({ matchExpressions = [] }) => matchExpressions.flatMap(({ values = [] }) => values),
      )
      return pv && nodes.length > 0 ? [{ pvc, pv, nodes }] : []
    })
  const count = objections.reduce((sum, { nodes }) => sum + nodes, 0)
  const [first] = tied
  const which = first
    ? `PV ${first.pv.metadata.name} of PVC ${first.pvc.metadata.name} is pinned to ${listing(first.nodes)}${first.pv.spec.csi?.driver ? ` (${first.pv.spec.csi.driver})` : ''}`
    : 'a volume of the VM is tied to some nodes'
  const modes = first?.pvc.spec.accessModes ?? []
  return {
    code: 'MIG3021',
    title: `The target pod of ${subject.name} cannot be scheduled: ${which}; volume node affinity conflict on ${plural(count, 'other node')}`,
    cause: `${modes.includes('ReadWriteMany') ? 'The claim says ReadWriteMany, but the storage is not shared: ' : ''}its node affinity allows ${listing(first?.nodes ?? ['only some nodes'])}${subject.sourceNode ? `, and the target must not run on ${subject.sourceNode}` : ''}`,
    objects: first
      ? [`pvc/${subject.namespace}/${first.pvc.metadata.name}`, `pv/${first.pv.metadata.name}`]
      : [],
    remedy: [
      { text: 'Use shared storage for this disk, or move it with a volume migration to a new PVC' },
    ],
  }
}

function claim({ subject }: Unplaced, { text, detail }: Objection): PlacementVerdict {
  return {
    code: 'MIG3025',
    title: `The target pod of ${subject.name} waits for a claim: ${short(text, 140)}`,
    cause: detail
      ? `PVC ${detail} is missing, unbound or being deleted`
      : 'A PVC of the pod is not bound',
    objects: detail ? [`pvc/${subject.namespace}/${detail}`] : [],
    remedy: [
      {
        text: 'See the claim',
        command: `kubectl -n ${subject.namespace} describe pvc ${detail ?? ''}`.trim(),
      },
    ],
  }
}

/** `node-2: Insufficient memory (asks …, free …)` for each node but the source, by the scheduler's own rules. */
export function describeNodes({ pod, world, others, subject }: Unplaced): string {
  if (others.length === 0) return ''
  const asked = pod ?? standIn(subject)
  if (!asked)
    return listing(
      others.flatMap((node) =>
        node.spec.unschedulable ? [`${node.metadata.name}: cordoned`] : [],
      ),
      6,
    ).replace(/^none$/, '')
  const { rejections } = placePod(asked, { nodes: others, pods: world.pods })
  const said = rejections.map(({ node, obstacles }) => {
    const words = obstacles.map((obstacle) => {
      switch (obstacle.kind) {
        case 'unschedulable':
          return 'cordoned'
        case 'taint':
          return `taint ${obstacle.taint.key}${obstacle.taint.value ? `=${obstacle.taint.value}` : ''}:${obstacle.taint.effect}`
        case 'node-affinity':
          return `lacks ${listing(
            Object.entries(obstacle.missing).map(([key, value]) => `${key}=${value}`),
            3,
          )}`
        case 'resource':
          return `Insufficient ${obstacle.resource} (asks ${worded(obstacle.requested, obstacle.resource)}, ${worded(Math.max(0, obstacle.allocatable - obstacle.used), obstacle.resource)} of ${worded(obstacle.allocatable, obstacle.resource)} free)`
        case 'pods':
          return `${obstacle.used} of ${obstacle.allocatable} pods`
        default:
          return obstacle.kind
      }
    })
    return { node, words: words.join(', ') }
  })
  return [...Map.groupBy(said, ({ words }) => words)]
    .slice(0, 4)
    .map(([words, nodes]) => `${listing(nodes.map(({ node }) => node))}: ${words}`)
    .join('; ')
}

function worded(amount: number, resource: string): string {
  if (/memory|storage|hugepages/.test(resource)) return exactBytes(amount)
  return resource === 'cpu' ? `${amount}m` : String(amount)
}

/** When the target pod is gone, its twin: the source pod without its place. */
function standIn({ sourcePod }: Subject): Pod | undefined {
  if (!sourcePod) return undefined
  const { nodeName: _, ...spec } = sourcePod.spec
  return {
    ...sourcePod,
    metadata: { ...sourcePod.metadata, name: `${sourcePod.metadata.name}-target` },
    spec: spec as Pod['spec'],
  }
}

function taintsOf({ others }: Unplaced, { detail }: Objection): string {
  const keys = new Set(
    others.flatMap((node) =>
      (node.spec.taints ?? [])
        .filter(({ effect }) => effect !== 'PreferNoSchedule')
        .map(({ key, value }) => `${key}${value ? `=${value}` : ''}`),
    ),
  )
  const nodes = others
    .filter((node) => (node.spec.taints ?? []).length > 0)
    .map(({ metadata }) => metadata.name)
  const which =
    keys.size > 0
      ? `taint ${listing([...keys])} of ${listing(nodes)}`
      : detail
        ? `taint ${detail}`
        : 'the taints of the other nodes are'
  return `${which}${/ are$/.test(which) ? '' : ' is'}`
}

function cordoned({ others }: Unplaced): string {
  const nodes = others
    .filter((node) => node.spec.unschedulable)
    .map(({ metadata }) => metadata.name)
  return nodes.length > 0
    ? `${listing(nodes)} ${nodes.length === 1 ? 'is' : 'are'}`
    : 'every other node is'
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
