import { MIGRATIONS, pathOf } from '../../src/kubevirt/resources.ts'
import type { Migration } from '../../src/kubevirt/types.ts'
import { type Stage, startStage } from '../migrate/stage.ts'
import { type Ended, file, run, type Started, start, words } from './run.ts'

export interface Theatre extends Stage {
  mig(line: string, user?: string): Promise<Ended>
  start(line: string): Started
  migrations(): Promise<Migration[]>
}

/**
 * A stage, and the commands as processes before it.
 * @param way the address by which they reach the server, when it is not its own
 */
export async function theatre(
  vms: string[],
  way: (url: string) => Promise<string> = async (url) => url,
): Promise<Theatre> {
  const stage = await startStage()
  for (const vm of vms) await stage.addVm(vm)
  const { url } = stage.server
  const server = await way(url)
  const env = (user = 'admin') => {
    const kubeconfig = stage.server.kubeconfig(user, { namespace: 'demo' })
    return { KUBECONFIG: file('config', kubeconfig.replaceAll(url, server)) }
  }
  return {
    ...stage,
    mig: (line, user) => run(words(line), env(user)),
    start: (line) => start(words(line), env()),
    migrations: async () =>
      (
        await stage.admin.request<{ items: Migration[] }>({
          path: pathOf(MIGRATIONS, { namespace: 'demo' }),
        })
      ).items,
  }
}
