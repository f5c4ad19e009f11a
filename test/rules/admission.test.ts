import { describe, expect, test } from 'vitest'
import {
  admitMigration,
  admitMigrationUpdate,
  type MigrationCreation,
  withMigrationDefaults,
} from '../../src/rules/admission.ts'
import { type Admission, denialMessage } from '../../src/rules/refusal.ts'
import { condition, migration, vmi } from './objects.ts'

const CONTROLLER = 'system:serviceaccount:kubevirt:kubevirt-controller'

function ask(request: Partial<MigrationCreation>): Admission {
  return admitMigration({
    namespace: 'demo',
    spec: { vmiName: 'vm-1' },
    vmi: vmi(),
    migrations: [],
    userName: 'user',
    ...request,
  })
}

function first(admission: Admission): [number, string] | undefined {
  return admission.admit ? undefined : [admission.blockers[0].code, admission.blockers[0].message]
}

const disks = condition('LiveMigratable', 'False', 'DisksNotLiveMigratable', 'not shared')

describe('a migration is refused', () => {
  test.each<[string, Partial<MigrationCreation>, [number, string]]>([
    ['without a VM name', { spec: {} }, [422, 'vmiName is missing']],
    [
      'with a priority that a user set',
      { spec: { vmiName: 'vm-1', priority: 'system-critical' } },
      [422, 'Migration priority queue, only virt-controller is allowed to set priority field'],
    ],
    [
      'for a VM that does not exist',
      { spec: { vmiName: 'nobody' }, vmi: undefined },
      [400, 'the VMI "demo/nobody" does not exist'],
    ],
    [
      'for a VM that has ended',
      { vmi: vmi({ status: { phase: 'Failed' } }) },
      [400, 'Cannot migrate VMI in finalized state.'],
    ],
    [
      'for a VM that is not migratable',
      { vmi: vmi({ status: { conditions: [disks] } }) },
      [400, 'Cannot migrate VMI, Reason: DisksNotLiveMigratable, Message: not shared'],
    ],
    [
      'while another is in flight, even one that is being deleted',
      {
        migrations: [
          migration('done', { phase: 'Succeeded' }),
          migration('other', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
        ],
      },
      [
        400,
        'in-flight migration detected. Active migration job (uid-other) is currently already in progress for VMI vm-1.',
      ],
    ],
    [
      'between clusters while the gate is off',
      { spec: { vmiName: 'vm-1', receive: { migrationID: 'a' } } },
      [422, 'DecentralizedLiveMigration feature gate is not enabled in kubevirt resource'],
    ],
    [
      'with two different migration ids',
      {
        spec: {
          vmiName: 'vm-1',
          sendTo: { migrationID: 'a', connectURL: 'x:1' },
          receive: { migrationID: 'b' },
        },
        decentralized: true,
      },
      [422, 'sendTo migrationID a does not match receive migrationID b'],
    ],
  ])('%s', (_, request, refusal) => {
    expect(first(ask(request))).toEqual(refusal)
  })
})

describe('a migration is admitted', () => {
  test.each<[string, Partial<MigrationCreation>]>([
    ['for a running, migratable VM', {}],
    ['for a VM that does not run yet', { vmi: vmi({ status: { phase: 'Scheduling' } }) }],
    ['where nobody has judged migratability', { vmi: vmi({ status: { conditions: [] } }) }],
    [
      'with a priority from virt-controller',
      { spec: { vmiName: 'vm-1', priority: 'system-critical' }, userName: CONTROLLER },
    ],
    [
      'while one of another namespace is in flight',
      { migrations: [migration('other', { namespace: 'elsewhere' })] },
    ],
    [
      'between clusters although its disks are not shared',
      {
        spec: { vmiName: 'vm-1', receive: { migrationID: 'a' } },
        vmi: vmi({ status: { conditions: [disks] } }),
        decentralized: true,
      },
    ],
  ])('%s', (_, request) => {
    expect(ask(request)).toEqual({ admit: true })
  })
})

test('all blockers are listed at once, the webhook’s own answer first', () => {
  const admission = ask({
    spec: { vmiName: 'vm-1', priority: 'user-triggered' },
    vmi: vmi({ status: { phase: 'Succeeded', conditions: [disks] } }),
    migrations: [migration('other', { phase: 'Running' })],
  })
  expect(admission.admit).toBe(false)
  expect(!admission.admit && admission.blockers.map(({ check }) => check)).toEqual([
    'priority-reserved',
    'vmi-final',
    'not-migratable',
    'in-flight',
  ])
  expect(!admission.admit && denialMessage(admission.blockers[1]!)).toBe(
    'admission webhook "migration-create-validator.kubevirt.io" denied the request: Cannot migrate VMI in finalized state.',
  )
})

describe('an update', () => {
  const old = migration('m', { phase: 'Running' })
  const labelled = (labels: Record<string, string>) => migration('m', { metadata: { labels } })

  test.each([
    [
      'of the spec is refused',
      migration('m', { vmiName: 'vm-2', metadata: { labels: old.metadata.labels } }),
      "update of Migration object's spec is restricted",
    ],
    [
      'of the selector label is refused',
      labelled({ 'kubevirt.io/vmi-name': 'vm-2' }),
      "selector label can't be modified on an in-flight migration",
    ],
    [
      'that loses the selector label is refused',
      labelled({ other: 'label' }),
      "selector label can't be modified on an in-flight migration",
    ],
    [
      'that loses all labels is refused',
      labelled({}),
      "selector label can't be removed from an in-flight migration",
    ],
  ])('%s', (_, changed, message) => {
    expect(first(admitMigrationUpdate(old, changed))).toEqual([422, message])
  })

  test('of annotations is free, and of labels once it has ended', () => {
    const annotated = migration('m', { phase: 'Running', metadata: { annotations: { a: 'b' } } })
    expect(admitMigrationUpdate(old, annotated)).toEqual({ admit: true })
    const ended = migration('m', { phase: 'Failed' })
    expect(admitMigrationUpdate(ended, labelled({}))).toEqual({ admit: true })
  })
})

test('a new migration gets the selector label and the finalizer once', () => {
  const made = withMigrationDefaults({ metadata: { name: 'm' }, spec: { vmiName: 'vm-1' } })
  expect(made.metadata.labels).toEqual({ 'kubevirt.io/vmi-name': 'vm-1' })
  expect(made.metadata.finalizers).toEqual(['kubevirt.io/migrationJobFinalize'])
  expect(withMigrationDefaults(made)).toEqual(made)
})
