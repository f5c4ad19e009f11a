import { publishedPorts } from '../../kubevirt/migration.ts'
import type { ConnectOutcome } from '../../probe/connect.ts'
import type { HandshakeOutcome } from '../../probe/tls-handshake.ts'
import type { Code } from '../catalogue.ts'
import { gapOf, probeOf } from '../channels.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'

/** One connection from the source to the port of label 0: the way that the migration takes. */
export const reach: Check = {
  name: 'a connection from source to target',
  when: (subject, world) => probeOf(subject, world)?.connect !== undefined,
  needs: [],
  unread: (subject, world) => gapOf(probeOf(subject, world)?.connect),
  judge(subject, world) {
    const { source, connect } = probeOf(subject, world) ?? {}
    if (!source || connect?.state !== 'read') return []
    const port = publishedPorts(subject.state).find(({ label }) => label === 0)?.port
    const to = `${subject.state?.targetNodeAddress}:${port}`
    const { code, title, cause, todo } = CONNECTS[connect.value]
    return [
      finding({
        code,
        status: connect.value === 'connected' ? 'pass' : 'fail',
        title: title(source.node, to),
        objects: [source.pod, subject.ref],
        evidence: [
          { source: source.pod, field: `one TCP connection to ${to}`, value: connect.value },
        ],
        cause,
        remedy: todo === undefined ? [] : [{ text: todo }],
        weight: 12,
      }),
    ]
  },
}

interface Row {
  code: Code
  title: (node: string, to: string) => string
  cause: string
  todo?: string
}

const CONNECTS: Record<ConnectOutcome, Row> = {
  connected: {
    code: 'MIG5000',
    title: (node, to) => `${node} reaches ${to}`,
    cause: 'The way from source to target carries connections',
  },
  refused: {
    code: 'MIG5002',
    title: (node, to) => `${to} refuses connections from ${node}`,
    cause:
      'Nothing listens there any more, since virt-handler was started again or its listener died; or a firewall rejects',
    todo: 'Cancel and migrate again; see the restarts of virt-handler on the target',
  },
  'timed-out': {
    code: 'MIG7001',
    title: (node, to) => `${to} does not answer ${node}: packets are dropped`,
    cause: 'A firewall, a NetworkPolicy, the VLAN or the wrong network drops them without a word',
    todo: 'Allow TCP from virt-handler to virt-handler on the whole ephemeral range (32768–60999)',
  },
  'no-route': {
    code: 'MIG7002',
    title: (node, to) => `There is no route from ${node} to ${to}`,
    cause: 'Routing fails, or nobody has the address',
    todo: 'See the addresses of migration0 on both nodes, and the routes between them',
  },
}

/** Whether the listener of label 0 speaks TLS at all; whom it says it is, is judged with the other certificates. */
export const listenerSpeaksTls: Check = {
  name: 'TLS of the listener',
  when: (subject, world) => probeOf(subject, world)?.handshake !== undefined,
  needs: [],
  unread: (subject, world) => gapOf(probeOf(subject, world)?.handshake),
  judge(subject, world) {
    const { target, handshake } = probeOf(subject, world) ?? {}
    if (!target || handshake?.state !== 'read' || handshake.value.spoke === 'tls') return []
    const { spoke, error } = handshake.value
    const { code, title, cause, todo } = HANDSHAKES.find(({ when }) => when.test(error)) ?? PLAIN
    return [
      finding({
        code,
        title: title(target.node, ''),
        objects: [target.pod, subject.ref, `node/${target.node}`],
        evidence: [
          {
            source: target.pod,
            field: 'one TLS handshake by port-forward',
            value: answer(spoke, error),
          },
        ],
        cause,
        confidence: spoke === 'no-tls' || code !== 'MIG6001' ? 'certain' : 'likely',
        remedy: todo === undefined ? [] : [{ text: todo }],
        weight: 12,
      }),
    ]
  },
}

function answer(spoke: HandshakeOutcome['spoke'], error: string): string {
  return spoke === 'no-tls' ? `what came back is no TLS (${error})` : `it hung up (${error})`
}

const PLAIN: Row = {
  code: 'MIG6001',
  title: (node) => `The listener on the target ${node} does not speak TLS, and the source will`,
  cause:
    'Each virt-handler reads disableTLS when it opens its proxy: this one saw it set, or has a stale configuration. What it is sent goes to virtqemud as it is',
  todo: 'Cancel and migrate again, once both virt-handlers have the same configuration',
}

const HANDSHAKES: (Row & { when: RegExp })[] = [
  {
    when: /ALERT_INTERNAL_ERROR/,
    code: 'MIG6007',
    title: (node) => `The listener on the target ${node} has no certificate or no authority loaded`,
    cause: 'It answers every handshake with an internal error',
    todo: 'See the Secrets and mounts of virt-handler there; it mends itself when they are mounted',
  },
  {
    when: /UNSUPPORTED_PROTOCOL|ALERT_PROTOCOL_VERSION|VERSION_TOO_LOW/,
    code: 'MIG6005',
    title: (node) => `The listener on the target ${node} accepts neither TLS 1.2 nor 1.3`,
    cause: 'minTLSVersion of the KubeVirt CR is set otherwise',
    todo: 'Compare tlsConfiguration of the KubeVirt CR',
  },
  {
    when: /NO_SHARED_CIPHER|ALERT_HANDSHAKE_FAILURE/,
    code: 'MIG6006',
    title: (node) => `The listener on the target ${node} has no cipher in common`,
    cause: 'ciphers of the KubeVirt CR are set otherwise',
    todo: 'Compare tlsConfiguration of the KubeVirt CR',
  },
]
