import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { isatty } from 'node:tty'
import { type Clock, systemClock } from '../clock.ts'
import { EXIT, MigError } from '../errors.ts'
import { createClient } from './client.ts'
import type { Cluster } from './cluster.ts'
import { textField } from './entry-fields.ts'
import { inClusterTarget } from './in-cluster.ts'
import { type Entry, type Kubeconfig, parseKubeconfig, readKubeconfigs } from './kubeconfig.ts'
import { readServer } from './server-target.ts'
import type { Target, UserTarget } from './target.ts'
import { readUser } from './user-target.ts'

/** kubectl's flags of the same names. */
export interface ClusterOptions {
  /** A file, instead of those that $KUBECONFIG names or ~/.kube/config. */
  kubeconfig?: string | undefined
  /** The text of a kubeconfig, instead of any file. */
  kubeconfigText?: string | undefined
  context?: string | undefined
  cluster?: string | undefined
  user?: string | undefined
  namespace?: string | undefined
  as?: string | undefined
  asGroups?: string[] | undefined
  /** ms for one request with its retries and credentials; 0 is none; default 15000. */
  requestTimeoutMs?: number | undefined
  /** Default: the process's. */
  env?: NodeJS.ProcessEnv | undefined
  /** Whether a credential plugin may ask the person at standard input; default: whether it is a terminal. */
  interactive?: boolean | undefined
  /** For what waits between retries. */
  clock?: Clock | undefined
  /** Where to look for a pod's service account; default: where Kubernetes puts it. */
  serviceAccount?: string | undefined
}

const REQUEST_TIMEOUT = 15_000

/**
 * Finds a cluster as kubectl does. Sends no request and starts no credential plugin yet.
 * Throws MigError: malformed kubeconfig (with file and line), unknown context, certificate and key that don't match …
 */
export async function connect(options: ClusterOptions = {}): Promise<Cluster> {
  return createClient(resolveTarget(options), {
    requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT,
    clock: options.clock ?? systemClock,
    env: options.env ?? process.env,
    interactive: options.interactive ?? isatty(0),
  })
}

/** What `connect` connects to. */
export function resolveTarget(options: ClusterOptions): Target {
  const env = options.env ?? process.env
  const config = loadKubeconfig(options)
  const context = pickContext(config, options)
  const cluster = pick('cluster', config, context, options)
  const user = pick('user', config, context, options)
  const target = cluster
    ? {
        context: context?.name,
        namespace: (context && textField(context, 'namespace')) ?? 'default',
        server: readServer(cluster, env),
        user: readUser(user),
      }
    : asksForNothing(options)
      ? inClusterTarget(env, options.serviceAccount)
      : undefined
  if (!target) throw nothingConfigured(config, options)
  return {
    ...target,
    namespace: options.namespace ?? target.namespace,
    user: impersonating(target.user, options),
  }
}

function asksForNothing({ kubeconfig, kubeconfigText, context, cluster, user }: ClusterOptions) {
  return !(kubeconfig || kubeconfigText || context || cluster || user)
}

/** What kubectl would read, merged: the file of a flag, those of $KUBECONFIG, or ~/.kube/config. */
export function loadKubeconfig(options: ClusterOptions): Kubeconfig {
  if (options.kubeconfigText !== undefined)
    return parseKubeconfig(options.kubeconfigText, 'kubeconfig')
  if (options.kubeconfig !== undefined)
    return readKubeconfigs([options.kubeconfig], { required: true })
  return readKubeconfigs(usualFiles(options.env))
}

/** Where a kubeconfig is looked for when no flag says it. */
function usualFiles(env: NodeJS.ProcessEnv = process.env): string[] {
  const files = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '')
  return files.length > 0 ? files : [join(env['HOME'] || homedir(), '.kube', 'config')]
}

function pickContext(config: Kubeconfig, options: ClusterOptions): Entry | undefined {
  const name = options.context || config.currentContext
  if (name === undefined) return undefined
  const context = config.contexts.get(name)
  if (context) return context
  throw new MigError(
    EXIT.usage,
    `there is no context "${name}" in ${config.files.join(', ') || 'any kubeconfig'}`,
    { hint: choice('context', config), code: 'KUBECONFIG' },
  )
}

/** The cluster or user that a flag or else the context names. */
function pick(
  kind: 'cluster' | 'user',
  config: Kubeconfig,
  context: Entry | undefined,
  options: ClusterOptions,
): Entry | undefined {
  const flag = options[kind]
  const name = flag || (context && textField(context, kind))
  if (!name) return undefined
  const entry = config[`${kind}s`].get(name)
  if (entry) return entry
  throw new MigError(
    EXIT.usage,
    flag
      ? `there is no ${kind} "${name}" in ${config.files.join(', ') || 'any kubeconfig'}`
      : `${context!.at(kind)}: context "${context!.name}" names ${kind} "${name}", which is not there`,
    { hint: choice(kind, config), code: 'KUBECONFIG' },
  )
}

function choice(kind: 'context' | 'cluster' | 'user', config: Kubeconfig): string {
  const names = [...config[`${kind}s`].keys()]
  return names.length > 0 ? `${kind}s that exist: ${names.join(', ')}` : `no ${kind} exists there`
}

function nothingConfigured(config: Kubeconfig, options: ClusterOptions): MigError {
  const files = config.files.join(', ')
  if (config.contexts.size > 0)
    return new MigError(EXIT.usage, `no current context is set in ${files}`, {
      hint: `give --context; ${choice('context', config)}`,
      code: 'KUBECONFIG',
    })
  const looked = usualFiles(options.env).join(', ')
  const why = files
    ? `${files} names no cluster`
    : `there is no kubeconfig: ${looked} does not exist`
  return new MigError(EXIT.usage, why, {
    hint: 'give --kubeconfig or set KUBECONFIG; "kubectl mig lab up" starts a cluster to try things on',
    code: 'KUBECONFIG',
  })
}

function impersonating(user: UserTarget, { as, asGroups = [] }: ClusterOptions): UserTarget {
  const impersonate = {
    ...user.impersonate,
    ...(as && { user: as }),
    ...(asGroups.length > 0 && { groups: asGroups }),
  }
  if (impersonate.user === undefined && impersonate.groups.length > 0) {
    throw new MigError(EXIT.usage, '--as-group needs --as: a group is impersonated with a user', {
      code: 'KUBECONFIG',
    })
  }
  return { ...user, impersonate }
}
