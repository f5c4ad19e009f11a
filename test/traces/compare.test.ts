import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { compareSnapshots } from './compare.ts'
import { advance, emptySnapshot, type Snapshot } from './expected.ts'
import { loadScenario } from './scenario.ts'

const recordings = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.yaml'))

/** The state at the end of a recording. */
function endOf(file: string): Snapshot {
  const { steps } = loadScenario(join(import.meta.dirname, file))
  return steps.reduce((snapshot, step) => advance(snapshot, step.state), emptySnapshot())
}

const base = endOf('01-normal.yaml')
base.quotas.set('mem', {
  metadata: { name: 'mem' },
  spec: { hard: { 'requests.memory': '500Mi' } },
  status: { hard: { 'requests.memory': '500Mi' }, used: { 'requests.memory': '404229824' } },
})

/** Differences after one change to what was found. */
function differencesAfter(change: (got: Mutable) => void): string[] {
  const got = structuredClone(base)
  change({
    migration: got.migrations.get('vm-1-m') as never,
    vmi: got.vmis.get('vm-1') as never,
    pod: got.pods.get('virt-launcher-vm-1-<2>') as never,
    quota: got.quotas.get('mem') as never,
    got,
  })
  return compareSnapshots(base, got).map(({ object, field }) => `${object} ${field}`)
}

// biome-ignore lint/suspicious/noExplicitAny: a mutation may break any field in any way.
type Mutable = { got: Snapshot } & Record<'migration' | 'vmi' | 'pod' | 'quota', any>

test.each(recordings)('%s is equal to itself', (file) => {
  const snapshot = endOf(file)
  expect(compareSnapshots(snapshot, structuredClone(snapshot))).toEqual([])
})

describe('each compared field makes the comparison fail', () => {
  test.each<[string, (got: Mutable) => void]>([
    ['migrations/vm-1-m labels.x', ({ migration }) => (migration.labels.x = 'y')],
    ['migrations/vm-1-m annotations.x', ({ migration }) => (migration.annotations.x = 'y')],
    ['migrations/vm-1-m finalizers', ({ migration }) => (migration.finalizers = ['f'])],
    ['migrations/vm-1-m deleting', ({ migration }) => (migration.deleting = true)],
    ['migrations/vm-1-m spec.vmiName', ({ migration }) => (migration.spec.vmiName = 'x')],
    ['migrations/vm-1-m phase', ({ migration }) => (migration.phase = 'Failed')],
    ['migrations/vm-1-m phases.7', ({ migration }) => migration.phases.push('Failed')],
    [
      'migrations/vm-1-m conditions',
      ({ migration }) => (migration.conditions = [{ type: 'x', status: 'True' }]),
    ],
    [
      'migrations/vm-1-m migrationState.mode',
      ({ migration }) => (migration.migrationState.mode = 'x'),
    ],
    [
      'migrations/vm-1-m migrationState.migrationConfiguration.progressTimeout',
      ({ migration }) => (migration.migrationState.migrationConfiguration.progressTimeout = '150'),
    ],
    ['vmis/vm-1 labels.app', ({ vmi }) => delete vmi.labels.app],
    [
      'vmis/vm-1 annotations.kubevirt.io/nonroot',
      ({ vmi }) => delete vmi.annotations['kubevirt.io/nonroot'],
    ],
    ['vmis/vm-1 phase', ({ vmi }) => (vmi.phase = 'Failed')],
    ['vmis/vm-1 nodeName', ({ vmi }) => (vmi.nodeName = 'x')],
    ['vmis/vm-1 evacuationNodeName', ({ vmi }) => (vmi.evacuationNodeName = 'x')],
    ['vmis/vm-1 activePods', ({ vmi }) => (vmi.activePods = {})],
    ['vmis/vm-1 migrationState.targetNode', ({ vmi }) => (vmi.migrationState.targetNode = 'x')],
    [
      'vmis/vm-1 migrationState.startTimestamp',
      ({ vmi }) => delete vmi.migrationState.startTimestamp,
    ],
    [
      'vmis/vm-1 migrationState.endTimestamp',
      ({ vmi }) => (vmi.migrationState.endTimestamp = 'soon'),
    ],
    [
      'vmis/vm-1 migrationState.targetMemoryOverhead',
      ({ vmi }) => (vmi.migrationState.targetMemoryOverhead = '1'),
    ],
    ['vmis/vm-1 conditions.Ready.status', ({ vmi }) => (vmi.conditions[0].status = 'False')],
    ['vmis/vm-1 conditions.Ready.reason', ({ vmi }) => (vmi.conditions[0].reason = 'x')],
    ['vmis/vm-1 conditions.Ready.message', ({ vmi }) => (vmi.conditions[0].message = 'x')],
    ['vmis/vm-1 conditions.LiveMigratable', ({ vmi }) => vmi.conditions.splice(1, 1)],
    ['vmis/vm-1 exists', ({ got }) => got.vmis.delete('vm-1')],
    ['pods/virt-launcher-vm-1-<2> phase', ({ pod }) => (pod.phase = 'Failed')],
    ['pods/virt-launcher-vm-1-<2> node', ({ pod }) => (pod.node = 'x')],
    [
      'pods/virt-launcher-vm-1-<2> labels.kubevirt.io/nodeName',
      ({ pod }) => (pod.labels['kubevirt.io/nodeName'] = 'x'),
    ],
    [
      'pods/virt-launcher-vm-1-<2> annotations.kubevirt.io/domain',
      ({ pod }) => (pod.annotations['kubevirt.io/domain'] = 'x'),
    ],
    [
      'pods/virt-launcher-vm-1-<2> annotations.kubevirt.io/migration-target-ready-timestamp',
      ({ pod }) =>
        (pod.annotations['kubevirt.io/migration-target-ready-timestamp'] = '2026-01-01T00:00:00Z'),
    ],
    ['pods/virt-launcher-vm-1-<2> nodeSelector.zone', ({ pod }) => (pod.nodeSelector.zone = 'x')],
    ['pods/virt-launcher-vm-1-<2> affinity', ({ pod }) => (pod.affinity = null)],
    [
      'pods/virt-launcher-vm-1-<2> conditions.PodScheduled',
      ({ pod }) =>
        (pod.conditions = pod.conditions.filter(
          ({ type }: { type: string }) => type !== 'PodScheduled',
        )),
    ],
    [
      'pods/virt-launcher-vm-1-<2> containers.compute.requests.cpu',
      ({ pod }) => (pod.containers[0].resources.requests.cpu = '101m'),
    ],
    [
      'pods/virt-launcher-vm-1-<2> containers.compute.limits.memory',
      ({ pod }) => (pod.containers[0].resources.limits.memory = '1'),
    ],
    [
      'pods/virt-launcher-vm-1-<2> containers.other',
      ({ pod }) => pod.containers.push({ name: 'other' }),
    ],
    ['pods/virt-launcher-vm-1-<2> initContainers', ({ pod }) => (pod.initContainers = [])],
    ['pods/extra exists', ({ got, pod }) => got.pods.set('extra', pod)],
    [
      'quotas/mem spec.hard.requests.memory',
      ({ quota }) => (quota.spec.hard['requests.memory'] = '501Mi'),
    ],
    [
      'quotas/mem status.hard.requests.memory',
      ({ quota }) => (quota.status.hard['requests.memory'] = '1'),
    ],
    [
      'quotas/mem status.used.requests.memory',
      ({ quota }) => (quota.status.used['requests.memory'] = '404229825'),
    ],
    ['VirtualMachineInstanceMigration/vm-1-m events', ({ got }) => got.events.pop()],
  ])('%s', (difference, change) => {
    expect(differencesAfter(change).join('\n')).toMatch(difference)
  })

  test('events by object, type, reason and message', () => {
    for (const field of ['on', 'type', 'reason', 'message'] as const) {
      const found = differencesAfter(({ got }) => {
        const event = got.events.at(-1)!
        event[field] = field === 'on' ? 'VirtualMachine/vm-1' : 'x'
      })
      expect(found).toHaveLength(2)
    }
  })

  test('what is gone is gone', () => {
    const expected = structuredClone(base)
    expected.pods.delete('virt-launcher-vm-1-<1>')
    expected.gone.add('pods/virt-launcher-vm-1-<1>')
    expect(compareSnapshots(expected, base).map(({ field }) => field)).toEqual(['exists', 'gone'])
  })
})

describe('what is not compared can’t make it fail', () => {
  test.each<[string, (got: Mutable) => void]>([
    [
      'a time that differs',
      ({ vmi }) => (vmi.migrationState.startTimestamp = '2026-01-01T00:00:00Z'),
    ],
    [
      'a quantity written otherwise',
      ({ vmi }) => (vmi.migrationState.targetMemoryOverhead = '302120960'),
    ],
    [
      'a bandwidth written otherwise',
      ({ vmi }) => (vmi.migrationState.migrationConfiguration.bandwidthPerMigration = '0Mi'),
    ],
    [
      'a request written otherwise',
      ({ pod }) => (pod.containers[0].resources.requests.cpu = '0.1'),
    ],
    [
      'nothing, written otherwise',
      ({ migration }) => Object.assign(migration, { conditions: null, finalizers: [] }),
    ],
    [
      'annotations of other products',
      ({ pod }) => (pod.annotations['sidecar.istio.io/inject'] = 'x'),
    ],
    ['the order of conditions', ({ vmi }) => vmi.conditions.reverse()],
    ['times of conditions', ({ vmi }) => (vmi.conditions[0].lastTransitionTime = 'x')],
    ['the security context', ({ pod }) => (pod.securityContext = {})],
    ['finalizers of a VMI', ({ vmi }) => (vmi.finalizers = [])],
    ['how often an event came', ({ got }) => got.events.push(got.events.at(-1)!)],
    [
      'that an event was combined',
      ({ got }) =>
        (got.events.at(-1)!.message =
          `(combined from similar events): ${got.events.at(-1)!.message}`),
    ],
    [
      'a conflict',
      ({ got }) =>
        got.events.push({ ...got.events.at(-1)!, message: 'x: the object has been modified; y' }),
    ],
    ['events of pods', ({ got }) => got.events.push({ ...got.events.at(-1)!, on: 'Pod/x' })],
  ])('%s', (_, change) => {
    expect(differencesAfter(change)).toEqual([])
  })

  test('the rest of a PodSecurity message', () => {
    const message = (rest: string) => `x violates PodSecurity "restricted:latest"${rest}`
    const withEvent = (rest: string): Snapshot => ({
      ...emptySnapshot(),
      events: [
        { on: 'VirtualMachineInstance/vm-1', type: 'W', reason: 'R', message: message(rest) },
      ],
    })
    expect(compareSnapshots(withEvent(': a'), withEvent(': b'))).toEqual([])
  })
})
