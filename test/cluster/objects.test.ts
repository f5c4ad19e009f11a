import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { Cluster } from '../../src/cluster/cluster.ts'
import {
  create,
  get,
  getIfExists,
  list,
  pages,
  patch,
  remove,
  replace,
} from '../../src/cluster/objects.ts'
import { MIGRATIONS, NODES, PODS } from '../../src/kubevirt/resources.ts'
import { connectTo, type Handler, serve, status, type TestServer } from './server.ts'

let server: TestServer
let cluster: Cluster

async function start(handler: Handler): Promise<void> {
  server = await serve(handler)
  cluster = await connectTo(server)
}

const requests = () => server.seen.map(({ method, url }) => `${method} ${decodeURIComponent(url)}`)

test('get reads an object, getIfExists undefined when there is none', async () => {
  await start(({ url }, response) =>
    url.endsWith('/a') ? { metadata: { name: 'a' } } : status(response, 404, {}),
  )
  expect(await get(cluster, NODES, { name: 'a' })).toEqual({ metadata: { name: 'a' } })
  expect(await getIfExists(cluster, PODS, { namespace: 'demo', name: 'b' })).toBeUndefined()
  await expect(get(cluster, NODES, { name: 'b' })).rejects.toMatchObject({ status: 404 })
  expect(requests()).toEqual([
    'GET /api/v1/nodes/a',
    'GET /api/v1/namespaces/demo/pods/b',
    'GET /api/v1/nodes/b',
  ])
})

test('what is no object is told as what it is', async () => {
  await start((_, response) => void response.writeHead(200, JSON_TYPE).end('null'))
  await expect(get(cluster, NODES, { name: 'a' })).rejects.toMatchObject({
    message: `cannot get nodes "a": the server answered no object (${cluster.server})`,
    exit: 1,
  })
})

test('getIfExists does not take a refusal for an absence', async () => {
  await start((_, response) => status(response, 403, {}))
  await expect(getIfExists(cluster, NODES, { name: 'a' })).rejects.toMatchObject({ status: 403 })
})

const JSON_TYPE = { 'content-type': 'application/json' }

describe('lists', () => {
  /** Seven nodes, in pages as asked for; `expire` says at which page to answer 410. */
  function nodes({
    expire = () => false as false | object,
  }: {
    expire?: (page: number) => false | object
  } = {}): Handler {
    return ({ url }, response: ServerResponse) => {
      const query = new URL(url, 'http://x').searchParams
      const start = Number(query.get('continue') ?? 0)
      const limit = Number(query.get('limit')) || 7
      const gone = expire(start)
      if (gone) return status(response, 410, { reason: 'Expired', ...gone })
      const items = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
        .slice(start, start + limit)
        .map((name) => ({ metadata: { name } }))
      const more = start + limit < 7 ? { continue: String(start + limit) } : {}
      return { kind: 'NodeList', metadata: { resourceVersion: '5', ...more }, items }
    }
  }
  const namesOf = (items: { metadata: { name: string } }[]) =>
    items.map(({ metadata }) => metadata.name).join('')

  test('come page by page and are one list', async () => {
    await start(nodes())
    const all = await list(cluster, NODES, {
      limit: 3,
      labelSelector: 'x=y',
      fieldSelector: 'spec.a=b',
    })
    expect(namesOf(all.items)).toBe('abcdefg')
    expect(all.metadata).toEqual({ resourceVersion: '5' })
    expect(requests()).toEqual([
      'GET /api/v1/nodes?labelSelector=x=y&fieldSelector=spec.a=b&limit=3',
      'GET /api/v1/nodes?labelSelector=x=y&fieldSelector=spec.a=b&limit=3&continue=3',
      'GET /api/v1/nodes?labelSelector=x=y&fieldSelector=spec.a=b&limit=3&continue=6',
    ])
  })

  test('ask for 500 at a time, of all namespaces or one', async () => {
    await start(nodes())
    await list(cluster, PODS)
    await list(cluster, PODS, { namespace: 'demo' })
    expect(requests()).toEqual([
      'GET /api/v1/pods?limit=500',
      'GET /api/v1/namespaces/demo/pods?limit=500',
    ])
  })

  test('say of each item what it is, as single objects do', async () => {
    await start(({ url }) => ({
      metadata: {},
      items: url.includes('pods')
        ? [{ metadata: { name: 'a' } }]
        : [{ kind: 'Own', apiVersion: 'x/v1', metadata: { name: 'b' } }],
    }))
    expect((await list(cluster, PODS)).items[0]).toMatchObject({ apiVersion: 'v1', kind: 'Pod' })
    expect((await list(cluster, MIGRATIONS)).items[0]).toMatchObject({
      apiVersion: 'x/v1',
      kind: 'Own',
    })
  })

  test('of nothing are empty, even when the server says null', async () => {
    await start(() => ({ metadata: {}, items: null }))
    expect((await list(cluster, PODS)).items).toEqual([])
  })

  test.each([
    ['null', 'no list'],
    ['{"metadata": {}, "items": {}}', 'no list'],
    ['{"items": []}', 'no list'],
    ['{"metadata": {}, "items": [null]}', 'a list with an item that is no object'],
    ['{"metadata": {}, "items": [{"kind": "Node"}]}', 'a list with an item that is no object'],
  ])('%s is told as what it is', async (body, what) => {
    await start((_, response) => void response.writeHead(200, JSON_TYPE).end(body))
    await expect(list(cluster, NODES)).rejects.toMatchObject({
      message: `cannot list nodes: the server answered ${what} (${cluster.server})`,
      exit: 1,
    })
  })

  test('start again, whole, when their snapshot expires on the way', async () => {
    await start(nodes({ expire: (page) => page === 6 && {} }))
    expect(namesOf((await list(cluster, NODES, { limit: 3 })).items)).toBe('abcdefg')
    expect(requests().at(-1)).toBe('GET /api/v1/nodes?limit=0')
  })

  test('as pages go on, when their snapshot has expired, with the token that the server offers', async () => {
    await start(({ url }, response) => {
      const token = new URL(url, 'http://x').searchParams.get('continue')
      const page = (name: string, next?: string) => ({
        metadata: { continue: next },
        items: [{ metadata: { name } }],
      })
      if (token === null) return page('a', 'old')
      if (token === 'old')
        return status(response, 410, { reason: 'Expired', metadata: { continue: 'new' } })
      return page('b')
    })
    const seen: string[] = []
    for await (const page of pages(cluster, NODES)) seen.push(namesOf(page.items))
    expect(seen).toEqual(['a', 'b'])
    expect(requests().map((request) => request.split('continue=')[1])).toEqual([
      undefined,
      'old',
      'new',
    ])
  })

  test('as pages end when the server offers none', async () => {
    await start(nodes({ expire: (page) => page === 3 && {} }))
    const seen: string[] = []
    await expect(async () => {
      for await (const page of pages(cluster, NODES, { limit: 3 })) seen.push(namesOf(page.items))
    }).rejects.toMatchObject({ status: 410 })
    expect(seen).toEqual(['abc'])
  })
})

describe('writes', () => {
  const at = { namespace: 'demo', name: 'm' }

  test.each([
    [
      'create',
      () =>
        create(
          cluster,
          MIGRATIONS,
          { spec: {} },
          { namespace: 'demo', fieldValidation: 'Strict', dryRun: true },
        ),
      'POST /apis/kubevirt.io/v1/namespaces/demo/virtualmachineinstancemigrations?dryRun=All&fieldValidation=Strict',
      'application/json',
      { spec: {} },
    ],
    [
      'create of a subresource',
      () => create(cluster, PODS, {}, { ...at, subresource: 'eviction' }),
      'POST /api/v1/namespaces/demo/pods/m/eviction',
      'application/json',
      {},
    ],
    [
      'replace',
      () => replace(cluster, MIGRATIONS, { ...at, subresource: 'status' }, { a: 1 }),
      'PUT /apis/kubevirt.io/v1/namespaces/demo/virtualmachineinstancemigrations/m/status',
      'application/json',
      { a: 1 },
    ],
    [
      'merge patch',
      () => patch(cluster, PODS, at, { a: 1 }, 'merge'),
      'PATCH /api/v1/namespaces/demo/pods/m',
      'application/merge-patch+json',
      { a: 1 },
    ],
    [
      'JSON patch',
      () => patch(cluster, PODS, at, [{ op: 'test' }], 'json', { dryRun: true }),
      'PATCH /api/v1/namespaces/demo/pods/m?dryRun=All',
      'application/json-patch+json',
      [{ op: 'test' }],
    ],
    [
      'strategic patch',
      () => patch(cluster, PODS, at, {}, 'strategic'),
      'PATCH /api/v1/namespaces/demo/pods/m',
      'application/strategic-merge-patch+json',
      {},
    ],
    [
      'apply',
      () => patch(cluster, PODS, at, { a: 1 }, 'apply', { force: true }),
      'PATCH /api/v1/namespaces/demo/pods/m?fieldManager=kubectl-mig&force=true',
      'application/apply-patch+yaml',
      { a: 1 },
    ],
    [
      'remove',
      () => remove(cluster, PODS, at),
      'DELETE /api/v1/namespaces/demo/pods/m',
      'application/json',
      { kind: 'DeleteOptions', apiVersion: 'v1' },
    ],
    [
      'remove with options',
      () =>
        remove(cluster, PODS, at, {
          gracePeriodSeconds: 0,
          propagationPolicy: 'Foreground',
          preconditions: { uid: 'u' },
          dryRun: true,
        }),
      'DELETE /api/v1/namespaces/demo/pods/m',
      'application/json',
      {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        gracePeriodSeconds: 0,
        propagationPolicy: 'Foreground',
        preconditions: { uid: 'u' },
        dryRun: ['All'],
      },
    ],
  ])('%s', async (_, write, request, contentType, body) => {
    await start(() => ({ done: true }))
    expect(await write()).toEqual({ done: true })
    expect(requests()).toEqual([request])
    expect(server.seen[0]!.headers['content-type']).toBe(contentType)
    expect(JSON.parse(server.seen[0]!.body)).toEqual(body)
  })
})
