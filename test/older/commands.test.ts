import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../../src/kubevirt/types.ts'
import { kubeconfig, serve, status } from '../cluster/server.ts'
import { file, run, words } from '../commands/run.ts'
import { afterStep, kubevirtOf, RELEASES } from './recording.ts'

/** A server that holds what a cluster of the release held after a step of a recording; it can only be read. */
async function oldCluster(release: string, scenario: string, step: number) {
  const { migrations, vmis, events } = afterStep(release, scenario, step)
  const limits = { parallelMigrationsPerCluster: 2 }
  const objects: Record<string, KubeObject[]> = {
    virtualmachineinstancemigrations: migrations,
    virtualmachineinstances: vmis,
    kubevirts: [kubevirtOf(release, scenario === '08-cluster-limit' ? limits : {})],
    namespaces: [{ metadata: { name: 'demo' } }],
    nodes: ['node-1', 'node-2', 'node-3'].map((name) => ({ metadata: { name } })),
    events,
  }
  const server = await serve(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://x')
    const [resource = '', name] = pathname
      .replace(/^\/(api|apis\/[^/]+)\/[^/]+\//, '')
      .replace(/^namespaces\/[^/]+\//, '')
      .split('/')
    const all = (objects[resource] ?? []).filter(selectedBy(searchParams))
    if (name === undefined) return { metadata: {}, items: all }
    const one = all.find(({ metadata }) => metadata.name === decodeURIComponent(name))
    return one ?? status(response, 404, { reason: 'NotFound', message: `${name} not found` })
  })
  const env = { KUBECONFIG: file('config', kubeconfig(server)) }
  return (line: string) => run(words(line), env)
}

/** As far as the commands select. */
function selectedBy(query: URLSearchParams) {
  const [key = '', value] = (query.get('labelSelector') ?? '').split('=')
  const uid = /involvedObject\.uid=(.*)/.exec(query.get('fieldSelector') ?? '')?.[1]
  return (object: KubeObject) => {
    const { labels = {} } = object.metadata
    if (value !== undefined && labels[key] !== value) return false
    const about = (object as { involvedObject?: { uid?: string } }).involvedObject
    return uid === undefined || about?.uid === uid
  }
}

describe.each(RELEASES)('the commands, on a cluster of KubeVirt %s', (release) => {
  test('where one is, which ports it uses, which settings hold', async () => {
    const mig = await oldCluster(release, '01-normal', 4)
    expect((await mig('status')).stdout).toMatch(/^vm-1 +Running +\S+ +node-2 +node-[13] /m)
    const one = await mig('status vm-1')
    expect(one).toMatchObject({ code: 0, stderr: '' })
    expect(one.stdout).toMatch(/^vm-1: Running for .*, node-2 → node-[13] \(vm-1-m in demo\)\n/)
    expect(one.stdout).toMatch(
      new RegExp(`^completionTimeoutPerGiB +800 +default of ${release.slice(1, 4)}$`, 'm'),
    )
    const { ports } = JSON.parse((await mig('ports vm-1 -o json')).stdout)
    expect(ports.map(({ port }: { port: number }) => port)).toEqual([41001, 41002])
  }, 60_000)

  test('what holds those that wait', async () => {
    const mig = await oldCluster(release, '08-cluster-limit', 2)
    const { stdout } = await mig('queue')
    expect(stdout).toMatch(/^cluster +2 of 2 +0 +vm-1, vm-2$/m)
    expect(stdout).toMatch(/^vm-3 +Pending .* cluster: 2 of 2 used$/m)
  }, 60_000)

  test('a flag that it is too old for is refused', async () => {
    const mig = await oldCluster(release, '01-normal', 1)
    const { code, stdout, stderr } = await mig('migrate vm-1 --to-node node-3')
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
    expect(stderr).toContain(
      `error: --to-node needs KubeVirt 1.6, and this cluster runs ${release.slice(1, 4)}\n`,
    )
  }, 60_000)
})
