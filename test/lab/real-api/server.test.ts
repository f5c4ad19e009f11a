import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { connect } from '../../../src/cluster/config.ts'
import { wellKnownUsers } from '../../../src/lab/api/users.ts'
import { findBinaries } from '../../../src/lab/real-api/binaries.ts'
import { customKinds, definitions } from '../../../src/lab/real-api/definitions.ts'
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
