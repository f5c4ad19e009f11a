import type { ClusterOptions } from '../cluster/config.ts'
import type { Candidate, LookUp } from './candidates.ts'
import type { Given } from './position.ts'
import type { Source } from './sources.ts'

/** ms. Whoever presses Tab waits no longer; without an answer nothing is offered. */
const LIMIT = 1500

/** Looks names up where the words so far point to; what fails gives nothing, in silence. */
export function createLookUp(env: NodeJS.ProcessEnv): LookUp {
  return (source, given, partial) => found(source, given, partial, env).catch(() => [])
}

async function found(
  source: Source,
  given: Given,
  partial: string,
  env: NodeJS.ProcessEnv,
): Promise<Candidate[]> {
  if (source === 'codes') {
    const { CATALOGUE } = await import('../diagnose/catalogue.ts')
    return Object.entries(CATALOGUE).map(([value, { title }]) => ({ value, description: title }))
  }
  if (source === 'labs') {
    const { findLabs } = await import('../lab/state/folder.ts')
    return (await findLabs(env)).map(({ name }) => ({ value: name }))
  }
  if (source === 'scenarios') {
    const { allScenarios } = await import('../lab/scenario/folder.ts')
    return (await allScenarios()).map(({ name, title }) => ({ value: name, description: title }))
  }
  const { connect, loadKubeconfig } = await import('../cluster/config.ts')
  const options = { ...clusterOptions(given), env, requestTimeoutMs: LIMIT, interactive: false }
  if (source === 'contexts' || source === 'clusters' || source === 'users')
    return [...loadKubeconfig(options)[source].keys()].map((value) => ({ value }))
  const { liveNames } = await import('./live.ts')
  const cluster = await connect(options)
  try {
    return await liveNames(cluster, source, partial, AbortSignal.timeout(LIMIT))
  } finally {
    await cluster.close()
  }
}

function clusterOptions({ flags }: Given): ClusterOptions {
  const last = (name: string) => flags[name]?.at(-1)
  return {
    kubeconfig: last('kubeconfig'),
    context: last('context'),
    cluster: last('cluster'),
    user: last('user'),
    namespace: last('namespace'),
    as: last('as'),
    asGroups: flags['as-group'],
  }
}
