import type { ListenerSighting } from '../../probe/local-listener.ts'
import { type Finding, finding } from '../finding.ts'
import type { Question } from '../questions.ts'
import type { Probed } from './report.ts'

/** What one TCP connection to a target's proxy told. */
export function judgeListener(seen: ListenerSighting): Probed {
  return {
    ref: `listener:${addressOf(seen)}`,
    stage: seen.outcome,
    steps: [connectStep(seen)],
    findings: [unreachable(seen) ?? well(seen)],
  }
}

export function connectStep(seen: ListenerSighting): Question {
  const status = { connected: 'pass', failed: 'unknown' } as Record<string, 'pass' | 'unknown'>
  return {
    question: 'TCP connection?',
    status: status[seen.outcome] ?? 'fail',
    answer: `${WORDS[seen.outcome]}${seen.detail ? ` (${seen.detail})` : ''} after ${seen.ms} ms`,
  }
}

const WORDS: Record<ListenerSighting['outcome'], string> = {
  connected: 'taken',
  refused: 'refused',
  'timed-out': 'no answer',
  'no-route': 'no way to it',
  'unknown-host': 'the name has no address',
  failed: 'it could not be tried',
}

/** Why there was no connection, by the same codes as where a source's log tells of it; undefined when there was one. */
export function unreachable(seen: ListenerSighting): Finding | undefined {
  const address = addressOf(seen)
  const evidence = [
    { source: address, value: `${WORDS[seen.outcome]}${seen.detail ? `: ${seen.detail}` : ''}` },
  ]
  switch (seen.outcome) {
    case 'connected':
      return undefined
    case 'refused':
      return finding({
        code: 'MIG5002',
        title: `Nothing listens at ${address}: connection refused`,
        evidence,
        cause:
          'The proxy of the target has ended, or was started again and listens at other ports; or a firewall on the way refuses',
        remedy: [
          {
            text: 'Compare with the ports that the target has published',
            command: 'kubectl mig ports VM',
          },
          { text: 'On the target node see what listens there', command: 'ss -ltn' },
        ],
      })
    case 'timed-out':
      return finding({
        code: 'MIG7001',
        title: `No answer from ${address} after ${seen.ms} ms: packets are dropped`,
        evidence,
        cause:
          'A firewall, a NetworkPolicy or a VLAN on the way drops them, the address is not of a machine that runs, or its listener is hung and its queue full',
        confidence: 'likely',
        remedy: [
          { text: 'See by which way it goes', command: `ip route get ${seen.host}` },
          { text: 'Allow virt-handler to virt-handler on this network, for all ephemeral ports' },
        ],
      })
    case 'no-route':
      return finding({
        code: 'MIG7002',
        title: `There is no way to ${address}`,
        evidence,
        cause: 'No route, or nobody on the link answers for the address',
        remedy: [
          { text: 'See by which way it goes', command: `ip route get ${seen.host}` },
          { text: 'See migration0 on both nodes', command: 'ip -br addr show' },
        ],
      })
    case 'unknown-host':
      return finding({
        code: 'MIG7002',
        title: `The name ${seen.host} has no address`,
        evidence,
        cause: 'Proxies are dialled by address: give the one that the VMI publishes',
        remedy: [{ text: 'See the address', command: 'kubectl mig ports VM' }],
      })
    case 'failed':
      return finding({
        code: 'MIG0008',
        status: 'unknown',
        title: `A connection to ${address} could not be tried: ${seen.detail}`,
        evidence,
      })
  }
}

export function addressOf({ host, port }: { host: string; port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function well(seen: ListenerSighting): Finding {
  return finding({
    code: 'MIG0010',
    status: 'pass',
    title: `${addressOf(seen)} takes connections`,
    evidence: [{ source: addressOf(seen), value: `taken after ${seen.ms} ms` }],
  })
}
