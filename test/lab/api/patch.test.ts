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

test('a merge patch drops what is null, a JSON patch keeps it where there may be null', async () => {
  const { send } = await startTestApi()
  const path = '/apis/kubevirt.io/v1/namespaces/kubevirt/kubevirts'
  const type = { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt' }
  await send(path, { body: { ...type, metadata: { name: 'kubevirt' }, spec: {} } })
  const patch = (kind: string, body: unknown) => {
    const contentType = `application/${kind}-patch+json`
    return send(`${path}/kubevirt/status`, { method: 'PATCH', contentType, body })
  }
  const conditions = [{ type: 'Available', status: 'True', lastProbeTime: null }]
  const merged = await patch('merge', { status: { conditions, phase: 'x' } })
  expect(merged.body.status.conditions).toEqual([{ type: 'Available', status: 'True' }])
  const without = await patch('merge', { status: { phase: null } })
  expect(without.body.status).not.toHaveProperty('phase')
  const replaced = await patch('json', [
    { op: 'test', path: '/status/conditions/0/status', value: 'True' },
    { op: 'replace', path: '/status/conditions', value: conditions },
  ])
  expect(replaced.body.status).toEqual({ conditions })
})
