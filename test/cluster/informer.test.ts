import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { connect } from '../../src/cluster/config.ts'
import { type Informer, type InformerOptions, startInformer } from '../../src/cluster/informer.ts'
import { VMIS } from '../../src/kubevirt/resources.ts'
import type { KubeObject } from '../../src/kubevirt/types.ts'
import { impatientClock } from './clock.ts'
import { answering, type FakeApi, startFakeApi } from './fake-api.ts'
import { kubeconfig } from './server.ts'
import { until } from './until.ts'

let api: FakeApi
let cluster: Cluster
let informer: Informer<KubeObject>

beforeEach(async () => {
  api = await startFakeApi()
  cluster = await connect({ kubeconfigText: kubeconfig(api.server), env: {} })
})

afterEach(async () => {
  await informer.close()
  await cluster.close()
  await api.server.close()
})

async function start(options: InformerOptions<KubeObject> = {}): Promise<void> {
  informer = startInformer(cluster, VMIS, {
    namespace: 'demo',
    clock: impatientClock(),
    ...options,
  })
  await informer.synced
  await until(() => expect(api.watching()).toBe(1))
}

const names = () => informer.list().map(({ metadata }) => metadata.name)

test('it holds what is there and follows what changes', async () => {
  api.set('vm-1')
  await start()
  expect(names()).toEqual(['vm-1'])
  expect(informer.get('demo', 'vm-1')?.metadata.uid).toBe('vm-1')
  expect(informer.get('other', 'vm-1')).toBeUndefined()
  expect(informer.lastResourceVersion).toBe('11')
  api.set('vm-2')
  api.remove('vm-1')
  await until(() => expect(names()).toEqual(['vm-2']))
  expect(informer.lastResourceVersion).toBe('13')
})

test('listeners hear changes once the cache holds them, until they leave', async () => {
  const first: string[] = []
  await start({
    onChange: ({ type, object }) => first.push(`${type} ${object.metadata.name} ${names()}`),
  })
  const second: string[] = []
  const leave = informer.on(({ type }) => second.push(type))
  api.set('vm-1')
  await until(() => expect(second).toEqual(['ADDED']))
  leave()
  api.remove('vm-1')
  await until(() => expect(first).toEqual(['ADDED vm-1 vm-1', 'DELETED vm-1 ']))
  expect(second).toEqual(['ADDED'])
})

test('a listener that throws stops neither the others nor the cache', async () => {
  const onError = vi.fn()
  const heard: string[] = []
  const bug = new Error('bug')
  const onChange = () => {
    throw bug
  }
  await start({ onChange, onError })
  informer.on(({ object }) => heard.push(object.metadata.name))
  api.set('vm-1')
  api.set('vm-2')
  await until(() => expect(heard).toEqual(['vm-1', 'vm-2']))
  expect(names()).toEqual(['vm-1', 'vm-2'])
  expect(onError.mock.calls).toEqual([[bug], [bug]])
})

test('objects are found by what indexes say of them, as they are now', async () => {
  api.set('vm-1', 'even')
  api.set('vm-2', 'odd')
  await start({ indexes: { uid: ({ metadata }) => [metadata.uid!] } })
  const found = (uid: string) => informer.by('uid', uid).map(({ metadata }) => metadata.name)
  expect([found('even'), found('odd'), found('none')]).toEqual([['vm-1'], ['vm-2'], []])
  api.set('vm-1', 'odd')
  await until(() => expect([found('even'), found('odd')]).toEqual([[], ['vm-2', 'vm-1']]))
  api.remove('vm-2')
  await until(() => expect(found('odd')).toEqual(['vm-1']))
  expect(() => informer.by('name', 'x')).toThrow('no index "name"')
})

test('a reset loses nothing, and is told', async () => {
  const told: string[] = []
  await start({
    onLost: (err) => told.push(`lost ${err.code}`),
    onRegained: () => told.push('regained'),
  })
  api.set('gone')
  await until(() => expect(names()).toEqual(['gone']))
  api.server.cut()
  api.remove('gone')
  api.set('vm-1')
  api.compact()
  await until(() => expect(names()).toEqual(['vm-1']))
  await until(() => expect(told.at(-1)).toBe('regained'))
  expect(told[0]).toBe('lost ECONNRESET')
})

test('what keeps it from starting is told, and rejects synced', async () => {
  api.next('list', answering(403))
  const onError = vi.fn()
  await expect(start({ onError })).rejects.toMatchObject({ status: 403, exit: 8 })
  expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ status: 403 }))
})

test('it ends with close, twice too, and with its signal', async () => {
  await start()
  await informer.close()
  await informer.close()
  await until(() => expect(api.watching()).toBe(0))
  const stop = new AbortController()
  await start({ signal: stop.signal })
  stop.abort()
  await until(() => expect(api.watching()).toBe(0))
})

test('closed before it has synced, synced rejects', async () => {
  informer = startInformer(cluster, VMIS)
  await informer.close()
  await expect(informer.synced).rejects.toThrow('the informer was closed')
})
