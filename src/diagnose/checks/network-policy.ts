import type { KubeObject, Pod } from '../../kubevirt/types.ts'
import { selects } from '../../rules/label-selector.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { listing, shell } from '../words.ts'

type Selector = Parameters<typeof selects>[0]

interface Peer {
  podSelector?: Selector
  namespaceSelector?: Selector
  ipBlock?: unknown
}
interface Rule {
  from?: Peer[]
  to?: Peer[]
  ports?: { protocol?: string; port?: number | string; endPort?: number }[]
}
interface NetworkPolicy extends KubeObject {
  spec: { podSelector?: Selector; policyTypes?: string[]; ingress?: Rule[]; egress?: Rule[] }
}
type Direction = 'Ingress' | 'Egress'

/** From where to where Linux takes the ports that nobody asked for; the proxy listens on such ones. */
const EPHEMERAL = { from: 32_768, to: 60_999 }
/** What a blocked port looks like in the logs; with it the policy is what explains it. */
const BLOCKED = new Set(['MIG7001', 'MIG7002', 'MIG7008', 'MIG5002'])

/**
 * NetworkPolicies of KubeVirt's namespace that keep one virt-handler from the ports of another (data-plane.md §2.12). A
 * migration network of its own is not subject to them, and where the copy moves they evidently let it pass.
 */
export const networkPolicy: Check = {
  name: 'NetworkPolicies around virt-handler',
  when: ({ kind, troubled, phase, said }, { kubevirt }) =>
    kind === 'migration' &&
    troubled &&
    ['TargetReady', 'Running', 'Failed'].includes(phase) &&
    !kubevirt?.spec.configuration?.migrations?.network &&
    (phase !== 'Failed' || said.some(({ row }) => BLOCKED.has(row.code))) &&
    !said.some(({ row }) => row.code === 'MIG8000'),
  needs: ['NetworkPolicy', 'Pod'],
  judge(subject, world) {
    const [from, to] = [subject.sourceNode, subject.targetNode].map((node) =>
      node === undefined ? undefined : world.handlers.get(node),
    )
    if (!from || !to) return []
    const blocked = [
      ...blocking('Ingress', to, from, world).map((policy) => ({ policy, pod: to })),
      ...blocking('Egress', from, to, world).map((policy) => ({ policy, pod: from })),
    ]
    const [first] = blocked
    if (!first) return []
    const seen = subject.said.some(({ row }) => BLOCKED.has(row.code))
    const names = listing(blocked.map(({ policy }) => policy.metadata.name))
    const namespace = first.policy.metadata.namespace ?? ''
    const ports = `${EPHEMERAL.from}–${EPHEMERAL.to}`
    return [
      finding({
        code: 'MIG7009',
        title: `NetworkPolicy ${names} in ${namespace} lets no virt-handler reach the migration ports of another`,
        status: seen ? 'fail' : 'warn',
        objects: [
          ...blocked.map(({ policy }) => `networkpolicy/${namespace}/${policy.metadata.name}`),
          subject.ref,
        ],
        evidence: blocked.slice(0, 3).map(({ policy, pod }) => ({
          source: `networkpolicy/${namespace}/${policy.metadata.name}`,
          field: 'spec',
          value: `selects pod ${pod.metadata.name}; no rule admits ${otherOf(subject, pod)} on TCP ${ports}`,
        })),
        cause: `The copy goes from virt-handler to virt-handler over the pod network, on random ports (${ports}); packets that no policy admits are dropped, and the source hears nothing for about two minutes. It holds where the network plugin enforces NetworkPolicies`,
        confidence: seen ? 'likely' : 'possible',
        remedy: [
          {
            text: 'Admit virt-handler to virt-handler on all ports, both ways, as KubeVirt’s own policy kubevirt-allow-handler-to-handler does',
            command: shell`kubectl -n ${namespace} get networkpolicy -o yaml`,
          },
        ],
        endsByItself: 'no',
        // It explains the dropped packets that other findings tell.
        ...(seen && { weight: 45 }),
      }),
    ]
  },
}

function otherOf({ sourceNode, targetNode }: Subject, pod: Pod): string {
  return `virt-handler of ${pod.spec.nodeName === targetNode ? sourceNode : targetNode}`
}

/** The policies that isolate a pod in a direction, if none of them admits the peer; else nothing. */
function blocking(direction: Direction, pod: Pod, peer: Pod, world: World): NetworkPolicy[] {
  const isolating = world.evidence.objects
    .list<NetworkPolicy>('NetworkPolicy')
    .filter(
      ({ metadata, spec }) =>
        metadata.namespace === pod.metadata.namespace &&
        selects(spec.podSelector ?? {}, pod.metadata.labels ?? {}) &&
        typesOf(spec).includes(direction),
    )
  const admitted = isolating.some(({ spec }) =>
    rulesOf(spec, direction).some((rule) => admits(rule, direction, peer)),
  )
  return admitted ? [] : isolating
}

function typesOf(spec: NetworkPolicy['spec']): string[] {
  return Array.isArray(spec.policyTypes)
    ? spec.policyTypes
    : ['Ingress', ...(Array.isArray(spec.egress) ? ['Egress'] : [])]
}

function rulesOf(spec: NetworkPolicy['spec'], direction: Direction): Rule[] {
  const rules = direction === 'Ingress' ? spec.ingress : spec.egress
  return Array.isArray(rules) ? rules : []
}

function admits(rule: Rule, direction: Direction, peer: Pod): boolean {
  const peers = direction === 'Ingress' ? rule.from : rule.to
  const reached =
    !Array.isArray(peers) ||
    peers.length === 0 ||
    peers.some(
      ({ ipBlock, namespaceSelector, podSelector }) =>
        // Addresses and labels of namespaces are not looked up: what may admit it is not accused.
        ipBlock !== undefined ||
        ((namespaceSelector !== undefined || podSelector !== undefined) &&
          selects(podSelector ?? {}, peer.metadata.labels ?? {})),
    )
  return reached && coversPorts(rule)
}

/** Whether it admits all of the ports that a listener may get. */
function coversPorts({ ports }: Rule): boolean {
  if (!Array.isArray(ports) || ports.length === 0) return true
  return ports.some(
    ({ protocol = 'TCP', port, endPort }) =>
      protocol === 'TCP' &&
      (port === undefined ||
        (Number(port) <= EPHEMERAL.from && Number(endPort ?? port) >= EPHEMERAL.to)),
  )
}
