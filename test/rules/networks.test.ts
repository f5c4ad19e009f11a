import { describe, expect, test } from 'vitest'
import { attachedNetworks, podInterfaceName } from '../../src/kubevirt/multus.ts'
import type { Condition, Pod, Vmi } from '../../src/kubevirt/types.ts'
import { interfaceStatuses } from '../../src/rules/interface-status.ts'
import { launcherAnnotations, multusUpdate } from '../../src/rules/launcher-metadata.ts'
import { networkMigration } from '../../src/rules/network-migration.ts'
import { liveUpdateOf } from '../../src/rules/vm-live-update.ts'
import { launcher, vmi } from './objects.ts'

const NOW = Date.parse('2026-01-01T00:01:00Z')

const network = (name: string, networkName: string) => ({ name, multus: { networkName } })
const spec = (networks: object[], interfaces: object[]) => ({
  networks: [{ name: 'default', pod: {} }, ...networks],
  domain: { devices: { interfaces: [{ name: 'default', masquerade: {} }, ...interfaces] } },
})
const blue = network('blue', 'nad-blue')

test('Multus gets a list of what to attach', () => {
  const of = vmi({
    spec: spec(
      [blue, network('red', 'other/nad-red'), network('old', 'nad-old')],
      [
        { name: 'blue', bridge: {}, macAddress: '02:00:00:00:00:01' },
        { name: 'red', bridge: {} },
        { name: 'old', bridge: {}, state: 'absent' },
      ],
    ),
  })
  expect(JSON.parse(launcherAnnotations(of)['k8s.v1.cni.cncf.io/networks']!)).toEqual([
    {
      name: 'nad-blue',
      namespace: 'demo',
      mac: '02:00:00:00:00:01',
      interface: podInterfaceName('blue'),
    },
    { name: 'nad-red', namespace: 'other', interface: podInterfaceName('red') },
  ])
  expect(podInterfaceName('blue')).toBe('pod16477688c0e')
  expect(launcherAnnotations(vmi())).not.toHaveProperty(['k8s.v1.cni.cncf.io/networks'])
})

describe('a new launcher is needed', () => {
  const pod = (attached = 'demo/nad-blue'): Pod => {
    const status = [{ name: attached, interface: podInterfaceName('blue') }]
    const annotations = { 'k8s.v1.cni.cncf.io/network-status': JSON.stringify(status) }
    return launcher('p', { metadata: { annotations } })
  }
  const seen = (infoSource = 'domain, multus-status') => ({
    interfaces: [{ name: 'blue', infoSource }],
  })
  const required = (of: Vmi, of2 = pod()) => networkMigration(of, of2, NOW)
  const withBlue = (its: object, status: Vmi['status'] = {}) =>
    vmi({ spec: spec([blue], [{ name: 'blue', ...its }]), status })
  const since = (status: Condition['status'], seconds: number): Condition[] => [
    {
      type: 'MigrationRequired',
      status,
      lastTransitionTime: new Date(NOW - seconds * 1000).toISOString(),
    },
  ]

  test.each<[string, Vmi, Pod, string]>([
    ['not when all is as it should be', withBlue({ bridge: {} }, seen()), pod(), 'no'],
    ['at once for an SR-IOV interface that came', withBlue({ sriov: {} }), pod(), 'now'],
    ['soon for another', withBlue({ bridge: {} }), pod(), 'pending'],
    [
      'soon for one that went from the guest, but not from the pod',
      withBlue({ bridge: {}, state: 'absent' }, seen('multus-status')),
      pod(),
      'pending',
    ],
    [
      'not for one that is still in the guest',
      withBlue({ bridge: {}, state: 'absent' }, seen()),
      pod(),
      'no',
    ],
    [
      'at once when it is attached elsewhere',
      withBlue({ bridge: {} }, seen()),
      pod('demo/nad-red'),
      'now',
    ],
    [
      'at once when Multus says nothing of it',
      withBlue({ bridge: {} }, seen()),
      launcher('p', {}),
      'now',
    ],
    [
      'soon when the first that needs it can wait',
      vmi({
        spec: spec(
          [blue, network('red', 'nad-red')],
          [
            { name: 'red', bridge: {} },
            { name: 'blue', sriov: {} },
          ],
        ),
      }),
      pod(),
      'pending',
    ],
    [
      'after 15 s of waiting',
      withBlue({ bridge: {} }, { conditions: since('False', 16) }),
      pod(),
      'now',
    ],
    ['not before', withBlue({ bridge: {} }, { conditions: since('False', 15) }), pod(), 'pending'],
    [
      'once it was said, until it is no longer so',
      withBlue({ bridge: {} }, { conditions: since('True', 1) }),
      pod(),
      'unchanged',
    ],
    [
      'no longer',
      withBlue({ bridge: {} }, { ...seen(), conditions: since('True', 1) }),
      pod(),
      'no',
    ],
  ])('%s', (_, of, its, expected) => {
    expect(required(of, its)).toBe(expected)
  })

  test('is not judged anew while it moves', () => {
    const moving = { migrationState: { startTimestamp: '2026-01-01T00:00:00Z' } }
    expect(required(withBlue({ sriov: {} }, moving))).toBe('unchanged')
    const told = withBlue({ bridge: {} }, { ...moving, conditions: since('False', 60) })
    expect(required(told)).toBe('unchanged')
    expect(required(withBlue({ sriov: {} }, { phase: 'Scheduled' }))).toBe('unchanged')
  })

  test('a status that is no list says nothing', () => {
    const broken = launcher('p', {
      metadata: { annotations: { 'k8s.v1.cni.cncf.io/network-status': '{' } },
    })
    expect(attachedNetworks(broken).size).toBe(0)
  })
})

describe('a VM’s networks change while it runs', () => {
  const change = (template: object, running: object) =>
    liveUpdateOf(
      {
        metadata: { name: 'vm-1' },
        spec: { template: { spec: template } },
      },
      vmi({ spec: { evictionStrategy: undefined, ...running } }),
      { metadata: { name: 'k' }, spec: { configuration: { vmRolloutStrategy: 'Stage' } } },
      NOW,
    )
  const plain = spec([], [])
  const plugged = spec([blue], [{ name: 'blue', bridge: {} }])
  const values = (...args: Parameters<typeof change>) => {
    const update = change(...args)
    return update.kind === 'apply'
      ? update.changes.map(({ path, value }) => [path, value])
      : update.kind
  }

  test('an interface comes', () => {
    expect(values(plugged, plain)).toEqual([
      ['/spec/networks', plugged.networks],
      ['/spec/domain/devices/interfaces', plugged.domain.devices.interfaces],
    ])
  })

  test('one goes', () => {
    const absent = spec([blue], [{ name: 'blue', bridge: {}, state: 'absent' }])
    expect(values(absent, plugged)).toEqual([
      ['/spec/domain/devices/interfaces', absent.domain.devices.interfaces],
    ])
  })

  test('one is attached elsewhere', () => {
    const moved = spec([network('blue', 'nad-red')], [{ name: 'blue', bridge: {} }])
    expect(values(moved, plugged)).toEqual([['/spec/networks', moved.networks]])
  })

  test('nothing where nothing changed', () => {
    expect(values(plugged, plugged)).toBe('nothing')
  })
})

describe('what Multus attached to the pod of a running VM', () => {
  const attached = (...names: string[]): Pod => {
    const list = names.map((name) => ({
      name: `demo/nad-${name}`,
      interface: podInterfaceName(name),
    }))
    const annotations = { 'k8s.v1.cni.cncf.io/network-status': JSON.stringify(list) }
    return launcher('a', { metadata: { annotations } })
  }
  const interfaces = [{ name: 'blue', bridge: {} }]
  const plugged = (status: Vmi['status'] = {}, changed = interfaces as object[]) =>
    vmi({ spec: spec([blue], changed), status })

  test('is told beside what virt-handler says', () => {
    expect(interfaceStatuses(plugged(), attached('blue'))).toEqual([
      { name: 'default', podInterfaceName: 'eth0' },
      { name: 'blue', infoSource: 'multus-status', podInterfaceName: podInterfaceName('blue') },
    ])
    const seen = {
      interfaces: [{ name: 'blue', infoSource: 'domain, multus-status' }, { name: 'lo' }],
    }
    expect(interfaceStatuses(plugged(seen), attached()).slice(1)).toEqual([
      { name: 'blue', infoSource: 'domain', podInterfaceName: podInterfaceName('blue') },
      { name: 'lo' },
    ])
    expect(interfaceStatuses(plugged(), attached())).toHaveLength(1)
  })

  test('is asked for anew when an interface comes or goes', () => {
    const pod = launcher('a')
    const known = { interfaces: [{ name: 'default' }, { name: 'blue' }] }
    expect(multusUpdate(plugged(known), pod)).toBeUndefined()
    expect(multusUpdate(plugged(), pod)).toContain('nad-blue')
    const leaving = plugged(known, [{ name: 'blue', bridge: {}, state: 'absent' }])
    expect(multusUpdate(leaving, pod)).toBeUndefined()
    pod.metadata.annotations = { 'k8s.v1.cni.cncf.io/networks': '[…]' }
    expect(multusUpdate(leaving, pod)).toBe('')
  })
})
