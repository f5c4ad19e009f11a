import { expect, test } from 'vitest'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { until } from '../migrate/stage.ts'
import { startRelay } from './relay.ts'
import { theatre } from './theatre.ts'

test('a server that is restarted is told in a line, and everything goes on', async () => {
  let relay = await startRelay('https://127.0.0.1:1')
  const stage = await theatre(['vm-1', 'vm-2'], async (url) => {
    relay = await startRelay(url)
    return relay.url
  })
  const migrating = stage.start('migrate vm-1')
  const migration = await stage.theMigrationOf('vm-1')
  await stage.advance(migration, 'Scheduling')
  await until(() => migrating.stderr().includes('Scheduling') || undefined)
  const watching = ['status -w', 'status -w vm-1', 'queue -w', 'status -w -o json'].map(stage.start)
  const all = [migrating, ...watching]
  for (const { stdout } of watching) await until(() => stdout() || undefined)
  // Of a watch that has begun; what is shown first may come from the list before it.
  await stage.advance(migration, 'Scheduled')
  for (const { stdout, stderr } of all)
    await until(() => (stdout() + stderr()).includes('Scheduled') || undefined)

  await relay.cut()
  const lost = /connection lost, trying again: .*(ECONNREFUSED|refused|broke|reset|nobody listens)/i
  for (const { stdout, stderr } of all)
    await until(() => lost.test(stdout() + stderr()) || undefined)
  await stage.advance(migration, 'Running')
  await relay.mend()
  for (const { stdout, stderr } of all)
    await until(() => /connection is back/i.test(stdout() + stderr()) || undefined)
  for (const { stdout, stderr } of all)
    await until(() => (stdout() + stderr()).includes('Running') || undefined)
  await stage.advance(migration, 'Succeeded')

  expect(await migrating.ended).toMatchObject({ code: 0 })
  expect(await watching[1]!.ended).toMatchObject({ code: 0 })
  await until(() => watching[2]!.stdout().includes('vm-1: has ended') || undefined)
  for (const { child, ended } of [watching[0]!, watching[2]!, watching[3]!]) {
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 130, stderr: expect.not.stringContaining('error: ') })
  }
}, 120_000)

test.each([
  ['status -w', 'cannot watch virtualmachineinstancemigrations in namespace "demo"'],
  ['status -w vm-1', 'cannot watch virtualmachineinstancemigrations in namespace "demo"'],
  ['queue -w', 'cannot watch virtualmachineinstancemigrations'],
  ['migrate vm-2', 'cannot watch virtualmachineinstancemigrations in namespace "demo"'],
])('%s: a refused watch is one line, with the role that helps, and 8', async (line, message) => {
  const stage = await theatre(['vm-1', 'vm-2'])
  await grantLists(stage.admin)
  const { ended } = stage.start('migrate vm-1 --no-wait')
  await ended
  const { code, stderr } = await stage.mig(`${line} --as lister`)
  expect(code).toBe(8)
  const [error = '', hint, ...rest] = stderr.split('\n').slice(-3)
  expect(error).toContain(`error: ${message}: user "lister" may not watch`)
  expect(rest).toEqual([''])
  if (line.startsWith('migrate')) {
    expect(error).toMatch(/; migration "\S+" goes on$/)
    expect(hint).toContain('kubectl mig cancel')
  }
  expect(hint).toMatch(/^hint: ClusterRole kubevirt.io:view grants it/)
})

test.each(['SIGTERM', 'SIGHUP'] as const)(
  '%s ends the waiting, not the migration, and that is said',
  async (signal) => {
    const stage = await theatre(['vm-1'])
    const { child, ended, stderr } = stage.start('migrate vm-1')
    const { metadata } = await stage.theMigrationOf('vm-1')
    await until(() => stderr().includes('Created') || undefined)
    child.kill(signal)
    const { code, stderr: told } = await ended
    expect(code).toBe(130)
    expect(told).toContain(`error: interrupted; migration "${metadata.name}" goes on\n`)
    expect((await stage.migration(metadata.name)).metadata.deletionTimestamp).toBeUndefined()
  },
)

/** Everything but watching. */
async function grantLists({ request }: Cluster): Promise<void> {
  const path = '/apis/rbac.authorization.k8s.io/v1'
  const metadata = { name: 'lister' }
  const verbs = ['get', 'list', 'create']
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs }]
  await request({ method: 'POST', path: `${path}/clusterroles`, body: { metadata, rules } })
  const apiGroup = 'rbac.authorization.k8s.io'
  const body = {
    metadata,
    subjects: [{ kind: 'User', name: 'lister', apiGroup }],
    roleRef: { kind: 'ClusterRole', name: 'lister', apiGroup },
  }
  await request({ method: 'POST', path: `${path}/clusterrolebindings`, body })
}
