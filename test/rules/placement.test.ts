import { describe, expect, test } from 'vitest'
import type { Node, Pod } from '../../src/kubevirt/types.ts'
import { type Placement, placePod, unschedulableMessage } from '../../src/rules/placement.ts'

function node(name: string, change: Partial<Node['spec']> & { memory?: string } = {}): Node {
  const { memory = '32Gi', ...spec } = change
  return {
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, zone: name < 'node-3' ? 'a' : 'b' },
    },
    spec,
    status: {
      allocatable: { cpu: '16', memory, pods: '110', 'devices.kubevirt.io/kvm': '1k' },
    },
  }
}

function pod(name: string, spec: Partial<Pod['spec']> = {}, labels = {}): Pod {
  return {
    metadata: { name, namespace: 'demo', labels },
    spec: {
      containers: [
        {
          name: 'compute',
          resources: {
            requests: { cpu: '100m', memory: '801Mi', 'devices.kubevirt.io/kvm': '1' },
          },
        },
      ],
      ...spec,
    },
    status: { phase: 'Running' },
  }
}

const away = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      {
        labelSelector: { matchLabels: { 'kubevirt.io/created-by': 'uid-1' } },
        topologyKey: 'kubernetes.io/hostname',
      },
    ],
  },
}
const ours = { 'kubevirt.io/created-by': 'uid-1' }
const source = pod('source', { nodeName: 'node-1' }, ours)
const target = pod('target', { affinity: away }, ours)
const three = [node('node-1'), node('node-2'), node('node-3')]

function reasons({ rejections }: Placement) {
  return Object.fromEntries(rejections.map((r) => [r.node, r.obstacles.map((o) => o.kind)]))
}

test('a target pod may go anywhere but to the node of its source', () => {
  const placement = placePod(target, { nodes: three, pods: [source] })
  expect(placement.fits).toEqual(['node-2', 'node-3'])
  expect(placement.rejections).toEqual([
    { node: 'node-1', obstacles: [{ kind: 'pod-anti-affinity', with: 'demo/source' }] },
  ])
})

test('a pod that has ended holds no place', () => {
  const ended = { ...source, status: { phase: 'Succeeded' } }
  expect(placePod(target, { nodes: three, pods: [ended] }).fits).toHaveLength(3)
})

describe('the message is that of Kubernetes 1.36, as recorded', () => {
  const tail =
    '1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.'
  test.each([
    [
      'other nodes cordoned (trace 05)',
      { unschedulable: true },
      "0/3 nodes are available: 1 node(s) didn't match pod anti-affinity rules, 2 node(s) were unschedulable. no new claims to deallocate, preemption: 0/3 nodes are available: ",
    ],
    [
      'other nodes too small (trace 39)',
      { memory: '600Mi' },
      "0/3 nodes are available: 1 node(s) didn't match pod anti-affinity rules, 2 Insufficient memory. no new claims to deallocate, preemption: 0/3 nodes are available: ",
    ],
    [
      'other nodes tainted (recorded case 225)',
      { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] },
      "0/3 nodes are available: 1 node(s) didn't match pod anti-affinity rules, 2 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/3 nodes are available: ",
    ],
  ])('%s', (_, change, head) => {
    const nodes = [node('node-1'), node('node-2', change), node('node-3', change)]
    const placement = placePod(target, { nodes, pods: [source] })
    expect(placement.fits).toEqual([])
    expect(unschedulableMessage(placement)).toBe(head + tail)
  })

  test('a node that is full, but large enough, could be helped by preemption', () => {
    const big = pod('big', { nodeName: 'node-2' })
    const nodes = [node('node-2', { memory: '1Gi' })]
    const placement = placePod(target, { nodes, pods: [big] })
    expect(placement.rejections[0]?.obstacles).toEqual([
      {
        kind: 'resource',
        resource: 'memory',
        requested: 801 * 2 ** 20,
        used: 801 * 2 ** 20,
        allocatable: 2 ** 30,
      },
    ])
    expect(unschedulableMessage(placement)).toBe(
      '0/1 nodes are available: 1 Insufficient memory. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
    )
  })

  test('a cluster without nodes', () => {
    expect(unschedulableMessage(placePod(target, { nodes: [], pods: [] }))).toBe(
      'no nodes available to schedule pods',
    )
  })
})

describe('each filter objects to its own', () => {
  const device = {
    containers: [{ name: 'c', resources: { requests: { 'vendor.com/gpu': '1' } } }],
  }
  const affinity = (key: string, operator: string, values?: string[]) => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key, operator, ...(values && { values }) }] }],
        },
      },
    },
  })
  test.each<[string, Partial<Pod['spec']>, string[]]>([
    ['nodeSelector', { nodeSelector: { zone: 'b' } }, ['node-3']],
    ['In', affinity('zone', 'In', ['a']), ['node-1', 'node-2']],
    ['NotIn', affinity('zone', 'NotIn', ['a']), ['node-3']],
    ['Exists', affinity('zone', 'Exists'), ['node-1', 'node-2', 'node-3']],
    ['DoesNotExist', affinity('zone', 'DoesNotExist'), []],
    ['an absent operator', affinity('zone', 'Near', ['a']), []],
    ['a device that no node has', device, []],
    ['the requested node name', { nodeName: 'node-2' }, ['node-2']],
  ])('%s', (_, spec, fits) => {
    expect(placePod(pod('p', spec), { nodes: three, pods: [] }).fits).toEqual(fits)
  })

  test('what a nodeSelector lacks is named', () => {
    const wanted = pod('p', { nodeSelector: { zone: 'b', 'kubernetes.io/hostname': 'node-1' } })
    expect(
      placePod(wanted, { nodes: [node('node-1')], pods: [] }).rejections[0]?.obstacles,
    ).toEqual([{ kind: 'node-affinity', missing: { zone: 'b' } }])
  })

  test('a full node has too many pods, a cordoned one is left alone unless tolerated', () => {
    const full = node('node-1')
    full.status = { allocatable: { ...full.status?.allocatable, pods: '1' } }
    const nodes = [full, node('node-2', { unschedulable: true })]
    const other = pod('other', { nodeName: 'node-1' })
    expect(reasons(placePod(pod('p'), { nodes, pods: [other] }))).toEqual({
      'node-1': ['pods'],
      'node-2': ['unschedulable'],
    })
    const daemon = pod('d', { tolerations: [{ operator: 'Exists' }] })
    expect(placePod(daemon, { nodes, pods: [other] }).fits).toEqual(['node-2'])
  })

  test.each([
    [{ key: 'a', value: '1', effect: 'NoSchedule' }, true],
    [{ key: 'a', value: '2', effect: 'NoSchedule' }, false],
    [{ key: 'a', operator: 'Exists' }, true],
    [{ key: 'a', operator: 'Exists', effect: 'NoExecute' }, false],
  ])('toleration %j', (toleration, fits) => {
    const nodes = [node('node-1', { taints: [{ key: 'a', value: '1', effect: 'NoSchedule' }] })]
    const tolerant = pod('p', { tolerations: [toleration] })
    expect(placePod(tolerant, { nodes, pods: [] }).fits.length === 1).toBe(fits)
  })

  test('a taint that only prefers keeps nobody away', () => {
    const nodes = [node('node-1', { taints: [{ key: 'a', effect: 'PreferNoSchedule' }] })]
    expect(placePod(pod('p'), { nodes, pods: [] }).fits).toEqual(['node-1'])
  })
})

describe('affinities between pods', () => {
  const near = (selector: object, topologyKey = 'zone', more = {}) => ({
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: selector, topologyKey, ...more },
        ],
      },
    },
  })
  const db = pod('db', { nodeName: 'node-1' }, { app: 'db' })

  test('a pod goes where a node of the same zone has its companion', () => {
    const web = pod('web', near({ matchLabels: { app: 'db' } }))
    expect(placePod(web, { nodes: three, pods: [db] }).fits).toEqual(['node-1', 'node-2'])
  })

  test('the first of a group that wants its own kind goes anywhere', () => {
    const first = pod('db-0', near({ matchLabels: { app: 'db' } }), { app: 'db' })
    expect(placePod(first, { nodes: three, pods: [] }).fits).toHaveLength(3)
    const stranger = pod('web', near({ matchLabels: { app: 'db' } }))
    expect(placePod(stranger, { nodes: three, pods: [] }).fits).toEqual([])
  })

  test('a term looks into its own namespace, the listed and the selected ones', () => {
    const elsewhere = { ...db, metadata: { ...db.metadata, namespace: 'prod' } }
    const namespaces = [{ metadata: { name: 'prod', labels: { team: 'x' } } }]
    const selector = { matchLabels: { app: 'db' } }
    const fits = (more: object) =>
      placePod(pod('web', near(selector, 'zone', more)), {
        nodes: three,
        pods: [elsewhere],
        namespaces,
      }).fits.length
    expect(fits({})).toBe(0)
    expect(fits({ namespaces: ['prod'] })).toBe(2)
    expect(fits({ namespaceSelector: { matchLabels: { team: 'x' } } })).toBe(2)
    expect(fits({ namespaceSelector: { matchLabels: { team: 'y' } } })).toBe(0)
  })

  test('a pod that is there already keeps others away by its own term', () => {
    const shy = pod('shy', { nodeName: 'node-2', affinity: away }, { app: 'shy' })
    const placement = placePod(pod('p', {}, ours), { nodes: three, pods: [shy] })
    expect(reasons(placement)).toEqual({ 'node-2': ['existing-anti-affinity'] })
    expect(unschedulableMessage({ ...placement, fits: [] })).toContain(
      "1 node(s) didn't satisfy existing pods anti-affinity rules",
    )
  })
})
