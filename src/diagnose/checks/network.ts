import type { KubeObject, Pod } from '../../kubevirt/types.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { listing } from '../words.ts'

const STATUS = 'k8s.v1.cni.cncf.io/network-status'

/** Whether every virt-handler has an address on the migration network; without one it silently uses its pod address. */
export const migrationNetwork: Check = {
  name: 'migration network',
  when: ({ kind, phase }) =>
    kind === 'migration' && !['', 'Pending', 'Scheduling', 'Succeeded'].includes(phase),
  needs: ['KubeVirt', 'Pod'],
  judge(subject, world) {
    const network = world.kubevirt?.spec.configuration?.migrations?.network
    if (!network) return []
    const bare = [...world.handlers].filter(
      ([, pod]) =>
        pod.status?.phase === 'Running' &&
        pod.metadata.annotations?.[STATUS] !== undefined &&
        !addressOf(pod),
    )
    const involved = bare.filter(
      ([node]) => node === subject.sourceNode || node === subject.targetNode,
    )
    const listened =
      subject.events
        .flatMap(
          ({ message }) =>
            /Migration Target is listening at (\S+?),/.exec(message ?? '')?.[1] ?? [],
        )
        .at(-1) ?? subject.state?.targetNodeAddress
    const [first] = involved
    if (!first) return wrongAddress(subject, world, network, listened)
    const [node, pod] = first
    const range = rangeOf(network, world)
    return [
      finding({
        code: 'MIG7003',
        title: `virt-handler on ${node} has no migration0 address: it falls back to its pod IP${pod.status?.podIP ? ` ${pod.status.podIP}` : ''}, outside the migration network ${network}`,
        objects: [
          `pod/${pod.metadata.namespace ?? ''}/${pod.metadata.name}`,
          `node/${node}`,
          subject.ref,
        ],
        evidence: [
          {
            source: `pod/${pod.metadata.namespace ?? ''}/${pod.metadata.name}`,
            field: STATUS,
            value: 'no interface migration0',
          },
          ...(listened
            ? [
                {
                  source: `vmi/${subject.namespace}/${subject.name}`,
                  field: 'event PreparingTarget',
                  value: `Migration Target is listening at ${listened}`,
                },
              ]
            : []),
        ],
        cause: `${range ? `${range.text}. ` : ''}Nodes with an address cannot reach one without: migrations between them fail, others work`,
        confidence: 'likely',
        remedy: [
          {
            text: `See the NetworkAttachmentDefinition ${network} and its address range${range?.full ? ', which is exhausted: enlarge it to one address for each virt-handler' : ''}; then restart virt-handler on ${node}`,
          },
        ],
        endsByItself: 'no',
      }),
    ]
  },
}

/** It listens on its pod's address although a network is set: the rollout is not done, or it started before. */
function wrongAddress(
  subject: Subject,
  world: World,
  network: string,
  listened: string | undefined,
): Finding[] {
  const target =
    subject.targetNode === undefined ? undefined : world.handlers.get(subject.targetNode)
  if (!target || !listened || target.status?.podIP !== listened) return []
  if (addressOf(target) === listened) return []
  return [
    finding({
      code: 'MIG7003',
      title: `The target on ${subject.targetNode} listens at its pod IP ${listened}, not on the migration network ${network}`,
      objects: [`pod/${target.metadata.namespace ?? ''}/${target.metadata.name}`, subject.ref],
      evidence: [
        {
          source: `vmi/${subject.namespace}/${subject.name}`,
          field: 'targetNodeAddress',
          value: listened,
        },
      ],
      cause:
        'virt-handler picks its address once, when it starts: the network was not attached then',
      confidence: 'likely',
      remedy: [
        {
          text: `See whether the DaemonSet virt-handler carries the network ${network} and is rolled out; restart virt-handler there`,
        },
      ],
    }),
  ]
}

/** The address of interface migration0, from Multus' status annotation. */
function addressOf(pod: Pod): string | undefined {
  try {
    const networks = JSON.parse(pod.metadata.annotations?.[STATUS] ?? '[]')
    if (!Array.isArray(networks)) return undefined
    const found = networks.find((n) => n?.interface === 'migration0')
    return Array.isArray(found?.ips) ? found.ips[0] : undefined
  } catch {
    return undefined
  }
}

function rangeOf(network: string, world: World): { text: string; full: boolean } | undefined {
  const nad = world.evidence.objects
    .list<KubeObject & { spec?: { config?: string } }>('NetworkAttachmentDefinition')
    .find(({ metadata }) => metadata.name === network)
  const range = /"range"\s*:\s*"([^"]+)"/.exec(nad?.spec?.config ?? '')?.[1]
  const bits = Number(/\/(\d+)$/.exec(range ?? '')?.[1])
  if (!range || !Number.isFinite(bits) || bits > 32 || range.includes(':')) return undefined
  const hosts = Math.max(0, 2 ** (32 - bits) - 2)
  const full = hosts < world.handlers.size
  return {
    full,
    text: full
      ? `Its range ${range} has ${hosts} allocatable addresses for ${world.handlers.size} virt-handlers: it is exhausted`
      : `Its range is ${range}`,
  }
}

/** The migration network's definition must be in KubeVirt's own namespace. */
export const networkDefined: Check = {
  name: 'definition of the migration network',
  when: ({ troubled, kind }, { kubevirt }) =>
    troubled && kind === 'migration' && !!kubevirt?.spec.configuration?.migrations?.network,
  needs: ['KubeVirt', 'NetworkAttachmentDefinition'],
  judge(subject, world) {
    const network = world.kubevirt?.spec.configuration?.migrations?.network
    if (!network) return []
    const namespace = world.kubevirt?.metadata.namespace ?? ''
    const all = world.evidence.objects
      .list<KubeObject>('NetworkAttachmentDefinition')
      .filter(({ metadata }) => metadata.name === network)
    if (all.some(({ metadata }) => metadata.namespace === namespace)) return []
    return [
      finding({
        code: 'MIG7006',
        title: `The migration network ${network} is not defined in namespace ${namespace}`,
        objects: [`kubevirt/${namespace}/${world.kubevirt?.metadata.name ?? ''}`, subject.ref],
        evidence: [
          { source: 'kubevirt', field: 'spec.configuration.migrations.network', value: network },
        ],
        cause:
          all.length > 0
            ? `It exists in ${listing(all.map(({ metadata }) => metadata.namespace ?? ''))}, where virt-handler does not look`
            : 'No NetworkAttachmentDefinition of that name is in what was read',
        confidence: all.length > 0 ? 'certain' : 'possible',
        remedy: [{ text: `Create it in ${namespace}, or correct the setting` }],
      }),
    ]
  },
}
