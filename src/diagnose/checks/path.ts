import type { InterfaceAddresses } from '../../probe/addresses.ts'
import { gapOf, probeOf } from '../channels.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { listing, shell } from '../words.ts'

const MIGRATION_INTERFACE = 'migration0'

/**
 * The address that the target has published, as both virt-handlers see it: whether it is still the target's, on which
 * interface, and how the source reaches it (fact sheet data-plane.md §5).
 */
export const path: Check = {
  name: 'the way from source to target',
  when: (subject, world) =>
    subject.state?.targetNodeAddress !== undefined && probeOf(subject, world)?.target !== undefined,
  needs: [],
  unread: (subject, world) => gapOf(probeOf(subject, world)?.target?.addresses),
  judge(subject, world) {
    const target = probeOf(subject, world)?.target
    if (target?.addresses.state !== 'read') return []
    const address = subject.state?.targetNodeAddress ?? ''
    const own = target.addresses.value
    const holder = own.find(({ addresses }) => addresses.includes(address))
    const network = world.kubevirt?.spec.configuration?.migrations?.network
    if (!holder) return [foreignAddress(address, own, subject, world)]
    return [
      ...(isDown(holder) ? [linkDown(holder, target, subject)] : []),
      ...(network !== undefined && holder.name !== MIGRATION_INTERFACE
        ? [notOnNetwork(network, holder, own, subject, world)]
        : []),
      ...routed(holder, subject, world),
    ]
  },
}

function foreignAddress(
  address: string,
  own: InterfaceAddresses[],
  subject: Subject,
  world: World,
): Finding {
  const target = probeOf(subject, world)!.target!
  return finding({
    code: 'MIG5006',
    title: `The published address ${address} is none of virt-handler's on the target ${target.node}`,
    objects: [target.pod, subject.ref],
    evidence: [{ source: target.pod, field: 'ip -br addr show', value: addressesText(own) }],
    cause:
      'virt-handler was started again and has another address now: the source dials one that nobody answers at, or somebody else',
    remedy: [{ text: 'Cancel and migrate again' }],
    endsByItself: 'unknown',
    weight: 10,
  })
}

function notOnNetwork(
  network: string,
  holder: InterfaceAddresses,
  own: InterfaceAddresses[],
  subject: Subject,
  world: World,
): Finding {
  const target = probeOf(subject, world)!.target!
  const has = own.find(({ name }) => name === MIGRATION_INTERFACE)
  return finding({
    code: 'MIG7003',
    title: `The target ${target.node} listens at ${subject.state?.targetNodeAddress} on ${holder.name}, not on the migration network ${network}${has ? '' : `: virt-handler has no ${MIGRATION_INTERFACE}`}`,
    objects: [target.pod, subject.ref, `node/${target.node}`],
    evidence: [{ source: target.pod, field: 'ip -br addr show', value: addressesText(own) }],
    cause: has
      ? 'virt-handler picks its address once, when it starts: the network was not attached then'
      : 'Without the interface virt-handler silently falls back to its pod address; nodes on the migration network may not reach that',
    remedy: [
      {
        text: `See that the DaemonSet virt-handler carries the network ${network}, that Multus attaches it on ${target.node} and that its range has an address left; then restart virt-handler there`,
        command: shell`kubectl -n ${target.pod.split('/')[1]} get pod ${target.pod.split('/')[2]} -o yaml`,
      },
    ],
    endsByItself: 'no',
  })
}

/** As `ip` says it: DOWN, or LOWERLAYERDOWN where the other end is. UNKNOWN is loopback's and tunnels' usual state. */
function isDown({ state }: InterfaceAddresses): boolean {
  return state.endsWith('DOWN')
}

function linkDown(
  { name, state }: InterfaceAddresses,
  { node, pod }: { node: string; pod: string },
  subject: Subject,
): Finding {
  return finding({
    code: 'MIG7012',
    title: `The link of ${name} on ${node} is down (${state})`,
    objects: [pod, subject.ref, `node/${node}`],
    evidence: [{ source: pod, field: 'ip -br addr show', value: `${name} ${state}` }],
    cause: 'The migration goes by this interface: until it is up again nothing arrives',
    remedy: [{ text: `See the interface, its cable, bridge or VLAN below ${name} on ${node}` }],
    endsByItself: 'unknown',
    weight: 8,
  })
}

/** How the source reaches the target's address. */
function routed(holder: InterfaceAddresses, subject: Subject, world: World): Finding[] {
  const source = probeOf(subject, world)?.source
  if (source?.route?.state !== 'read') return []
  const { value: route } = source.route
  const address = subject.state?.targetNodeAddress ?? ''
  const field = `ip route get ${address}`
  const objects = [source.pod, subject.ref, `node/${source.node}`]
  if (route === 'none')
    return [
      finding({
        code: 'MIG7002',
        title: `The source ${source.node} has no route to ${address}`,
        objects,
        evidence: [{ source: source.pod, field, value: 'unreachable' }],
        cause: 'Every connection fails at once: no route to host, or network is unreachable',
        remedy: [
          {
            text: `See the addresses of ${MIGRATION_INTERFACE} on both nodes: they must be of one network, or routed`,
          },
        ],
        endsByItself: 'no',
        weight: 8,
      }),
    ]
  const own = source.addresses.state === 'read' ? source.addresses.value : []
  const device = own.find(({ name }) => name === route.device)
  const down = device && isDown(device) ? [linkDown(device, source, subject)] : []
  if (holder.name !== MIGRATION_INTERFACE || route.device === MIGRATION_INTERFACE) return down
  const has = own.some(({ name }) => name === MIGRATION_INTERFACE)
  return [
    ...down,
    finding({
      code: has || own.length === 0 ? 'MIG7010' : 'MIG7003',
      title: `The source ${source.node} reaches ${address} by ${route.device}${route.via ? ` and gateway ${route.via}` : ''}, not by the migration network${has || own.length === 0 ? '' : `: virt-handler there has no ${MIGRATION_INTERFACE}`}`,
      status: has ? 'warn' : 'fail',
      objects,
      evidence: [
        { source: source.pod, field, value: `dev ${route.device} src ${route.source ?? '?'}` },
        ...(own.length > 0
          ? [{ source: source.pod, field: 'ip -br addr show', value: addressesText(own) }]
          : []),
      ],
      cause:
        'The target listens on the migration network, and the source leaves by its pod network: it arrives only where the two are routed',
      confidence: 'likely',
      remedy: [
        {
          text: has
            ? `Give ${MIGRATION_INTERFACE} addresses of one range on all nodes`
            : `See why Multus does not attach the migration network on ${source.node}; then restart virt-handler there`,
        },
      ],
      endsByItself: 'no',
    }),
  ]
}

function addressesText(own: readonly InterfaceAddresses[]): string {
  return listing(
    own
      .filter(({ name }) => name !== 'lo')
      .map(({ name, state, addresses }) => `${name} ${state} ${addresses.join(' ')}`.trim()),
    6,
  )
}
