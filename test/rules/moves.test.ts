import { describe, expect, test } from 'vitest'
import type { KubeVirt, Node, Pod, Vm, Vmi } from '../../src/kubevirt/types.ts'
import { evacuationsFrom } from '../../src/rules/evacuation.ts'
import { liveUpdateOf } from '../../src/rules/vm-live-update.ts'
import { printableStatus, vmConditions, wantsToRun } from '../../src/rules/vm-status.ts'
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
    expect(run([old]).outdated).toEqual([old])
    expect(run([vmi()]).migrate).toEqual([])
  })

  test('only where it is configured, and KubeVirt is deployed', () => {
    expect(run([changed], { kubevirt: kubevirt([]) }).migrate).toEqual([])
    expect(run([changed], { kubevirt: kubevirt(['LiveMigrate'], 'Deploying') }).active).toBe(false)
  })

  test('no VM that is being moved, and not more than there are slots', () => {
    expect(run([changed], { migrations: [own('Pending')] }).migrate).toEqual([])
    const busy = Array.from({ length: 5 }, (_, n) => migration(`m${n}`, { vmiName: `x${n}` }))
    expect(run([changed], { migrations: busy }).migrate).toEqual([])
  })

  test('evicts what it can’t move, where that is configured', () => {
    const stuck = vmi({ status: { launcherContainerImageVersion: 'old', conditions: [] } })
    expect(run([stuck], { kubevirt: kubevirt(['Evict']) }).evict).toEqual([stuck])
    expect(run([stuck]).evict).toEqual([])
  })

  test('takes its own migration back when nothing asks for it any more', () => {
    expect(run([vmi()], { migrations: [own('Pending')] }).abort).toHaveLength(1)
    expect(run([changed], { migrations: [own('Pending')] }).abort).toEqual([])
    expect(run([vmi()], { migrations: [migration('mine')] }).abort).toEqual([])
    const completed = vmi({
      status: { migrationState: { migrationUid: 'uid-own', completed: true } },
    })
    expect(run([completed], { migrations: [own('Running')] }).abort).toEqual([])
  })
})

const vm = (spec: object = { runStrategy: 'Always' }, metadata: object = {}): Vm => ({
  metadata: { name: 'vm-1', namespace: 'demo', uid: 'uid-vm', ...metadata },
  spec: { ...spec },
})

describe('a change of a running VM', () => {
  const live: KubeVirt = {
    metadata: { name: 'k' },
    spec: { configuration: { vmRolloutStrategy: 'LiveUpdate' } },
  }
  const running = (status: Vmi['status'] = {}) =>
    vmi({
      status,
      spec: {
        domain: { cpu: { sockets: 1, maxSockets: 4 }, memory: { guest: '1Gi', maxGuest: '4Gi' } },
      },
    })
  const change = (domain: object, of = running(), kubevirt: KubeVirt | undefined = live) =>
    liveUpdateOf(vm({ template: { spec: { domain } } }), of, kubevirt, NOW)
  const sockets = (count: number) => ({ cpu: { sockets: count } })

  test('goes into it: sockets, and memory', () => {
    expect(change(sockets(2))).toEqual({
      kind: 'apply',
      patch: [{ path: '/spec/domain/cpu/sockets', value: 2, old: 1 }],
    })
    expect(change({ memory: { guest: '2Gi' } })).toEqual({
      kind: 'apply',
      patch: [{ path: '/spec/domain/memory/guest', value: '2Gi', old: '1Gi' }],
    })
    expect(change({ ...sockets(1), memory: { guest: '1024Mi' } })).toEqual({ kind: 'nothing' })
  })

  test('waits for a restart when it is less, or more than there is room for', () => {
    const message = (domain: object) => {
      const update = change(domain)
      return update.kind === 'restart' && update.condition.message
    }
    expect(message(sockets(5))).toContain("higher than what's available")
    expect(message({ memory: { guest: '8Gi' } })).toContain("higher than what's available")
    expect(message({ memory: { guest: '512Mi' } })).toContain('lower than what')
  })

  test('is refused while the VM is moving, and does nothing where changes are staged', () => {
    const moving = running({ migrationState: started })
    expect(change(sockets(2), moving)).toEqual({
      kind: 'refused',
      message: 'CPU hotplug is not allowed while VMI is migrating',
    })
    expect(change({ memory: { guest: '2Gi' } }, moving)).toMatchObject({ kind: 'refused' })
    expect(change(sockets(2), running(), { metadata: { name: 'k' }, spec: {} })).toEqual({
      kind: 'nothing',
    })
  })
})

describe('a VM', () => {
  const ended = (phase: string) => vmi({ status: { phase } })

  test.each<[object, Vmi | undefined, boolean]>([
    [{ runStrategy: 'Always' }, ended('Failed'), true],
    [{ runStrategy: 'RerunOnFailure' }, ended('Failed'), true],
    [{ runStrategy: 'RerunOnFailure' }, ended('Succeeded'), false],
    [{ runStrategy: 'Once' }, ended('Failed'), false],
    [{ runStrategy: 'Manual' }, undefined, false],
    [{ runStrategy: 'Halted' }, undefined, false],
    [{ running: true }, undefined, true],
    [{ running: false }, undefined, false],
  ])('with %j wants to run', (spec, of, wanted) => {
    expect(wantsToRun(vm(spec), of)).toBe(wanted)
  })

  test.each<[string, Vm, Vmi | undefined]>([
    ['Running', vm(), vmi()],
    ['Migrating', vm(), vmi({ status: { migrationState: started } })],
    ['Paused', vm(), vmi({ status: { conditions: [condition('Paused', 'True')] } })],
    ['Starting', vm(), ended('Scheduling')],
    ['Starting', vm(), undefined],
    ['Stopped', vm({ runStrategy: 'Halted' }), undefined],
    ['Stopped', vm(), ended('Succeeded')],
    ['Stopping', vm(), { ...vmi(), metadata: { name: 'vm-1', deletionTimestamp: 'x' } }],
    ['Terminating', vm({}, { deletionTimestamp: 'x' }), vmi()],
  ])('is shown as %s', (status, of, its) => {
    expect(printableStatus(of, its, NOW)).toBe(status)
  })

  test('has the conditions of its VMI, and its own', () => {
    const its = vmi({
      status: { conditions: [condition('Ready', 'True'), condition('Paused', 'True')] },
    })
    const restart = condition('RestartRequired', 'True')
    expect(vmConditions(vm(), its, restart, NOW).map(({ type }) => type)).toEqual([
      'Ready',
      'Paused',
      'RestartRequired',
    ])
    expect(vmConditions(vm(), undefined, undefined, NOW)).toMatchObject([
      { type: 'Ready', status: 'False', reason: 'VMINotExists' },
    ])
  })
})
