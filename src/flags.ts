import { Flags } from '@oclif/core'
import type { ClusterOptions } from './cluster/config.ts'
import { EXIT, MigError } from './errors.ts'

/** kubectl's own flags, with kubectl's meaning, on every command that talks to a cluster (design.md §4). */
export const clusterFlags = {
  kubeconfig: Flags.string({
    helpValue: 'FILE',
    description: 'kubeconfig file to use instead of $KUBECONFIG or ~/.kube/config',
  }),
  context: Flags.string({ helpValue: 'NAME', description: 'context of the kubeconfig to use' }),
  cluster: Flags.string({ helpValue: 'NAME', description: 'cluster of the kubeconfig to use' }),
  user: Flags.string({ helpValue: 'NAME', description: 'user of the kubeconfig to use' }),
  namespace: Flags.string({ char: 'n', helpValue: 'NAME', description: 'namespace to look in' }),
  as: Flags.string({ helpValue: 'USER', description: 'user to impersonate' }),
  'as-group': Flags.string({
    helpValue: 'GROUP',
    multiple: true,
    multipleNonGreedy: true,
    description: 'group to impersonate; may be given several times',
  }),
  'request-timeout': Flags.string({
    helpValue: 'DURATION',
    default: '15s',
    description: 'time limit of a single request (5, 30s, 2m; 0 is none); not for watching',
  }),
}

export const allNamespacesFlag = Flags.boolean({
  char: 'A',
  description: 'look in all namespaces',
})

export const outputFlag = Flags.option({
  char: 'o',
  options: ['json', 'yaml'] as const,
  description: 'print one machine-readable document instead of text',
})

export const colorFlag = Flags.boolean({
  description: 'colours on a terminal (off with --no-color, NO_COLOR or TERM=dumb)',
  allowNo: true,
  default: true,
})

export const dryRunFlag = Flags.option({
  options: ['client', 'server'] as const,
  description: 'only show what would be done; with server, the API server checks it too',
})

export const timeoutFlag = Flags.string({
  helpValue: 'DURATION',
  description: 'stop waiting after this time (30s, 5m); nothing is cancelled by it',
})

/** The parsed `clusterFlags`. */
export interface ClusterFlags {
  kubeconfig?: string | undefined
  context?: string | undefined
  cluster?: string | undefined
  user?: string | undefined
  namespace?: string | undefined
  as?: string | undefined
  'as-group'?: string[] | undefined
  'request-timeout': string
}

/** As `connect` takes them. */
export function clusterOptionsOf(flags: ClusterFlags): ClusterOptions {
  const { kubeconfig, context, cluster, user, namespace, as, 'as-group': asGroups } = flags
  return {
    // An empty one is none, as for kubectl: $VARIABLE may be unset.
    ...(kubeconfig && { kubeconfig }),
    ...(context !== undefined && { context }),
    ...(cluster !== undefined && { cluster }),
    ...(user !== undefined && { user }),
    ...(namespace && { namespace: namespaceOf(namespace) }),
    ...(as !== undefined && { as }),
    ...(asGroups && { asGroups }),
    requestTimeoutMs: parseDuration(flags['request-timeout'], '--request-timeout'),
  }
}

/** Namespaces are DNS labels (RFC 1123); anything else would be looked for in vain. */
function namespaceOf(text: string): string {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text)) return text
  throw new MigError(EXIT.usage, `--namespace: "${text}" is no name of a namespace`, {
    hint: 'expected small letters, digits and "-" between them, at most 63',
  })
}

/**
 * Reads a duration as kubectl does: `5` (seconds), `30s`, `1m30s`, `500ms`, `0`.
 * @returns milliseconds
 * @throws MigError (usage) that names the flag
 */
export function parseDuration(text: string, flag: string): number {
  const ms = millisecondsOf(text)
  if (ms === undefined)
    throw new MigError(EXIT.usage, `${flag}: "${text}" is no duration`, {
      hint: 'expected a number of seconds, or a duration such as 500ms, 30s, 5m, 1h30m',
    })
  if (ms > LONGEST_TIMER_MS)
    throw new MigError(EXIT.usage, `${flag}: "${text}" is too long, 24 days are the most`)
  return ms
}

/**
 * As {@link parseDuration}, but 0 is no time limit that anything could keep.
 * @throws MigError (usage) that names the flag
 */
export function parseTimeLimit(text: string, flag: string): number {
  const ms = parseDuration(text, flag)
  if (ms >= 1) return ms
  throw new MigError(EXIT.usage, `${flag}: "${text}" is no time to do anything in`, {
    hint: 'give a longer one, e.g. 10s',
  })
}

/**
 * Reads `HOST:PORT`, IPv6 in brackets.
 * @throws MigError (usage)
 */
export function parseHostPort(text: string): { host: string; port: number } {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:\s/]+)):(\d{1,5})$/.exec(text) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  if (host === undefined || !(port >= 1 && port <= 65535))
    throw new MigError(EXIT.usage, `"${text}" is no HOST:PORT`, {
      hint: 'e.g. 10.0.0.7:35001 or [fd00::7]:35001',
    })
  return { host, port }
}

function millisecondsOf(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined
  return parts.reduce((sum, [, figure, unit]) => sum + Number(figure) * MILLISECONDS[unit!]!, 0)
}

const MILLISECONDS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Timers that are set to more fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const labNameFlag = Flags.string({
  helpValue: 'NAME',
  default: 'lab',
  description: 'what the lab is called',
})

/** What makes a diagnosis fail. */
export const failOnFlag = Flags.option({
  options: ['fail', 'warn'] as const,
  default: 'fail',
  description: 'what makes the exit status other than 0',
})()

export const minCoverageFlag = Flags.integer({
  helpValue: 'PERCENT',
  min: 0,
  max: 100,
  description: 'exit 8 when fewer of the checks that apply could be carried out',
})

export const logsFlag = Flags.boolean({
  description: 'also read the logs of virt-controller, of both virt-handlers and of both launchers',
})

/** The formats of a diagnosis. */
export const reportFormatFlag = Flags.option({
  char: 'o',
  options: ['json', 'yaml', 'junit'] as const,
  description: 'print one machine-readable document instead of text',
})()

/** What the probes of a machine have in common. */
export const probeFlags = {
  'fail-on': failOnFlag,
  output: reportFormatFlag,
  color: colorFlag,
}

/** Of those that go by the network. */
export const probeTimeoutFlag = Flags.string({
  helpValue: 'DURATION',
  default: '5s',
  description: 'how long to wait for an answer',
})

/** What the two sides of the migration proxy have in common. */
export const proxyFlags = {
  key: Flags.string({
    required: true,
    helpValue: 'KEY',
    description: "what the sockets are named after; KubeVirt takes the VMI's UID",
  }),
  ca: Flags.string({
    helpValue: 'FILE',
    description: 'bundle of the authorities to trust, PEM (configmap kubevirt-ca, key ca-bundle)',
  }),
  'disable-tls': Flags.boolean({
    description: "move the guest's memory and disks in clear, for all on the network to read",
  }),
  'metrics-addr': Flags.string({
    helpValue: 'ADDR:PORT',
    description: 'serve Prometheus metrics at http://ADDR:PORT/metrics',
  }),
  grace: Flags.string({
    helpValue: 'DURATION',
    default: '5m',
    description: 'how long streams may go on after SIGTERM; a second one ends them at once',
  }),
  'dial-timeout': Flags.string({
    helpValue: 'DURATION',
    default: '10s',
    description: 'time limit to connect to the other end',
  }),
  'handshake-timeout': Flags.string({
    helpValue: 'DURATION',
    default: '10s',
    description: 'time limit of a TLS handshake',
  }),
}
