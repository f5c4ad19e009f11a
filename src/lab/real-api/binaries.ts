import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

export interface Binaries {
  kubeApiServer: string
  etcd: string
}

/** What test/e2e/build-kube-apiserver.sh builds, and how the folder is called that it leaves in the cache. */
const BUILT = 'kube-apiserver-v1.36.3-etcd-v3.6.16'

/**
 * A real API server's binaries: those in KUBEBUILDER_ASSETS (envtest's convention), else those that were built into the
 * cache; undefined when they are in neither.
 */
export async function findBinaries(env: NodeJS.ProcessEnv): Promise<Binaries | undefined> {
  const named = env['KUBEBUILDER_ASSETS']
  const cache = env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const folder = named || join(cache, 'kubectl-mig', BUILT)
  const binaries = { kubeApiServer: join(folder, 'kube-apiserver'), etcd: join(folder, 'etcd') }
  try {
    for (const file of Object.values(binaries)) await access(file, constants.X_OK)
    return binaries
  } catch {
    return undefined
  }
}
