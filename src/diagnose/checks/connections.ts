import { type ConnectionFacts, channelsOf, isDue, probeOf, whyUnseen } from '../channels.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import type { Flow } from '../flow.ts'
import type { Subject, World } from '../subject.ts'
import { exactBytes, exactSeconds, listing, plural, shell } from '../words.ts'

interface Connected {
  label: number
  purpose: string
  port: number
  connection: ConnectionFacts
}

/** Connections of the source that nobody answers, and such on which nothing moves though something waits. */
export const connections: Check = {
  name: 'connections between the virt-handlers',
  when: (subject, world) => {
    const probe = probeOf(subject, world)
    return isDue(probe?.source?.connections, probe)
  },
  needs: [],
  unread: (subject, world) => {
    const probe = probeOf(subject, world)
    return whyUnseen(probe?.source?.connections, probe)
  },
  judge(subject, world) {
    const channels = channelsOf(subject, world).flatMap(
      ({ label, purpose, port, connection }): Connected[] =>
        port !== undefined && typeof connection === 'object'
          ? [{ label, purpose, port, connection }]
          : [],
    )
    const blocked = channels.filter(({ connection }) => connection.unanswered !== undefined)
    const stalled = channels.filter(({ connection }) => connection.flow?.kind === 'stalled')
    return [
      ...(blocked.length > 0 ? [unanswered(blocked, channels, subject, world)] : []),
      ...(stalled.length > 0 ? [stall(stalled, channels, subject, world)] : []),
      ...(blocked.length === 0 && stalled.length === 0 ? quiet(channels, subject) : []),
    ]
  },
}

function unanswered(
  blocked: Connected[],
  all: Connected[],
  subject: Subject,
  world: World,
): Finding {
  const { source, target } = probeOf(subject, world)!
  const address = subject.state?.targetNodeAddress ?? ''
  const others = all.filter((one) => !blocked.includes(one) && one.connection.established > 0)
  const which = listing(blocked.map(({ label, purpose }) => `${label}, ${purpose}`))
  return finding({
    code: 'MIG7001',
    title: `${address} does not answer at port ${listing(blocked.map(({ port }) => String(port)))} (label ${which}): SYN-SENT`,
    objects: [source!.pod, ...(target ? [target.pod] : []), subject.ref],
    evidence: blocked.slice(0, 3).map(({ connection }) => ({
      source: source!.pod,
      field: 'ss -tanH',
      value: connection.unanswered ?? '',
    })),
    cause:
      others.length > 0
        ? `Packets to it are dropped, while the same address is connected at port ${listing(others.map(({ port }) => String(port)))}: a firewall lets only some ports through. Labels such as 49152 and 49153 are never on the wire: the ports are random (32768–60999)`
        : 'Packets to it are dropped: a firewall, a NetworkPolicy, the VLAN or the wrong network. The source hears nothing for about two minutes',
    confidence: 'likely',
    remedy: [
      {
        text: 'Allow TCP from virt-handler to virt-handler on the whole ephemeral range (32768–60999), on the network that this address is of',
      },
      {
        text: 'See whether a NetworkPolicy stands in the way',
        command: shell`kubectl -n ${source!.pod.split('/')[1]} get networkpolicy`,
      },
    ],
    endsByItself: 'unknown',
    weight: 8,
  })
}

function stall(stalled: Connected[], all: Connected[], subject: Subject, world: World): Finding {
  const { source, target, connect } = probeOf(subject, world)!
  const flows = stalled.map(({ connection }) => connection.flow as Flow & { kind: 'stalled' })
  const which = listing(stalled.map(({ label, purpose }) => `${label}, ${purpose}`))
  const seconds = exactSeconds(Math.round((flows[0]?.apart ?? 0) / 1000))
  const evidence = flows.slice(0, 3).map(({ seen, by }) => ({
    source: by === 'target' ? (target?.pod ?? '') : source!.pod,
    field: 'ss -tinH state established',
    value: seen,
  }))
  const objects = [source!.pod, ...(target ? [target.pod] : []), subject.ref]
  if (flows.every(({ by }) => by === 'target'))
    return finding({
      code: 'MIG5013',
      title: `The target ${target?.node ?? ''} does not read what has arrived (label ${which}): nothing moved in ${seconds}`,
      objects,
      evidence,
      cause:
        'The network delivers; behind the proxy of the target, QEMU or libvirt does not take it: its launcher has no CPU time, hangs or was stopped',
      confidence: 'likely',
      remedy: [
        {
          text: 'See the target launcher: CPU limits and pressure of its node, its log',
          command: shell`kubectl -n ${subject.namespace} logs ${subject.targetPod?.metadata.name ?? 'TARGET'} -c compute`,
        },
      ],
    })
  const resent = flows.reduce((sum, flow) => sum + flow.resent, 0)
  const small = all.some((one) => !stalled.includes(one) && one.connection.established > 0)
  // Small packets get through: the handshake of this very connection did.
  const isMtu = resent > 0 && small && connect?.state === 'read' && connect.value === 'connected'
  return finding({
    code: isMtu ? 'MIG7011' : 'MIG7008',
    title: isMtu
      ? `Large packets to ${subject.state?.targetNodeAddress} are lost (label ${which}), small ones arrive`
      : `The path to ${subject.state?.targetNodeAddress} stalls (label ${which}): nothing was acknowledged in ${seconds}${resent > 0 ? `, ${plural(resent, 'segment')} sent again` : ''}`,
    objects,
    evidence,
    cause: isMtu
      ? 'A connection is made, small channels live, and full segments are sent again and again: somewhere on the path the MTU is smaller than on the nodes, and nobody says so'
      : small && resent > 0
        ? 'What is sent does not arrive; other channels of the same address are connected. If only large packets are lost, the MTU of the path is smaller than that of the nodes (--probe=connect tells)'
        : 'What is sent does not arrive, or is not acknowledged: packet loss, a link that is down, a path that changed',
    confidence: 'likely',
    remedy: [
      {
        text: isMtu
          ? 'Give the interfaces of the migration network the MTU that the whole path carries'
          : 'Test the path between both nodes with full-size packets that may not be fragmented; see errors of links and switches',
      },
    ],
    endsByItself: 'unknown',
    weight: 8,
  })
}

/** Nothing is wrong with them: what moves, or that nothing is to be sent. */
function quiet(channels: Connected[], subject: Subject): Finding[] {
  const flows = channels.flatMap(({ label, connection: { flow } }) =>
    flow ? [{ label, flow }] : [],
  )
  const moving = flows.filter(({ flow }) => flow.kind === 'flowing')
  const [first] = flows
  if (!first) return []
  const seconds = exactSeconds(Math.round(first.flow.apart / 1000))
  const bytes = moving.reduce((sum, { flow }) => sum + flow.bytes, 0)
  const resent = moving.reduce((sum, { flow }) => sum + flow.resent, 0)
  return [
    finding({
      code: 'MIG5000',
      title:
        moving.length > 0
          ? `Data flow: ${exactBytes(bytes)} in ${seconds} (label ${listing(moving.map(({ label }) => String(label)))})${resent > 0 ? `, ${plural(resent, 'segment')} sent again` : ''}`
          : `Nothing is being sent: the connections are idle, nothing waits in them and nothing is sent again`,
      status: moving.length > 0 ? 'pass' : 'info',
      objects: [subject.ref],
      cause:
        moving.length > 0
          ? 'The proxies carry it; nothing is wrong here'
          : 'The network carries what it is given: QEMU of the source gives nothing (paused, throttled, or waiting for the target)',
    }),
  ]
}
