import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { EXIT, MigError } from '../../errors.ts'

export interface Binaries {
  kubeApiServer: string
  etcd: string
}

/** The same for who can't do without. @throws MigError that says where they come from */
export async function demandBinaries(env: NodeJS.ProcessEnv): Promise<Binaries> {
  const found = await findBinaries(env)
  if (found) return found
  throw new MigError(EXIT.error, 'there is no kube-apiserver and no etcd to run the lab on', {
    hint: 'export KUBEBUILDER_ASSETS=FOLDER, of a folder that holds both: setup-envtest downloads them, and in a checkout test/e2e/build-kube-apiserver.sh builds them',
  })
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
