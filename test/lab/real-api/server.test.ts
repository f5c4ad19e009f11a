import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { connect } from '../../../src/cluster/config.ts'
import { create, getIfExists, patch, remove } from '../../../src/cluster/objects.ts'
import { NAMESPACES } from '../../../src/kubevirt/resources.ts'
import { customKinds, definitions } from '../../../src/lab/api/definitions.ts'
import { wellKnownUsers } from '../../../src/lab/api/users.ts'
import { findBinaries } from '../../../src/lab/real-api/binaries.ts'
import { startRealApiServer } from '../../../src/lab/real-api/server.ts'

const binaries = await findBinaries(process.env)

test('binaries are looked for where the environment says, and taken only if both are there', async () => {
  expect(await findBinaries({ KUBEBUILDER_ASSETS: '/nowhere', HOME: '/nowhere' })).toBeUndefined()
})

test('every kind that Kubernetes lacks has a definition, with columns that can be found', () => {
  const all = definitions() as unknown as {
    metadata: { name: string }
    spec: { versions: { storage: boolean; additionalPrinterColumns: { jsonPath: string }[] }[] }
  }[]
  expect(all.map(({ metadata }) => metadata.name)).toEqual(
    customKinds().map(({ group, plural }) => `${plural}.${group}`),
  )
  for (const { spec } of all) {
    expect(spec.versions.filter(({ storage }) => storage)).toHaveLength(1)
    for (const { additionalPrinterColumns } of spec.versions)
      for (const { jsonPath } of additionalPrinterColumns) expect(jsonPath).toMatch(/^\.[a-z]/)
  }
})

test.skipIf(!binaries)(
  'it leaves no folder and no process behind',
  async () => {
    const parentFolder = await mkdtemp(join(tmpdir(), 'kubectl-mig-test-'))
    onTestFinished(() => rm(parentFolder, { recursive: true }))
    const users = wellKnownUsers(['node-1'])
    const options = { binaries: binaries!, clock: systemClock, users, parentFolder }
    const server = await startRealApiServer(options)
    expect(await readdir(parentFolder)).toHaveLength(1)
    const cluster = await connect({ kubeconfigText: server.kubeconfig('admin'), env: {} })
    expect(await cluster.text({ path: '/readyz' })).toBe('ok')

    // A namespace that is deleted goes with what is in it.
    const CONFIG_MAPS = {
      group: '',
      version: 'v1',
      plural: 'configmaps',
      kind: 'ConfigMap',
      namespaced: true,
    }
    const metadata = { name: 'gone' }
    await create(cluster, NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata }, {})
    const held = { metadata: { name: 'held', finalizers: ['test/hold'] } }
    const inside = { namespace: 'gone' }
    await create(cluster, CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', ...held }, inside)
    await remove(cluster, NAMESPACES, { name: 'gone' }, {})
    const find = () => getIfExists(cluster, CONFIG_MAPS, { ...inside, name: 'held' })
    await expect.poll(async () => (await find())?.metadata.deletionTimestamp).toBeTruthy()
    expect(await getIfExists(cluster, NAMESPACES, { name: 'gone' })).toBeDefined()
    const free = { metadata: { finalizers: null } }
    await patch(cluster, CONFIG_MAPS, { ...inside, name: 'held' }, free, 'merge')
    const left = () => getIfExists(cluster, NAMESPACES, { name: 'gone' })
    await expect.poll(left, { timeout: 20_000 }).toBeUndefined()
    await cluster.close()
    await Promise.all([server.close(), server.close()])
    await expect(fetch(server.url)).rejects.toThrow('fetch failed')
    expect(await readdir(parentFolder)).toEqual([])
  },
  150_000,
)

test.skipIf(!binaries)(
  'a server that can not start says what it said last, and leaves nothing',
  async () => {
    const wrong = { kubeApiServer: '/bin/false', etcd: binaries!.etcd }
    const users = wellKnownUsers([])
    const start = startRealApiServer({ binaries: wrong, clock: systemClock, users })
    await expect(start).rejects.toThrow('false ended with code 1')
  },
  60_000,
)
