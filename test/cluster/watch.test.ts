import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ApiError } from '../../src/cluster/api-error.ts'
import { backoff } from '../../src/cluster/backoff.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { connect } from '../../src/cluster/config.ts'
import { type WatchEvent, type WatchOptions, watch } from '../../src/cluster/watch.ts'
import { VMIS } from '../../src/kubevirt/resources.ts'
import type { KubeObject } from '../../src/kubevirt/types.ts'
import { impatientClock } from './clock.ts'
import { answering, breaking, type FakeApi, resetting, startFakeApi } from './fake-api.ts'
import { kubeconfig } from './server.ts'
import { until } from './until.ts'

let api: FakeApi
let cluster: Cluster
let stop: AbortController
/** What the watch told, in words: `ADDED vm-1`, `SYNC`, `lost ECONNRESET`, `regained`. */
let told: string[]
let clock: ReturnType<typeof impatientClock>
let running: Promise<void>

beforeEach(async () => {
  api = await startFakeApi()
  clock = impatientClock()
  cluster = await connect({ kubeconfigText: kubeconfig(api.server), env: {}, clock })
  stop = new AbortController()
  told = []
})

afterEach(async () => {
  stop.abort()
  await running
  await cluster.close()
  await api.server.close()
})

interface Following extends WatchOptions {
  onEvent?(event: WatchEvent<KubeObject>): void
}

function start(options: Following = {}): void {
  running = follow(options)
  running.catch(() => undefined)
}

async function follow({ onEvent, ...options }: Following): Promise<void> {
  const events = watch<KubeObject>(cluster, VMIS, {
    namespace: 'demo',
    signal: stop.signal,
    clock,
    onLost: (err) => told.push(`lost ${err.code}`),
    onRegained: () => told.push('regained'),
    ...options,
  })
  for await (const event of events) {
    onEvent?.(event)
    told.push(event.type === 'SYNC' ? 'SYNC' : `${event.type} ${event.object.metadata.name}`)
  }
}

/** Waits until the watch has told exactly this, and forgets it. */
async function tells(...expected: string[]): Promise<void> {
  await until(() => expect(told).toEqual(expected))
  told.length = 0
}

async function begins(...expected: string[]): Promise<void> {
  await tells(...expected)
  await until(() => expect(api.watching()).toBe(1))
}

describe('a watch', () => {
  test('tells what is there, then what happens', async () => {
    api.set('vm-1')
    start()
    await begins('ADDED vm-1', 'SYNC')
    api.set('vm-2')
    api.set('vm-1')
    api.remove('vm-2')
    await tells('ADDED vm-2', 'MODIFIED vm-1', 'DELETED vm-2')
  })

  test('asks for bookmarks, a limited time and what was selected', async () => {
    start({ labelSelector: 'a=b', fieldSelector: 'metadata.name=x' })
    await begins('SYNC')
    const [query] = api.watches()
    expect(Object.fromEntries(query!)).toMatchObject({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: '10',
      labelSelector: 'a=b',
      fieldSelector: 'metadata.name=x',
    })
    expect(Number(query!.get('timeoutSeconds'))).toBeGreaterThanOrEqual(300)
    expect(Number(query!.get('timeoutSeconds'))).toBeLessThanOrEqual(600)
  })

  test('starts from a resource version without a list', async () => {
    api.set('vm-1')
    api.set('vm-2')
    start({ resourceVersion: '11' })
    await begins('ADDED vm-2')
    expect(api.lists()).toBe(0)
  })

  test('ends at once with its signal, and when its reader leaves', async () => {
    start()
    await begins('SYNC')
    stop.abort()
    await running
    api.set('vm-1')
    const events = watch<KubeObject>(cluster, VMIS, { namespace: 'demo' })
    for await (const event of events) if (event.type === 'SYNC') break
    await until(() => expect(api.watching()).toBe(0))
  })
})

describe('it resumes where it was', () => {
  test('after the server ended it, from the last event or bookmark', async () => {
    start()
    await begins('SYNC')
    api.set('vm-1')
    await tells('ADDED vm-1')
    api.endWatches()
    await until(() => expect(api.watching()).toBe(1))
    api.bookmark()
    api.set('vm-2')
    await tells('ADDED vm-2')
    api.endWatches()
    await until(() => expect(api.watches()).toHaveLength(3))
    expect(api.watches().map((query) => query.get('resourceVersion'))).toEqual(['10', '11', '13'])
    expect(api.lists()).toBe(1)
    expect(told).toEqual([])
  })

  test('after a reset, and says that it was lost and is back', async () => {
    start()
    await begins('SYNC')
    api.set('vm-1')
    await tells('ADDED vm-1')
    api.server.cut()
    api.set('vm-2')
    await tells('lost ECONNRESET', 'regained', 'ADDED vm-2')
    expect(api.lists()).toBe(1)
  })

  test('after many failures in a row, waiting longer each time', async () => {
    start()
    await begins('SYNC')
    api.next('watch', ...Array(8).fill(breaking))
    api.server.cut()
    await tells(
      ...Array(8).fill(['lost ECONNRESET', 'regained']).flat(),
      'lost ECONNRESET',
      'regained',
    )
    const waits = clock.slept
    expect(waits[0]).toBeLessThanOrEqual(250)
    expect(waits.at(-1)).toBeGreaterThanOrEqual(7500)
    expect(Math.max(...waits)).toBeLessThanOrEqual(15_000)
    api.set('vm-1')
    await tells('ADDED vm-1')
  })

  test('after the server was restarted', async () => {
    start()
    await begins('SYNC')
    const port = Number(new URL(api.server.url).port)
    await api.server.close()
    await until(() => expect(told).toContain('lost ECONNREFUSED'))
    api = await startFakeApi({ port })
    await until(() => expect(told.at(-1)).toBe('regained'))
    told.length = 0
    api.set('vm-1')
    await tells('ADDED vm-1')
  })

  test('after an event that was cut in the middle', async () => {
    start()
    await begins('SYNC')
    api.say('{"type":"ADDED","obj')
    api.endWatches()
    api.set('vm-1')
    await tells('lost NOTJSON', 'regained', 'ADDED vm-1')
  })

  test('when nothing came for longer than the server was asked to watch', async () => {
    start({ timeoutSeconds: 0.3 })
    await begins('SYNC')
    await until(() => expect(api.watches().length).toBeGreaterThan(1))
    api.set('vm-1')
    await tells('ADDED vm-1')
  })

  test('with pauses when the server ends each watch at once', async () => {
    start()
    await begins('SYNC')
    api.next('watch', ...Array(5).fill((response: { end(): void }) => response.end()))
    api.endWatches()
    await until(() => expect(api.watches()).toHaveLength(7))
    expect(clock.slept.length).toBeGreaterThanOrEqual(5)
    expect(told).toEqual([])
  })
})

describe('it lists again and tells the difference', () => {
  test('when its place has expired', async () => {
    for (const name of ['gone', 'same', 'changed', 'replaced']) api.set(name)
    start()
    await begins('ADDED gone', 'ADDED same', 'ADDED changed', 'ADDED replaced', 'SYNC')
    api.server.cut()
    api.remove('gone')
    api.set('changed')
    api.set('replaced', 'another')
    api.set('new')
    api.compact()
    await tells(
      'lost ECONNRESET',
      'regained',
      'lost Expired',
      'MODIFIED changed',
      'DELETED replaced',
      'ADDED replaced',
      'ADDED new',
      'DELETED gone',
      'SYNC',
      'regained',
    )
    api.set('same')
    await tells('MODIFIED same')
  })

  test('in one piece, when the list itself expires on the way', async () => {
    api.set('vm-1')
    api.set('vm-2')
    api.next(
      'list',
      (response) => {
        const items = [{ metadata: { namespace: 'demo', name: 'vm-1', uid: 'vm-1' } }]
        response.end(JSON.stringify({ metadata: { resourceVersion: '1', continue: 'old' }, items }))
      },
      answering(410, { reason: 'Expired', metadata: { continue: 'new' } }),
    )
    start()
    await begins('ADDED vm-1', 'MODIFIED vm-1', 'ADDED vm-2', 'SYNC')
    expect(api.lists()).toBe(3)
  })

  test('by what it was to remember of each object', async () => {
    api.set('gone')
    api.set('same')
    const deleted: KubeObject[] = []
    start({
      remember: ({ metadata: { namespace, name, uid, resourceVersion } }) =>
        ({ metadata: { namespace, name, uid, resourceVersion }, spec: 'little' }) as KubeObject,
      onEvent: (event) => event.type === 'DELETED' && deleted.push(event.object),
    })
    await begins('ADDED gone', 'ADDED same', 'SYNC')
    api.server.cut()
    api.remove('gone')
    api.compact()
    await tells('lost ECONNRESET', 'regained', 'lost Expired', 'DELETED gone', 'SYNC', 'regained')
    expect(deleted).toMatchObject([{ metadata: { name: 'gone' }, spec: 'little' }])
  })

  test('at once and without a word when only its place has expired', async () => {
    api.set('vm-1')
    start()
    await begins('ADDED vm-1', 'SYNC')
    api.set('vm-1')
    await tells('MODIFIED vm-1')
    api.compact()
    api.bookmark()
    api.compact()
    api.say(
      '{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}\n',
    )
    await tells('SYNC')
    expect(clock.slept).toEqual([])
  })

  test('when a 410 is the answer to the watch itself', async () => {
    start({ resourceVersion: '5' })
    api.next('watch', answering(410, { reason: 'Expired' }))
    await begins('SYNC')
  })

  test('when the server reports an error within the watch', async () => {
    start()
    await begins('SYNC')
    api.say(
      '{"type":"ERROR","object":{"kind":"Status","code":500,"reason":"InternalError","message":"etcd"}}\n',
    )
    await tells('lost InternalError', 'SYNC', 'regained')
  })
})

describe('before it has begun', () => {
  test.each([
    ['a list that is not permitted', 'list', 403, 8],
    ['a kind that is not there', 'list', 404, 9],
    ['a watch that is not permitted', 'watch', 403, 8],
    ['a server in trouble', 'list', 500, 1],
  ] as const)('%s ends it', async (_, kind, code, exit) => {
    api.next(kind, answering(code, { message: 'no' }))
    start()
    const err = (await running.catch((reason) => reason)) as ApiError
    expect(err).toMatchObject({ status: code, exit })
    running = Promise.resolve()
  })

  test('a broken connection after the list does not', async () => {
    api.next('watch', ...Array(6).fill(resetting))
    start()
    await tells('SYNC', 'lost ECONNRESET', 'regained')
  })

  test('once it has, even a lost permission does not', async () => {
    start()
    await begins('SYNC')
    api.next('watch', answering(403))
    api.next('list', answering(403), answering(404))
    api.endWatches()
    await tells('lost HTTP403', 'lost HTTP403', 'lost HTTP404', 'SYNC', 'regained')
  })
})

test('the wait between failures doubles, within bounds, and is spread', () => {
  const longest = [1, 2, 3, 20, 2000].map((failures) => backoff(failures, () => 1))
  expect(longest).toEqual([250, 500, 1000, 15_000, 15_000])
  expect(backoff(1, () => 0)).toBe(125)
})
