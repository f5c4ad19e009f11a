import { expect, test } from 'vitest'
import { CORE, pod, startTestApi } from './harness.ts'

const strategic = { method: 'PATCH', contentType: 'application/strategic-merge-patch+json' }

test('a strategic merge merges lists by their keys', async () => {
  const { send } = await startTestApi()
  await send(`${CORE}/pods`, { body: pod('p') })
  const condition = (type: string, status: string) => ({ type, status, lastProbeTime: null })
  const patch = (conditions: object[]) =>
    send(`${CORE}/pods/p/status`, { ...strategic, body: { status: { conditions } } })
  await patch([condition('Ready', 'False'), condition('Initialized', 'True')])
  const { body } = await patch([condition('Ready', 'True')])
  expect(
    body.status.conditions.map((c: { type: string; status: string }) => [c.type, c.status]),
  ).toEqual([
    ['Ready', 'True'],
    ['Initialized', 'True'],
  ])
  const removed = await patch([{ $patch: 'delete', type: 'Ready' }])
  expect(removed.body.status.conditions).toHaveLength(1)
})

test('directives replace, delete from a set and give the order', async () => {
  const { send } = await startTestApi()
  const metadata = { finalizers: ['x/1', 'x/2'], labels: { a: '1', b: '2' } }
  await send(`${CORE}/pods`, { body: pod('p', {}, metadata) })
  const patch = (body: object) => send(`${CORE}/pods/p`, { ...strategic, body })
  const less = await patch({ metadata: { '$deleteFromPrimitiveList/finalizers': ['x/1'] } })
  expect(less.body.metadata.finalizers).toEqual(['x/2'])
  const replaced = await patch({ metadata: { labels: { $patch: 'replace', c: '3' } } })
  expect(replaced.body.metadata.labels).toEqual({ c: '3' })

  const ports = [80, 81, 82].map((port) => ({ port, name: `p${port}` }))
  await send(`${CORE}/services`, { body: { metadata: { name: 's' }, spec: { ports } } })
  const body = { spec: { '$setElementOrder/ports': [{ port: 82 }, { port: 80 }, { port: 81 }] } }
  const ordered = await send(`${CORE}/services/s`, { ...strategic, body })
  expect(ordered.body.spec.ports.map((p: { port: number }) => p.port)).toEqual([82, 80, 81])
})

test('a merge patch drops what is null and leaves nulls inside of lists', async () => {
  const { send } = await startTestApi()
  const path = '/apis/kubevirt.io/v1/namespaces/kubevirt/kubevirts'
  await send(path, { body: { metadata: { name: 'kubevirt', labels: { a: 'b' } }, spec: {} } })
  const merge = { method: 'PATCH', contentType: 'application/merge-patch+json' }
  const conditions = [{ type: 'Available', status: 'True', lastProbeTime: null }]
  await send(`${path}/kubevirt/status`, { ...merge, body: { status: { conditions, phase: 'x' } } })
  const { body } = await send(`${path}/kubevirt/status`, {
    ...merge,
    body: { status: { phase: null } },
  })
  expect(body.status).toEqual({ conditions })
  const test = [{ op: 'test', path: '/status/conditions', value: conditions }]
  const json = { method: 'PATCH', contentType: 'application/json-patch+json', body: test }
  expect((await send(`${path}/kubevirt/status`, json)).status).toBe(200)
})
