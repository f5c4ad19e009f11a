import { expect, test } from 'vitest'
import type { ApiRequest, Cluster } from '../../src/cluster/cluster.ts'
import { liveNames } from '../../src/completion/live.ts'
import type { Source } from '../../src/completion/sources.ts'

const table = (
  columns: string[],
  rows: [name: string, ...cells: string[]][],
  made: string[] = [],
) => ({
  columnDefinitions: ['Name', ...columns].map((name) => ({ name })),
  rows: rows.map((cells, i) => ({
    cells,
    object: { metadata: { name: cells[0], creationTimestamp: made[i] ?? '' } },
  })),
})

const TABLES: Record<string, unknown> = {
  virtualmachineinstances: table(
    ['Phase', 'NodeName'],
    [
      ['vm-1', 'Running', 'node-1'],
      ['vm-2', 'Scheduling', ''],
    ],
  ),
  virtualmachineinstancemigrations: table(
    ['Phase', 'VMI'],
    [
      ['new', 'Succeeded', 'vm-1'],
      ['old', 'Failed', 'vm-1'],
      ['now', 'Running', 'vm-2'],
      ['late', 'Failed', 'vm-2'],
    ],
    ['2026-01-02', '2026-01-01', '2026-01-01', '2026-01-02'],
  ),
  nodes: table(['Status'], [['node-1', 'Ready']]),
  namespaces: table([], [['default']]),
}

async function names(source: Source, partial = '') {
  const asked: ApiRequest[] = []
  const cluster = {
    namespace: 'demo',
    request: async (request: ApiRequest) => {
      asked.push(request)
      return TABLES[request.path.split('/').at(-1)!]
    },
  } as unknown as Cluster
  const found = await liveNames(cluster, source, partial, AbortSignal.timeout(1000))
  expect(asked).toHaveLength(1)
  expect(asked[0]!.accept).toContain('as=Table')
  return found
}

test('VMs that run, with their nodes', async () => {
  expect(await names('running')).toEqual([{ value: 'vm-1', description: 'on node-1' }])
})

test('each VM once, with the migration that is in flight or else the newest', async () => {
  expect(await names('moved')).toEqual([
    { value: 'vm-1', description: 'Succeeded (new)' },
    { value: 'vm-2', description: 'Running (now)' },
  ])
})

test('only VMs with a migration in flight', async () => {
  expect(await names('moving')).toEqual([{ value: 'vm-2', description: 'Running (now)' }])
})

test('migrations by their own names, where vmim/ was typed', async () => {
  expect(await names('moving', 'vmim/')).toEqual([
    { value: 'vmim/now', description: 'vm-2: Running' },
  ])
  expect((await names('moved', 'vmim/')).map(({ value }) => value)).toEqual(
    ['new', 'old', 'now', 'late'].map((name) => `vmim/${name}`),
  )
})

test('VMs with the kind that was typed', async () => {
  expect(await names('running', 'vm/v')).toEqual([{ value: 'vm/vm-1', description: 'on node-1' }])
})

test('nodes and namespaces', async () => {
  expect(await names('nodes')).toEqual([{ value: 'node-1', description: 'Ready' }])
  expect(await names('running', 'node/')).toEqual([{ value: 'node/node-1', description: 'Ready' }])
  expect(await names('namespaces')).toEqual([{ value: 'default', description: undefined }])
})

test('labels once each, with how many have them, behind those that are given', async () => {
  const labelled = (name: string, labels: Record<string, string>) => ({
    cells: [name],
    object: { metadata: { name, labels } },
  })
  const rows = [
    labelled('a', { tier: 'web', app: 'a' }),
    labelled('b', { tier: 'web' }),
    { cells: ['c'], object: { metadata: { name: 'c' } } },
  ]
  const asked: string[] = []
  const cluster = {
    namespace: 'demo',
    request: async ({ path }: ApiRequest) => {
      asked.push(path.split('/').at(-1)!)
      return { columnDefinitions: [{ name: 'Name' }], rows }
    },
  } as unknown as Cluster
  const signal = AbortSignal.timeout(1000)
  expect(await liveNames(cluster, 'vm-labels', '', signal)).toEqual([
    { value: 'app=a', description: '1 VM' },
    { value: 'tier=web', description: '2 VMs' },
  ])
  expect((await liveNames(cluster, 'node-labels', 'x=y,ti', signal))[1]).toEqual({
    value: 'x=y,tier=web',
    description: '2 nodes',
  })
  await liveNames(cluster, 'migration-labels', '', signal)
  expect(asked).toEqual(['virtualmachineinstances', 'nodes', 'virtualmachineinstancemigrations'])
})
