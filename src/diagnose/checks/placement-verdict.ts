import type { KubeObject } from '../../kubevirt/types.ts'
import type { Objection } from '../scheduler-message.ts'
import { listing, plural, shell, short } from '../words.ts'
import { claimVerdict } from './placement-claims.ts'
import { cordoned, describeNodes, taintsOf } from './placement-nodes.ts'
import { selectorVerdict } from './placement-selector.ts'
import type { PlacementVerdict, Unplaced } from './unplaced.ts'

export function decide(unplaced: Unplaced): PlacementVerdict {
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
  if (by('volume-claim').length > 0) return claimVerdict(unplaced, by('volume-claim')[0]!)
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
          {
            text: /node\.kubernetes\.io\/(?:not-ready|unreachable|\w+-pressure)/.test(most.text)
              ? 'Restore the nodes: the taint is Kubernetes’ own and goes with its reason'
              : 'Add a toleration to the VM, remove the taint, or add a node that VMs may use',
          },
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
            command: shell`kubectl uncordon ${others.find((node) => node.spec.unschedulable)?.metadata.name ?? 'NODE'}`,
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
