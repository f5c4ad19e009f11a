import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type Clock, systemClock } from '../clock.ts'
import { EXIT, MigError } from '../errors.ts'
import { createClient } from './client.ts'
import type { Cluster } from './cluster.ts'
import { type Entry, type Kubeconfig, parseKubeconfig, readKubeconfigs } from './kubeconfig.ts'
import { readServer } from './server-target.ts'
import type { Target } from './target.ts'
import { readUser } from './user-target.ts'

export interface ClusterOptions {
  /** A file, instead of those that $KUBECONFIG names or ~/.kube/config. */
  kubeconfig?: string
  /** The text of a kubeconfig, instead of any file. */
  kubeconfigText?: string
  context?: string
  cluster?: string
  user?: string
  namespace?: string
  as?: string
  asGroups?: string[]
  /** ms; 0 is none; default 15000. */
  requestTimeoutMs?: number
  /** Default: the process's. */
  env?: NodeJS.ProcessEnv
  clock?: Clock
}

const REQUEST_TIMEOUT = 15_000

/**
 * Finds a cluster as kubectl does. Makes no request and starts no credential plugin yet.
 * Throws MigError: kubeconfig malformed (file and line), unknown context, certificate and key that don't match …
 */
export async function connect(options: ClusterOptions): Promise<Cluster> {
  return createClient(resolveTarget(options), {
    requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT,
    clock: options.clock ?? systemClock,
  })
}

export function resolveTarget(options: ClusterOptions): Target {
  const env = options.env ?? process.env
  const config = load(options, env)
  const context = pickContext(config, options)
  const cluster = named(
    config.clusters,
    options.cluster ?? field(context, 'cluster'),
    'cluster',
    context,
  )
  const user = named(config.users, options.user ?? field(context, 'user'), 'user', context)
  if (!cluster) {
    throw new MigError(EXIT.error, 'no cluster is configured: no kubeconfig names one', {
      hint: 'give --kubeconfig FILE or set KUBECONFIG; "kubectl mig lab up" starts a cluster to try things on',
      code: 'KUBECONFIG',
    })
  }
  return {
    context: context?.name,
    namespace: options.namespace ?? field(context, 'namespace') ?? 'default',
    server: readServer(cluster),
    user: readUser(user, options),
  }
}

function load({ kubeconfig, kubeconfigText }: ClusterOptions, env: NodeJS.ProcessEnv): Kubeconfig {
  if (kubeconfigText !== undefined) return parseKubeconfig(kubeconfigText, 'kubeconfig')
  if (kubeconfig !== undefined) return readKubeconfigs([kubeconfig], { required: true })
  const files = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '')
  return readKubeconfigs(
    files.length > 0 ? files : [join(env['HOME'] ?? homedir(), '.kube', 'config')],
  )
}

function pickContext(config: Kubeconfig, { context }: ClusterOptions): Entry | undefined {
  const name = context ?? config.currentContext
  if (name === undefined) return undefined
  const found = config.contexts.get(name)
  if (found) return found
  throw new MigError(
    EXIT.usage,
    `no context "${name}" in ${config.files.join(', ') || 'any kubeconfig'}`,
    {
      hint: names('contexts', config.contexts),
      code: 'KUBECONFIG',
    },
  )
}

function named(
  entries: Map<string, Entry>,
  name: string | undefined,
  kind: 'cluster' | 'user',
  context: Entry | undefined,
): Entry | undefined {
  if (name === undefined) return undefined
  const found = entries.get(name)
  if (found) return found
  const by =
    context && field(context, kind) === name
      ? `${context.at(kind)}: context "${context.name}" names `
      : ''
  throw new MigError(EXIT.usage, `${by}${kind} "${name}", which does not exist`, {
    hint: names(`${kind}s`, entries),
    code: 'KUBECONFIG',
  })
}

function names(kind: string, entries: Map<string, Entry>): string {
  return entries.size > 0 ? `${kind}: ${[...entries.keys()].join(', ')}` : `there are no ${kind}`
}

function field(entry: Entry | undefined, name: string): string | undefined {
  const value = entry?.fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
