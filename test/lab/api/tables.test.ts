import { describe, expect, test } from 'vitest'
import { ageOf } from '../../../src/lab/api/human-duration.ts'
import { CORE, configMap, pod, startTestApi } from './harness.ts'

const TABLE = {
  headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' },
}

test.each([
  [0, '0s'],
  [119, '119s'],
  [120, '2m'],
  [133, '2m13s'],
  [599, '9m59s'],
  [600, '10m'],
  [3 * 3600 - 60, '179m'],
  [3 * 3600, '3h'],
  [3 * 3600 + 60, '3h1m'],
  [8 * 3600 + 60, '8h'],
  [47 * 3600, '47h'],
  [50 * 3600, '2d2h'],
  [8 * 24 * 3600, '8d'],
  [800 * 24 * 3600, '2y70d'],
  [-5, '<invalid>'],
])('%i seconds are %s', (seconds, text) => {
  const now = Date.parse('2026-11-29T10:00:00Z')
  expect(ageOf(new Date(now - seconds * 1000).toISOString(), now)).toBe(text)
})

const running = { ready: true, started: true, state: { running: {} } }
const waiting = (reason: string) => ({ ready: false, state: { waiting: { reason } } })
const ended = (exitCode: number, reason?: string) => ({
  ready: false,
  state: { terminated: { exitCode, ...(reason ? { reason } : {}) } },
})

describe('what a pod is called', () => {
  const STATUSES: [expected: string, status: object, more?: object][] = [
    ['Pending', { phase: 'Pending' }],
    ['Running', { phase: 'Running', containerStatuses: [running] }],
    ['Completed', { phase: 'Succeeded', containerStatuses: [ended(0, 'Completed')] }],
    ['ImagePullBackOff', { phase: 'Pending', containerStatuses: [waiting('ImagePullBackOff')] }],
    ['ExitCode:3', { phase: 'Failed', containerStatuses: [ended(3)] }],
    ['Evicted', { phase: 'Failed', reason: 'Evicted' }],
    [
      'Init:0/1',
      {
        phase: 'Pending',
        initContainerStatuses: [{ name: 'init', ...waiting('PodInitializing') }],
      },
    ],
    [
      'Init:CrashLoopBackOff',
      {
        phase: 'Pending',
        initContainerStatuses: [{ name: 'init', ...waiting('CrashLoopBackOff') }],
      },
    ],
    [
      'Init:ExitCode:1',
      { phase: 'Failed', initContainerStatuses: [{ name: 'init', ...ended(1) }] },
    ],
    [
      'Running',
      {
        phase: 'Running',
        initContainerStatuses: [{ name: 'init', ...ended(0, 'Completed') }],
        containerStatuses: [running],
      },
    ],
  ]

  test.each(STATUSES)('%s: %j', async (expected, status) => {
    const { send } = await startTestApi()
    const initContainers = [{ name: 'init' }]
    await send(`${CORE}/pods`, { body: pod('p', { initContainers }) })
    const named = structuredClone(status) as { containerStatuses?: { name?: string }[] }
    for (const container of named.containerStatuses ?? []) container.name = 'compute'
    await send(`${CORE}/pods/p/status`, {
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: { status: named },
    })
    const { body } = await send(`${CORE}/pods/p`, TABLE)
    expect(body.columnDefinitions.map((c: { name: string }) => c.name).slice(0, 4)).toEqual([
      'Name',
      'Ready',
      'Status',
      'Restarts',
    ])
    expect(body.rows[0].cells[2]).toBe(expected)
  })

  test('Terminating, once its deletion has begun', async () => {
    const { send } = await startTestApi()
    await send(`${CORE}/pods`, { body: pod('p', { nodeName: 'node-1' }) })
    await send(`${CORE}/pods/p`, { method: 'DELETE' })
    const { body } = await send(`${CORE}/pods/p`, TABLE)
    expect(body.rows[0].cells[2]).toBe('Terminating')
  })
})

const template = {
  metadata: { labels: { app: 'web' } },
  spec: {
    nodeSelector: { zone: 'a' },
    containers: [
      { name: 'web', image: 'web:1' },
      { name: 'log', image: 'log:2' },
    ],
  },
}

test.each([
  [
    'daemonsets',
    {
      desiredNumberScheduled: 3,
      currentNumberScheduled: 3,
      numberReady: 2,
      updatedNumberScheduled: 1,
      numberAvailable: 2,
    },
    'Name,Desired,Current,Ready,Up-to-date,Available,Node Selector,Age,Containers,Images,Selector',
    ['web', 3, 3, 2, 1, 2, 'zone=a'],
  ],
  [
    'deployments',
    { replicas: 3, readyReplicas: 2, updatedReplicas: 1, availableReplicas: 2 },
    'Name,Ready,Up-to-date,Available,Age,Containers,Images,Selector',
    ['web', '2/4', 1, 2],
  ],
  [
    'replicasets',
    { replicas: 3, readyReplicas: 2 },
    'Name,Desired,Current,Ready,Age,Containers,Images,Selector',
    ['web', 4, 3, 2],
  ],
])('%s are shown as Kubernetes shows them', async (plural, status, columns, cells) => {
  const { send } = await startTestApi()
  const path = `/apis/apps/v1/namespaces/default/${plural}`
  const selector = {
    matchLabels: { app: 'web' },
    matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'www'] }],
  }
  const spec = { selector, template, ...(plural !== 'daemonsets' && { replicas: 4 }) }
  const created = await send(path, { body: { metadata: { name: 'web' }, spec } })
  expect(created.status).toBe(201)
  const patch = { method: 'PATCH', contentType: 'application/merge-patch+json', body: { status } }
  expect((await send(`${path}/web/status`, patch)).status).toBe(200)
  const { body } = await send(`${path}/web`, TABLE)
  expect(body.columnDefinitions.map((c: { name: string }) => c.name).join()).toBe(columns)
  const [row] = body.rows
  expect(row.cells.slice(0, cells.length)).toEqual(cells)
  expect(row.cells.slice(-3)).toEqual(['web,log', 'web:1,log:2', 'app=web,app in (web,www)'])
})

test.each([
  [
    { template },
    '[spec.selector: Required value, spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`]',
  ],
  [
    { selector: { matchLabels: { app: 'other' } }, template },
    'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
  ],
])('a selector that does not fit its template is refused: %#', async (spec, message) => {
  const { send } = await startTestApi()
  const body = { metadata: { name: 'web' }, spec }
  const answer = await send('/apis/apps/v1/namespaces/default/deployments', { body })
  expect(answer.status).toBe(422)
  expect(answer.body.message).toBe(`Deployment.apps "web" is invalid: ${message}`)
})

test('a row carries the metadata of its object, all of it or nothing, as asked', async () => {
  const { send } = await startTestApi()
  await send(`${CORE}/configmaps`, { body: configMap('a', { data: { x: '1' } }) })
  const objectOf = async (include: string) =>
    (await send(`${CORE}/configmaps?includeObject=${include}`, TABLE)).body.rows[0].object
  expect(await objectOf('None')).toBeNull()
  expect(await objectOf('Object')).toMatchObject({ kind: 'ConfigMap', data: { x: '1' } })
  const partial = await objectOf('Metadata')
  expect(Object.keys(partial)).toEqual(['kind', 'apiVersion', 'metadata'])
})

test('metadata alone can be had too, and YAML', async () => {
  const { send } = await startTestApi()
  await send(`${CORE}/configmaps`, { body: configMap('a', { data: { x: '1' } }) })
  const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'
  const { body } = await send(`${CORE}/configmaps`, { headers: { accept } })
  expect(body.kind).toBe('PartialObjectMetadataList')
  expect(body.items[0]).not.toHaveProperty('data')
  const yaml = await send(`${CORE}/configmaps/a`, { headers: { accept: 'application/yaml' } })
  expect(yaml.text).toContain('kind: ConfigMap\n')
})
