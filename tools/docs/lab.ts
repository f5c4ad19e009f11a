import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Home {
  folder: string
  /** For commands that are at home there: `kubectl mig`, and a KUBECONFIG of the lab called "lab". */
  env: NodeJS.ProcessEnv
}

/**
 * A home folder of its own for as long as the work takes, with a lab called "lab" in it: started with these words of
 * `kubectl mig lab up`, or left to the work.
 */
export async function withLab<T>(
  root: string,
  words: string[] | undefined,
  work: (home: Home) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'mig-docs-'))
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HOME: folder,
    PATH: [join(root, 'bin'), join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
    KUBECONFIG: join(folder, '.local/state/kubectl-mig/labs/lab/kubeconfig'),
  }
  for (const name of Object.keys(env)) if (/^(XDG_|NO_COLOR|KUBECACHE)/.test(name)) delete env[name]
  const mig = (...args: string[]) => run(join(root, 'bin/kubectl-mig'), args, { env, cwd: root })
  const interrupted = Promise.withResolvers<never>()
  const interrupt = () => interrupted.reject(new Error('interrupted'))
  process.on('SIGINT', interrupt)
  try {
    if (words) await mig('lab', 'up', '--detach', ...words)
    return await Promise.race([work({ folder, env }), interrupted.promise])
  } finally {
    process.off('SIGINT', interrupt)
    // It may be down already, or never have come up.
    await mig('lab', 'down').catch(() => {})
    await rm(folder, { recursive: true, force: true })
  }
}
