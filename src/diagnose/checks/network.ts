import { X509Certificate } from 'node:crypto'
import type { KubeObject, Pod } from '../../kubevirt/types.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { listing, moment } from '../words.ts'

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
        title: `virt-handler on ${node} has no migration0 address: it falls back to its pod IP ${pod.status?.podIP ?? ''}, outside the migration network ${network}`,
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

/** Certificates of the proxies whose time is over, as far as their public part was read. */
export const certificates: Check = {
  name: 'certificates of the migration proxy',
  when: ({ troubled, phase }) => troubled && !['', 'Pending', 'Scheduling'].includes(phase),
  needs: ['Secret'],
  judge(subject, world) {
    const secrets = world.evidence.objects.list<KubeObject & { data?: Record<string, string> }>(
      'Secret',
    )
    return secrets
      .filter(({ metadata }) => /virt-handler/.test(metadata.name))
      .flatMap((secret) => {
        const certificate = parse(secret.data?.['tls.crt'])
        if (!certificate) return []
        const from = Date.parse(certificate.validFrom)
        const to = Date.parse(certificate.validTo)
        if (world.now >= from && world.now <= to) return []
        return [
          finding({
            code: 'MIG6003',
            title: `The certificate in Secret ${secret.metadata.name} ${world.now > to ? 'has expired' : 'is not yet valid'}`,
            objects: [
              `secret/${secret.metadata.namespace ?? ''}/${secret.metadata.name}`,
              subject.ref,
            ],
            evidence: [
              {
                source: `secret/${secret.metadata.namespace ?? ''}/${secret.metadata.name}`,
                field: 'tls.crt',
                value: `valid from ${moment(from)} to ${moment(to)}`,
              },
            ],
            cause: 'virt-operator renews these certificates; it has not, or a clock is wrong',
            remedy: [
              {
                text: 'See virt-operator and its log; deleting the Secret makes it issue a new one',
              },
            ],
          }),
        ]
      })
  },
}

function parse(text: string | undefined): X509Certificate | undefined {
  if (!text) return undefined
  try {
    return new X509Certificate(text.includes('BEGIN') ? text : Buffer.from(text, 'base64'))
  } catch {
    return undefined
  }
}

/** One side with TLS, the other without: the setting, and that it may have changed. */
export const tlsMismatch: Check = {
  name: 'TLS on both sides',
  when: ({ said, troubled }) =>
    troubled && said.some(({ row }) => row.code === 'MIG6001' && row.worth === 'cause'),
  needs: [],
  judge(subject, world) {
    const said = subject.said.filter(({ row }) => row.code === 'MIG6001')
    const setting = world.kubevirt?.spec.configuration?.migrations?.disableTLS
    return [
      finding({
        code: 'MIG6001',
        title:
          'TLS mismatch: one virt-handler speaks TLS, the other answers without (first record does not look like a TLS handshake)',
        objects: [subject.ref],
        evidence: [
          ...said.slice(0, 2).map(({ source, quote, time }) => ({
            source,
            value: quote,
            ...(time !== undefined && { time }),
          })),
          ...(world.kubevirt
            ? [
                {
                  source: 'kubevirt',
                  field: 'spec.configuration.migrations.disableTLS',
                  value: String(setting ?? 'unset (TLS is on)'),
                },
              ]
            : []),
        ],
        cause:
          'Each virt-handler reads disableTLS when it opens its proxy: the two saw different values, because it was changed shortly before, or one of them has a stale configuration',
        confidence: 'likely',
        remedy: [
          { text: 'Migrate again (retry) once both virt-handlers have the same configuration' },
          ...(setting
            ? [
                {
                  text: 'Consider switching TLS on again: disableTLS also removes the check of who the peer is',
                },
              ]
            : []),
        ],
        endsByItself: 'yes',
      }),
    ]
  },
}
