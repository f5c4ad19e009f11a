import { describe, expect, test } from 'vitest'
import type { Migration, Pod, Vmi } from '../../../src/kubevirt/types.ts'
import type { Action } from '../../../src/lab/controller/migration/actions.ts'
import { actionsFor } from '../../../src/lab/controller/migration/phases.ts'
import type { Situation } from '../../../src/lab/controller/migration/situation.ts'
import { statusFor } from '../../../src/lab/controller/migration/status.ts'
import { condition, launcher, migration, vmi } from '../../rules/objects.ts'

const NOW = Date.parse('2026-01-01T00:10:00Z')
const DELETED = { deletionTimestamp: '2026-01-01T00:09:00Z' }
const STATE = { migrationUid: 'uid-m', targetNode: 'node-2', sourceNode: 'node-1' }

const ready: Pod = {
  ...launcher('target', {
    metadata: { annotations: { 'kubevirt.io/memory-overhead-bytes': '302120960' } },
  }),
  spec: { nodeName: 'node-2', containers: [] },
  status: {
    phase: 'Running',
    containerStatuses: [{ name: 'compute', state: { running: {} } }],
  },
}
const starting = (seconds: number, conditions: Pod['status'] = {}): Pod =>
  launcher('target', {
    metadata: { creationTimestamp: new Date(NOW - seconds * 1000).toISOString() },
    phase: 'Pending',
    ...conditions,
  })

function situation(
  phase: string,
  more: Partial<Situation> & { deleting?: boolean } = {},
): Situation {
  const { deleting, ...rest } = more
  const its = migration('m', { phase, metadata: deleting ? DELETED : {} })
  const of = rest.vmi ?? vm()
  return {
    migration: its,
    vmi: of,
    targetPod: undefined,
    handedOff: false,
    slotOwner: undefined,
    sourcePod: launcher('source'),
    sourceNode: { metadata: { name: 'node-1', labels: {} }, spec: {} },
    livePods: 1,
    siblings: [its],
    creating: false,
    view: { migrations: [its], vmis: [of], pods: [], kubevirt: undefined },
    nodes: [],
    policies: [],
    namespace: undefined,
    quotas: [],
    claims: [],
    targetClaim: undefined,
    storage: { kubevirt: undefined, classes: [], profiles: [] },
    kubevirt: undefined,
    ...rest,
  }
}

/** As it is while it runs, prepared for a move. */
function vm(status: Vmi['status'] = {}): Vmi {
  const made = vmi({ status: { selinuxContext: 'none', runtimeUser: 107, ...status } })
  made.metadata.annotations = { 'kubevirt.io/nonroot': 'true' }
  return made
}

const summary = (actions: Action[]) =>
  actions.map((action) =>
    action.do === 'requeue'
      ? `requeue ${action.after} ${action.priority}`
      : action.do === 'log'
        ? `log: ${action.message}`
        : action.do === 'note' || action.do === 'delete-target-pod'
          ? `${action.do}: ${action.note.message}`
          : action.do,
  )
const actions = (...args: Parameters<typeof situation>) =>
  summary(actionsFor(situation(...args), NOW))

describe('Pending', () => {
  test('makes the target pod', () => {
    expect(actions('Pending')).toEqual(['create-target-pod'])
  })

  test('prepares the VMI first, if it has to', () => {
    const raw = vmi({ status: { selinuxContext: 'none' } })
    const [first] = actionsFor(situation('Pending', { vmi: raw }), NOW)
    expect(first).toEqual({
      do: 'patch-vmi',
      patch: [
        { op: 'add', path: '/status/runtimeUser', value: 107 },
        { op: 'add', path: '/metadata/annotations', value: { 'kubevirt.io/nonroot': 'true' } },
      ],
    })
  })

  const busy = Array.from({ length: 5 }, (_, n) => migration(`b${n}`, { phase: 'Running' }))
  test.each<[string, Partial<Situation>, string[]]>([
    ['another pod that is not seen yet', { creating: true }, ['requeue 1000 0']],
    [
      'its own earlier pod',
      { livePods: 2 },
      [
        'log: Waiting to schedule target pod for migration because there are already multiple pods running for vmi demo/vm-1',
        'requeue 1000 0',
      ],
    ],
    [
      'a slot',
      { view: { migrations: busy, vmis: [], pods: [], kubevirt: undefined } },
      [
        'log: Waiting to schedule target pod for vmi [demo/vm-1] migration because total running parallel migration count [5] is currently at the global cluster limit.',
        'requeue 5000 0',
      ],
    ],
    ['the VM to run', { vmi: vm({ phase: 'Scheduled' }) }, []],
    ['its pod', { sourcePod: undefined }, []],
    [
      'utility volumes to go',
      { vmi: { ...vm(), spec: { utilityVolumes: [{ name: 'u' }] } } },
      [
        'note: Migration waiting for utility volumes to detach from VMI [demo/vm-1]. Will timeout in 150 seconds.',
        'requeue 150000 1000',
      ],
    ],
    ['a node that is not there', { sourceNode: undefined }, ['give-up']],
  ])('waits for %s', (_, more, expected) => {
    expect(actions('Pending', more)).toEqual(expected)
  })

  test('waits out a back-off, and says so', () => {
    const automatic = (name: string, created: number, status: Migration['status']) => {
      const metadata = {
        creationTimestamp: new Date(created).toISOString(),
        annotations: { 'kubevirt.io/evacuationMigration': 'node-1' },
      }
      return migration(name, { metadata, status: status ?? {} })
    }
    const failed = automatic('old', 0, {
      phase: 'Failed',
      phaseTransitionTimestamps: [
        { phase: 'Failed', phaseTransitionTimestamp: new Date(NOW - 5000).toISOString() },
      ],
    })
    const its = automatic('m', 1000, { phase: 'Pending' })
    expect(
      summary(
        actionsFor({ ...situation('Pending'), migration: its, siblings: [its, failed] }, NOW),
      ),
    ).toEqual(['note: backoff migrating vmi demo/vm-1', 'requeue 15000 1000'])
  })
})

describe('a target pod that does not start', () => {
  const unschedulable: Pod = {
    ...starting(10),
    status: {
      phase: 'Pending',
      conditions: [condition('PodScheduled', 'False', 'Unschedulable')],
    },
  }
  test('is waited for', () => {
    expect(actions('Scheduling', { targetPod: starting(10) })).toEqual(['requeue 890000 1000'])
  })
  test('is complained of when no node takes it', () => {
    expect(actions('Scheduling', { targetPod: unschedulable })).toEqual([
      'note: Migration target pod for VMI [demo/vm-1] is currently unschedulable.',
      'requeue 290000 1000',
      'requeue 890000 1000',
    ])
  })
  test('is complained of by its CPU, where that is why', () => {
    const hostModel = vm()
    hostModel.spec = { domain: { cpu: { model: 'host-model' } } }
    const pod = structuredClone(unschedulable)
    pod.spec.nodeSelector = { 'cpu-model-migration.node.kubevirt.io/Skylake': 'true' }
    const told =
      'note: Migration cannot proceed since no node is suitable to run the required CPU model / required features: map[cpu-model-migration.node.kubevirt.io/Skylake:true]'
    expect(actions('Scheduling', { vmi: hostModel, targetPod: pod })[0]).toBe(told)
    const fit = { metadata: { name: 'node-2', labels: pod.spec.nodeSelector }, spec: {} }
    const found = actions('Scheduling', { vmi: hostModel, targetPod: pod, nodes: [fit] })
    expect(found).not.toContain(told)
  })
  test('is given up when its time is over', () => {
    expect(actions('Scheduling', { targetPod: starting(900) })).toEqual([
      'delete-target-pod: pending pod demo/target timeout period exceeded',
    ])
  })
})

describe('a deletion', () => {
  const gone = 'delete-target-pod: migration canceled and pod demo/target is deleted'
  test.each([
    ['Pending', ready, [gone]],
    ['Pending', undefined, []],
    ['Scheduling', starting(1), [gone]],
    ['Scheduled', ready, [gone]],
    ['PreparingTarget', ready, []],
    ['TargetReady', ready, []],
  ])('in %s', (phase, targetPod, expected) => {
    expect(actions(phase, { targetPod, deleting: true })).toEqual(expected)
  })

  test('while it runs asks for an abort, once', () => {
    const running = { targetPod: ready, deleting: true }
    expect(actions('Running', { ...running, vmi: vm({ migrationState: STATE }) })).toEqual([
      'abort',
    ])
    const asked = vm({ migrationState: { ...STATE, abortRequested: true } })
    expect(actions('Running', { ...running, vmi: asked })).toEqual([])
  })
})

describe('hand-off', () => {
  test('puts the whole slot and the label, and tests what was seen', () => {
    const before = { migrationUid: 'uid-older', completed: true }
    const [action] = actionsFor(
      situation('Scheduled', { targetPod: ready, vmi: vm({ migrationState: before }) }),
      NOW,
    )
    expect(action).toMatchObject({
      do: 'hand-off',
      patch: [
        { op: 'test', path: '/status/migrationState', value: before },
        {
          op: 'add',
          path: '/status/migrationState',
          value: {
            migrationUid: 'uid-m',
            sourceNode: 'node-1',
            sourcePod: 'source',
            targetNode: 'node-2',
            targetPod: 'target',
            targetMemoryOverhead: '295040Ki',
          },
        },
        { op: 'test', path: '/metadata/labels', value: { app: 'vm-1' } },
        {
          op: 'add',
          path: '/metadata/labels',
          value: { app: 'vm-1', 'kubevirt.io/migrationTargetNodeName': 'node-2' },
        },
      ],
    })
  })

  const patched = (its: Vmi, more: Partial<Situation> = {}, index = 0) => {
    const [action] = actionsFor(
      situation('Scheduled', { targetPod: ready, vmi: its, ...more }),
      NOW,
    )
    return action?.do === 'hand-off' ? (action.patch[index]?.value as Record<string, unknown>) : {}
  }

  test('says how much a hotplug may use', () => {
    const its = vm({
      conditions: [condition('HotMemoryChange', 'True'), condition('HotVCPUChange', 'True')],
    })
    its.spec = { domain: { cpu: { dedicatedCpuPlacement: true } } }
    const resources = { requests: { memory: '1Gi', 'hugepages-2Mi': '1Gi' }, limits: { cpu: '3' } }
    const pod = {
      ...ready,
      spec: { nodeName: 'node-2', containers: [{ name: 'compute', resources }] },
    }
    expect(patched(its, { targetPod: pod }, 2)).toMatchObject({
      'kubevirt.io/vmi-pod-cpu-resource-limits': '3',
      'kubevirt.io/vmi-pod-memory-resource-requests': '2Gi',
    })
  })

  test('names the policy that holds, even if it says nothing', () => {
    const policy = (spec: object) => ({ metadata: { name: 'p' }, spec: { selectors: {}, ...spec } })
    const named = (spec: object) =>
      patched(vm(), { policies: [policy(spec)] })['migrationPolicyName']
    expect(named({ completionTimeoutPerGiB: 20 })).toBe('p')
    expect(named({})).toBe('p')
  })

  test('once', () => {
    expect(actions('Scheduled', { targetPod: ready, handedOff: true })).toEqual([])
    expect(actions('Scheduled', { targetPod: ready, vmi: vm({ migrationState: STATE }) })).toEqual(
      [],
    )
    expect(actions('Scheduled', { targetPod: starting(1) })).toEqual([])
  })
})

describe('after hand-off', () => {
  const dead: Pod = { ...ready, status: { phase: 'Failed' } }
  test('a target that goes down before the copy is marked in the VMI', () => {
    const [action] = actionsFor(
      situation('PreparingTarget', { targetPod: dead, vmi: vm({ migrationState: STATE }) }),
      NOW,
    )
    expect(action).toMatchObject({
      do: 'patch-vmi',
      note: {
        message: 'VirtualMachineInstance migration uid uid-m failed. reason: Target pod is down',
      },
    })
    const paths = action?.do === 'patch-vmi' ? action.patch.map(({ path }) => path) : []
    expect(paths).toContain('/status/migrationState/failureReason')
  })

  test('a canceled migration whose target goes down leaves the pod to the collection', () => {
    const its = vm({ migrationState: { ...STATE, startTimestamp: 'now' } })
    expect(actions('TargetReady', { targetPod: dead, vmi: its, deleting: true })).toEqual([])
  })

  test('not when the copy has begun, and not in another migration’s slot', () => {
    const begun = vm({ migrationState: { ...STATE, startTimestamp: 'now' } })
    expect(actions('TargetReady', { targetPod: dead, vmi: begun })).toEqual([])
    const other = vm({ migrationState: { migrationUid: 'uid-older', completed: true } })
    expect(actions('Failed', { vmi: other })).toEqual([])
  })

  test('the target pod is told when its domain is up, in the very pass that ends', () => {
    const state = { ...STATE, targetNodeDomainReadyTimestamp: '2026-01-01T00:00:11Z' }
    const expected = {
      do: 'patch-target-pod',
      patch: [
        {
          op: 'add',
          path: '/metadata/annotations/kubevirt.io~1migration-target-ready-timestamp',
          value: '2026-01-01 00:00:11 +0000 UTC',
        },
      ],
    }
    for (const more of [{}, { completed: true }]) {
      const its = vm({ migrationState: { ...state, ...more } })
      expect(actionsFor(situation('Running', { targetPod: ready, vmi: its }), NOW)).toEqual([
        expected,
      ])
    }
  })
})

test('nothing is done for a VMI that is being deleted, nor beside another migration', () => {
  const leaving = { ...vm(), metadata: { ...vm().metadata, ...DELETED } }
  expect(actions('Pending', { vmi: leaving })).toEqual([])
  const slotOwner = migration('other', { phase: 'Running' })
  const owned = vm({ migrationState: { migrationUid: 'uid-other' } })
  expect(actions('Pending', { vmi: owned, slotOwner })).toEqual(['give-up'])
})

describe('the status', () => {
  test('advances one phase, notes when, and the source pod while Pending', () => {
    const { status, notes } = statusFor(situation(''), undefined, NOW)
    expect(status).toEqual({
      phase: 'Pending',
      phaseTransitionTimestamps: [
        { phase: 'Pending', phaseTransitionTimestamp: '2026-01-01T00:10:00Z' },
      ],
      migrationState: { sourcePod: 'source' },
    })
    expect(notes).toEqual([])
  })

  test('says that a quota refused, until Scheduling is worked on', () => {
    const error = 'pods "x" is forbidden: exceeded quota: mem'
    const refused = statusFor(situation('Pending'), error, NOW).status
    expect(refused?.conditions).toEqual([
      {
        type: 'migrationRejectedByResourceQuota',
        status: 'True',
        lastProbeTime: '2026-01-01T00:10:00Z',
        lastTransitionTime: null,
      },
    ])
    const its = { ...migration('m'), status: refused! }
    const admitted = statusFor(
      { ...situation('Pending', { targetPod: ready }), migration: its },
      undefined,
      NOW,
    )
    expect(admitted.status).toMatchObject({ phase: 'Scheduling', conditions: refused?.conditions })
    const later = { ...migration('m'), status: { ...refused, phase: 'Scheduling' } }
    const seen = { ...situation('Scheduling', { targetPod: starting(1) }), migration: later }
    expect(statusFor(seen, undefined, NOW).status).toMatchObject({ conditions: [] })
    expect(statusFor(situation('Pending'), 'other trouble', NOW).status?.conditions).toBeUndefined()
  })

  test('says what blocks it, and goes on when that is gone', () => {
    const backed = vm({ changedBlockTracking: { backupStatus: { backupName: 'b' } } })
    const held = statusFor(situation('Pending', { vmi: backed, targetPod: ready }), undefined, NOW)
    expect(held.status).toMatchObject({
      phase: 'Pending',
      conditions: [
        {
          type: 'migrationBlockedByBackup',
          status: 'True',
          message: 'Waiting for backup b to complete',
        },
      ],
    })
    const its = { ...migration('m'), status: held.status! }
    const free = { ...situation('Pending', { targetPod: ready }), migration: its }
    expect(statusFor(free, undefined, NOW).status).toMatchObject({
      phase: 'Scheduling',
      conditions: [],
    })
    expect(actions('Pending', { vmi: backed })).toEqual(['create-target-pod', 'requeue 5000 0'])
    const urgent = migration('m', { phase: 'Pending', priority: 'system-critical' })
    const seen = { ...situation('Pending', { vmi: backed }), migration: urgent }
    expect(summary(actionsFor(seen, NOW))).toEqual([
      'abort-backup',
      'create-target-pod',
      'requeue 1000 100',
    ])
  })

  test('fails when utility volumes do not go in time', () => {
    const plugged = { ...vm(), spec: { utilityVolumes: [{ name: 'u' }] } }
    const old = migration('m', {
      phase: 'Pending',
      metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
    })
    const { status, notes } = statusFor(
      { ...situation('', { vmi: plugged }), migration: old },
      undefined,
      NOW,
    )
    expect(status?.phase).toBe('Failed')
    expect(notes[0]?.message).toContain('Utility volumes still present after 600 seconds.')
  })

  test('fails with an event, and a canceled one says that it was', () => {
    const { status, notes } = statusFor(situation('Scheduling', { deleting: true }), undefined, NOW)
    expect(status?.phase).toBe('Failed')
    expect(status?.conditions).toMatchObject([{ type: 'migrationAbortRequested', status: 'True' }])
    expect(notes).toEqual([
      {
        on: 'migration',
        type: 'Warning',
        reason: 'FailedMigration',
        message: 'Migration failed due to being canceled',
      },
    ])
  })

  test('is unchanged when nothing happens', () => {
    const its = situation('Scheduling', { targetPod: starting(1) })
    expect(statusFor(its, undefined, NOW)).toEqual({ status: undefined, notes: [] })
  })

  test('takes the VMI’s slot over at the end, if it is its own', () => {
    const own = situation('Succeeded', {
      vmi: vm({ migrationState: { ...STATE, completed: true } }),
    })
    expect(statusFor(own, undefined, NOW).status?.migrationState).toMatchObject({ completed: true })
    const other = situation('Failed', { vmi: vm({ migrationState: { migrationUid: 'x' } }) })
    expect(statusFor(other, undefined, NOW).status).toBeUndefined()
  })
})
