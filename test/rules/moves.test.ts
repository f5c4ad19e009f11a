import { describe, expect, test } from 'vitest'
import type { KubeVirt, Node, Pod, Vm, Vmi, VmiSpec } from '../../src/kubevirt/types.ts'
import { evacuationsFrom } from '../../src/rules/evacuation.ts'
import { withHotplugRoom } from '../../src/rules/hotplug-room.ts'
import { liveUpdateOf } from '../../src/rules/vm-live-update.ts'
import { workloadUpdates } from '../../src/rules/workload-update.ts'
import { condition, launcher, migration, vmi } from './objects.ts'

const NOW = Date.parse('2026-01-01T00:01:00Z')
const started = { startTimestamp: '2026-01-01T00:00:00Z' }

describe('a node that is drained loses', () => {
  const marked = (status: Vmi['status'] = {}, spec = {}) =>
    vmi({ spec, status: { nodeName: 'node-1', evacuationNodeName: 'node-1', ...status } })
  const from = (of: Vmi, more: object = {}) => {
    const view = {
      node: undefined,
      nodeName: 'node-1',
      migrations: [],
      pods: [],
      kubevirt: undefined,
    }
    return evacuationsFrom({ ...view, vmis: [of], ...more }, NOW).map((evacuation) =>
      evacuation.evacuate ? evacuation.priority : evacuation.why,
    )
  }
  const owned = (name: string): Pod => {
    const pod = launcher(name)
    const owner = { apiVersion: '', kind: 'VirtualMachineInstance', name: 'vm-1', uid: 'uid-vm-1' }
    pod.metadata.ownerReferences = [{ ...owner, controller: true }]
    return pod
  }

  test.each<[string, Vmi, object, string[]]>([
    ['a VM that is marked', marked(), {}, ['system-critical']],
    ['one that is not marked, not', vmi(), {}, []],
    ['one that has ended, not', marked({ phase: 'Failed' }), {}, ['ended']],
    [
      'one that somebody else moves, not',
      marked({}, { evictionStrategy: 'External' }),
      {},
      ['strategy'],
    ],
    ['one that is not migratable, not', marked({ conditions: [] }), {}, ['not-migratable']],
    ['one that is moving, not', marked({ migrationState: started }), {}, ['migrating']],
    ['one with a migration, not', marked(), { migrations: [migration('m')] }, ['in-flight']],
    [
      'one whose migration ended',
      marked(),
      { migrations: [migration('m', { phase: 'Failed' })] },
      ['system-critical'],
    ],
    ['one with two pods, not', marked(), { pods: [owned('a'), owned('b')] }, ['several-pods']],
  ])('%s', (_, of, more, expected) => {
    expect(from(of, more)).toEqual(expected)
  })

  test('with less haste where the descheduler asked', () => {
    const of = marked()
    of.metadata.annotations = { 'kubevirt.io/eviction-source': 'descheduler' }
    expect(from(of)).toEqual(['system-maintenance'])
  })

  test('all of its VMs under the drain taint', () => {
    const taint = { key: 'kubevirt.io/drain', effect: 'NoSchedule' }
    const node: Node = { metadata: { name: 'node-1' }, spec: { taints: [taint] } }
    expect(from(vmi(), { node })).toEqual(['system-critical'])
    const other: Node = { metadata: { name: 'node-1' }, spec: { taints: [{ ...taint, key: 'x' }] } }
    expect(from(vmi(), { node: other })).toEqual([])
  })
})

describe('the workload updater', () => {
  const kubevirt = (methods: string[], phase = 'Deployed'): KubeVirt => ({
    metadata: { name: 'kubevirt' },
    spec: { workloadUpdateStrategy: { workloadUpdateMethods: methods } },
    status: { phase },
  })
  const changed = vmi({
    status: {
      conditions: [condition('LiveMigratable', 'True'), condition('HotVCPUChange', 'True')],
    },
  })
  const old = vmi({ status: { launcherContainerImageVersion: 'old' } })
  const run = (vmis: Vmi[], more: object = {}) =>
    workloadUpdates(
      { vmis, migrations: [], kubevirt: kubevirt(['LiveMigrate']), launcherImage: 'new', ...more },
      NOW,
    )
  const own = (phase: string) =>
    migration('own', {
      phase,
      metadata: { annotations: { 'kubevirt.io/workloadUpdateMigration': '' } },
    })

  test('moves a VM whose change needs a new launcher, and one whose launcher is old', () => {
    expect(run([changed]).migrate).toEqual([{ vmi: changed, priority: 'user-triggered' }])
    expect(run([old]).migrate).toEqual([{ vmi: old, priority: 'system-critical' }])
    expect(run([old, changed]).outdated).toEqual([old, changed])
    expect(run([vmi()]).migrate).toEqual([])
  })

  test('only where it is configured, and KubeVirt is deployed', () => {
    expect(run([changed], { kubevirt: kubevirt([]) }).migrate).toEqual([])
    expect(run([changed], { kubevirt: kubevirt(['LiveMigrate'], 'Deploying') }).active).toBe(false)
  })

  test('no VM that is being moved, and not more than there are slots', () => {
    expect(run([changed], { migrations: [own('Pending')] }).migrate).toEqual([])
    const busy = (phase: string) =>
      Array.from({ length: 5 }, (_, n) => migration(`m${n}`, { vmiName: `x${n}`, phase }))
    expect(run([changed], { migrations: busy('Running') }).migrate).toEqual([])
    expect(run([changed], { migrations: busy('Pending') }).migrate).toHaveLength(1)
  })

  test('evicts what it can’t move, where that is configured', () => {
    const stuck = vmi({ status: { launcherContainerImageVersion: 'old', conditions: [] } })
    expect(run([stuck, changed], { kubevirt: kubevirt(['Evict']) }).evict).toEqual([stuck, changed])
    expect(run([stuck]).evict).toEqual([])
  })

  test('takes its own migration back when nothing asks for it any more', () => {
    expect(run([vmi()], { migrations: [own('Pending')] }).abort).toHaveLength(1)
    expect(run([changed], { migrations: [own('Pending')] }).abort).toEqual([])
    expect(run([vmi()], { migrations: [migration('mine')] }).abort).toEqual([])
    const arrived = vmi({
      status: { migrationState: { targetNodeDomainReadyTimestamp: '2026-01-01T00:00:00Z' } },
    })
    expect(run([arrived], { migrations: [own('Running')] }).abort).toEqual([])
    const held = {
      ...changed,
      metadata: {
        ...changed.metadata,
        annotations: { 'kubevirt.io/testWorkloadUpdateMigrationAbortion': '' },
      },
    }
    expect(run([held]).migrate).toEqual([])
    expect(run([held], { migrations: [own('Pending')] }).abort).toHaveLength(1)
  })
})

const vm = (spec: object = { runStrategy: 'Always' }, metadata: object = {}): Vm => ({
  metadata: { name: 'vm-1', namespace: 'demo', uid: 'uid-vm', ...metadata },
  spec: { ...spec },
})

describe('a change of a running VM', () => {
  const domain = {
    cpu: { sockets: 1, maxSockets: 4 },
    memory: { guest: '1Gi', maxGuest: '4Gi' },
    resources: { requests: { memory: '1Gi', cpu: '100m' }, limits: {} },
  }
  const running = (status: Vmi['status'] = {}, more: object = {}) =>
    vmi({
      status: { memory: { guestAtBoot: '1Gi', guestCurrent: '1Gi' }, ...status },
      spec: { evictionStrategy: undefined, domain, ...more },
    })
  const change = (template: object, of = running(), kubevirt?: KubeVirt) =>
    liveUpdateOf(vm({ template: { spec: template } }), of, kubevirt, NOW)
  const sockets = (count: number) => ({ domain: { cpu: { sockets: count } } })
  const guest = (size: string) => ({ domain: { memory: { guest: size } } })

  test('goes into it: sockets, memory, and where it may run', () => {
    expect(change(sockets(2))).toEqual({
      kind: 'apply',
      changes: [{ path: '/spec/domain/cpu/sockets', value: 2, old: 1 }],
    })
    expect(change(guest('2Gi'))).toEqual({
      kind: 'apply',
      changes: [{ path: '/spec/domain/memory/guest', value: '2Gi', old: '1Gi' }],
    })
    expect(change({ nodeSelector: { zone: 'a' }, tolerations: [{ key: 'x' }] })).toEqual({
      kind: 'apply',
      changes: [
        { path: '/spec/nodeSelector', old: undefined, value: { zone: 'a' } },
        { path: '/spec/tolerations', old: undefined, value: [{ key: 'x' }] },
      ],
    })
    expect(change({ ...sockets(1), ...guest('1024Mi') })).toEqual({ kind: 'nothing' })
  })

  test('takes the VM’s own requests with it', () => {
    const requests = { memory: '1Gi', cpu: '100m' }
    const wanted = {
      domain: { cpu: { sockets: 3 }, memory: { guest: '3Gi' }, resources: { requests } },
    }
    const update = change(wanted)
    expect(
      update.kind === 'apply' && update.changes.map(({ path, value }) => [path, value]),
    ).toEqual([
      ['/spec/domain/cpu/sockets', 3],
      ['/spec/domain/resources/requests/cpu', '300m'],
      ['/spec/domain/memory/guest', '3Gi'],
      ['/spec/domain/resources/requests/memory', '3Gi'],
    ])
  })

  test('waits for a restart when it is less, or more than there is room for', () => {
    const message = (template: object) => {
      const update = change(template)
      return update.kind === 'restart' && update.condition.message
    }
    expect(message(sockets(5))).toContain("higher than what's available")
    const fewer = liveUpdateOf(
      vm({ template: { spec: sockets(1) } }),
      running({}, { domain: { ...domain, cpu: { sockets: 2, maxSockets: 4 } } }),
      undefined,
      NOW,
    )
    expect(fewer).toMatchObject({ kind: 'restart' })
    expect(message(guest('8Gi'))).toContain("higher than what's available")
    expect(message(guest('512Mi'))).toContain('lower than what')
    const other = (status: Vmi['status'], of: object = domain) => {
      const result = change(guest('2Gi'), running(status, { domain: of }))
      return result.kind === 'restart' && result.condition.message
    }
    expect(other({ conditions: [] })).toContain('only available for migratable VMs')
    expect(other({}, { ...domain, memory: { guest: '1Gi' } })).toContain(
      'not available for this VM',
    )
    const failed = condition('HotMemoryChange', 'False')
    expect(other({ conditions: [failed] })).toContain('Memory-hotplug failed')
  })

  test.each<[string, object, Vmi['status']]>([
    ['CPU hotplug is not allowed while VMI is migrating', sockets(2), { migrationState: started }],
    [
      'memory hotplug is not allowed while VMI is migrating',
      guest('2Gi'),
      { migrationState: started },
    ],
    [
      'Node affinity should not be changed during VMI migration',
      { affinity: { x: 1 } },
      { migrationState: started },
    ],
    [
      'tolerations should not be changed during VMI migration',
      { tolerations: [{ key: 'x' }] },
      { migrationState: started },
    ],
    [
      'another CPU hotplug is in progress',
      sockets(2),
      { conditions: [condition('HotVCPUChange', 'True')] },
    ],
    [
      'another memory hotplug is in progress',
      guest('2Gi'),
      { conditions: [condition('LiveMigratable', 'True'), condition('HotMemoryChange', 'True')] },
    ],
  ])('is refused: %s', (message, template, status) => {
    expect(change(template, running(status))).toMatchObject({ kind: 'refused', message })
  })

  const cluster = (configuration: Record<string, unknown>): KubeVirt => ({
    metadata: { name: 'k' },
    spec: { configuration },
  })

  test('does nothing where changes are staged', () => {
    const staged = cluster({ vmRolloutStrategy: 'Stage' })
    expect(change(sockets(2), running(), staged)).toEqual({ kind: 'nothing' })
    expect(withHotplugRoom({ domain: {} }, staged)).toEqual({ domain: {} })
  })

  test('a VM is started with room to grow', () => {
    const roomOf = (of: VmiSpec, kubevirt?: KubeVirt) => {
      const { cpu, memory } = withHotplugRoom(of, kubevirt).domain ?? {}
      return [cpu?.['maxSockets'], memory?.['maxGuest']]
    }
    expect(roomOf({ domain: { cpu: { sockets: 2 }, memory: { guest: '1Gi' } } })).toEqual([
      8,
      '4Gi',
    ])
    expect(roomOf({ domain: { memory: { guest: '64Mi' } } })).toEqual([4, undefined])
    expect(roomOf({ domain })).toEqual([4, '4Gi'])
    const limits = cluster({ liveUpdateConfiguration: { maxCpuSockets: 6, maxGuest: '3Gi' } })
    expect(roomOf({ domain: { memory: { guest: '2Gi' } } }, limits)).toEqual([6, '3Gi'])
  })
})
