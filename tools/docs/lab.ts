import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A state folder in which one lab called "lab" is, started with these words of `kubectl mig lab up`, or none. */
export async function withLab<T>(
  root: string,
  words: string[] | undefined,
  work: (lab: { env: NodeJS.ProcessEnv; state: string }) => Promise<T>,
): Promise<T> {
  const state = await mkdtemp(join(tmpdir(), 'mig-docs-'))
  const env = {
    ...process.env,
    PATH: [join(root, 'bin'), join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
    XDG_STATE_HOME: state,
    KUBECONFIG: join(state, 'kubectl-mig/labs/lab/kubeconfig'),
    KUBECACHEDIR: join(state, 'kube-cache'),
  }
  const mig = (...args: string[]) => run(join(root, 'bin/kubectl-mig'), args, { env, cwd: root })
  try {
    if (words) await mig('lab', 'up', '--detach', ...words)
    return await work({ env, state })
  } finally {
    // It may be down already, or never have come up.
    await mig('lab', 'down').catch(() => {})
    await rm(state, { recursive: true, force: true })
  }
}
