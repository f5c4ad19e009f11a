import { describe, expect, test } from 'vitest'
import type {
  Condition,
  Migration,
  Node,
  ResourceQuota,
  Vm,
  Vmi,
} from '../../src/kubevirt/types.ts'
import { type Facts, forecast } from '../../src/migrate/forecast.ts'
import { forecastText, willWait } from '../../src/terminal/words.ts'
import { migration, TRACE_01, upTo, vmi } from './objects.ts'

const VM: Vm = {
  metadata: { name: 'vm-1', namespace: 'demo' },
  spec: {},
  status: { printableStatus: 'Running' },
}

function facts(more: Partial<Facts> = {}): Facts {
  return {
    namespace: 'demo',
    name: 'vm-1',
    vm: VM,
    vmi: vmi(),
    migrations: [],
    view: { migrations: [], vmis: [], pods: [], kubevirt: undefined },
    kubevirt: undefined,
    policies: [],
    inNamespace: undefined,
    quotas: [],
    gaps: [],
    ...more,
  }
}

const NOT_MIGRATABLE: Condition = {
  type: 'LiveMigratable',
  status: 'False',
  reason: 'DisksNotLiveMigratable',
  message: 'cannot migrate VMI: PVC disk is not shared',
}

describe('a forecast', () => {
  test('of an ordinary VM has nothing against it and a free slot', () => {
    expect(forecast(facts())).toMatchObject({
      blockers: [],
      node: 'node-1',
      capacity: { admit: true, cluster: { used: 0, of: 5 }, node: { used: 0, of: 2 } },
    })
  })

  test('names all that refuses, not only what a webhook would name first', () => {
    const { blockers } = forecast(
      facts({
        vmi: vmi(undefined, { conditions: [NOT_MIGRATABLE] }),
        migrations: [migration(upTo('Running'))],
      }),
    )
    expect(blockers).toEqual([
      {
        check: 'not-migratable',
        message:
          'Cannot migrate VMI, Reason: DisksNotLiveMigratable, Message: cannot migrate VMI: PVC disk is not shared',
      },
      {
        check: 'in-flight',
        message:
          'in-flight migration detected. Active migration job (uid-m) is currently already in progress for VMI vm-1.',
        migration: { name: 'vm-1-m', phase: 'Running' },
      },
    ])
  })

  test('does not count migrations that have ended', () => {
    expect(forecast(facts({ migrations: [migration(TRACE_01)] })).blockers).toEqual([])
  })

  test.each<[string, Vm | undefined, Vmi | undefined, string]>([
    ['is stopped', { ...VM, status: { printableStatus: 'Stopped' } }, undefined, 'Stopped'],
    ['is stopped, says nobody', { ...VM, status: {} }, undefined, 'Stopped'],
    ['still starts', undefined, vmi(undefined, { phase: 'Scheduling' }), 'Scheduling'],
    ['has ended', undefined, vmi(undefined, { phase: 'Succeeded' }), 'Succeeded'],
  ])('refuses a VM that %s: KubeVirt would let it wait without end', (_, vm, instance, status) => {
    expect(forecast(facts({ vm, vmi: instance })).blockers).toEqual([
      { check: 'not-running', message: `it is not running: its status is ${status}` },
    ])
  })

  test('says which policy wins and what it sets', () => {
    const policy = {
      metadata: { name: 'fast' },
      spec: {
        selectors: { virtualMachineInstanceSelector: { app: 'vm-1' } },
        allowPostCopy: true,
      },
    }
    const { policy: decision, settings } = forecast(facts({ policies: [policy] }))
    expect(decision?.winner?.policy.metadata.name).toBe('fast')
    expect(settings.allowPostCopy).toEqual({ value: true, from: 'policy', name: 'fast' })
  })

  test('says which limit will hold it, and by whom', () => {
    const others = [1, 2].map((n): Migration => {
      const name = `m-${n}`
      return migration(upTo('Running'), {
        metadata: { name, namespace: 'demo', uid: name },
        spec: { vmiName: `vm-${n + 1}` },
      })
    })
    const vmis = others.map(({ spec }) => ({
      ...vmi(),
      metadata: { name: spec.vmiName ?? '', namespace: 'demo' },
    }))
    const view = { migrations: others, vmis, pods: [], kubevirt: undefined }
    expect(forecast(facts({ view })).capacity).toMatchObject({
      admit: false,
      limit: 'node',
      node: 'node-1',
      used: 2,
      of: 2,
      by: others,
      standing: { above: [], competing: [] },
    })
  })

  test('says which quota has no room for the target pod', () => {
    const full: ResourceQuota = {
      metadata: { name: 'mem', namespace: 'demo' },
      spec: { hard: { 'requests.memory': '500Mi' } },
      status: { hard: { 'requests.memory': '500Mi' }, used: { 'requests.memory': '404229824' } },
    }
    expect(forecast(facts({ quotas: [full] })).quota).toMatchObject({
      admit: false,
      blockers: [
        {
          quota: 'mem',
          used: { 'requests.memory': '404229824' },
          hard: { 'requests.memory': '500Mi' },
        },
      ],
    })
    const status = { ...full.status, hard: { 'requests.memory': '2Gi' } }
    expect(forecast(facts({ quotas: [{ ...full, status }] })).quota?.admit).toBe(true)
  })

  const LABELS = { 'kubevirt.io/schedulable': 'true', 'kubernetes.io/arch': 'amd64' }
  const KEY = 'node.kubernetes.io/not-ready'
  const WAITS = 'no policy; slots used: cluster 0 of 5, node-1 0 of 2; it will wait: node-2'
  test.each<[string, Partial<Node['spec']>, Record<string, string>, string]>([
    ['cordoned', { unschedulable: true }, LABELS, `${WAITS} is cordoned, `],
    [
      'tainted',
      { taints: [{ key: KEY, effect: 'NoSchedule' }] },
      LABELS,
      `${WAITS} has the taint ${KEY}:NoSchedule, `,
    ],
    [
      'not made for VMs',
      {},
      { 'kubernetes.io/arch': 'amd64' },
      `${WAITS} is without kubevirt.io/schedulable=true, `,
    ],
  ])('says that the node that was named is %s', (_, spec, labels, text) => {
    const node: Node = { metadata: { name: 'node-2', labels }, spec }
    const predicted = forecast(facts(), node)
    expect(predicted.target).toMatchObject({ node: 'node-2', obstacle: expect.anything() })
    expect(forecastText(predicted)).toBe(`${text}KubeVirt gives up after 5m`)
    expect(willWait(predicted)).toBe(true)
  })

  test('says that its own node selector leaves no other node, unless one was named', () => {
    const zoned = vmi()
    zoned.spec.nodeSelector = { zone: 'a' }
    const known = facts({ vmi: zoned, fitting: ['node-1'] })
    const predicted = forecast(known)
    expect(forecastText(predicted)).toBe(
      'no policy; slots used: cluster 0 of 5, node-1 0 of 2; it will wait: no other node has zone=a, which its own node selector asks for, KubeVirt gives up after 5m',
    )
    expect(willWait(predicted)).toBe(true)
    const node: Node = { metadata: { name: 'node-2', labels: LABELS }, spec: {} }
    expect(forecast(known, node).bound).toBeUndefined()
    for (const fitting of [undefined, ['node-1', 'node-3']])
      expect(willWait(forecast(facts({ vmi: zoned, fitting })))).toBe(false)
  })

  test('says nothing of a node that takes the target pod', () => {
    const node: Node = { metadata: { name: 'node-2', labels: LABELS }, spec: {} }
    const predicted = forecast(facts(), node)
    expect(predicted.target).toEqual({ node: 'node-2', obstacle: undefined, givesUpAfter: 300_000 })
    expect(willWait(predicted)).toBe(false)
  })

  test('says that it does not know what could not be read', () => {
    const gaps = [{ what: 'migrations of other namespaces', why: 'forbidden' }]
    const unseen = forecast(
      facts({ view: undefined, policies: undefined, quotas: undefined, gaps }),
    )
    expect(unseen).toMatchObject({
      capacity: undefined,
      policy: undefined,
      quota: undefined,
      gaps,
      blockers: [],
    })
  })
})
