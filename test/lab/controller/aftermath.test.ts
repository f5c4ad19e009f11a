import { expect, test } from 'vitest'
import { patch } from '../../../src/cluster/objects.ts'
import { MIGRATIONS, PODS } from '../../../src/kubevirt/resources.ts'
import type { Migration, MigrationState } from '../../../src/kubevirt/types.ts'
import { hasAftermath } from '../../../src/lab/controller/migration/aftermath.ts'
import type { Situation } from '../../../src/lab/controller/migration/situation.ts'
import { migration, vmi } from '../../rules/objects.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'

const succeeded = { migrationUid: 'uid-older', completed: true }
const local = { vmiName: 'vm-1' }
const vm = (migrationState?: MigrationState) =>
  vmi({ status: migrationState ? { migrationState } : {} })

test.each<[string, string, MigrationState | undefined, string | undefined, boolean]>([
  ['one that failed before hand-off', 'Failed', undefined, undefined, true],
  ['one that failed after it', 'Failed', { migrationUid: 'uid-m' }, undefined, true],
  ['one that succeeded', 'Succeeded', { migrationUid: 'uid-m', completed: true }, undefined, true],
  ['one that failed where one had succeeded', 'Failed', succeeded, 'Succeeded', false],
  ['one that failed where one had that is gone', 'Failed', succeeded, undefined, false],
  [
    'one that failed where one had failed',
    'Failed',
    { ...succeeded, failed: true },
    'Failed',
    true,
  ],
  ['one that succeeded before another did', 'Succeeded', succeeded, 'Succeeded', true],
  ['one that lost to another', 'Failed', { migrationUid: 'uid-older' }, 'Running', false],
])('%s (%s)', (_, phase, migrationState, owner, expected) => {
  const its = {
    migration: migration('m', { phase }),
    vmi: vm(migrationState),
    slotOwner: owner === undefined ? undefined : migration('older', { phase: owner }),
  } as Situation
  expect(hasAftermath(its)).toBe(expected)
})

test('the half that sends writes no failure, and a VM that is deleted has nothing written', () => {
  const sends = { ...local, sendTo: { migrationID: 'id', connectURL: 'there:9185' } }
  const its = { vmi: vm(succeeded) }
  const half = { migration: { ...migration('m', { phase: 'Failed' }), spec: sends }, ...its }
  expect(hasAftermath(half as Situation)).toBe(true)
  const deleted = vm(succeeded)
  deleted.metadata.deletionTimestamp = '2026-01-01T00:00:00Z'
  const failed = migration('m', { phase: 'Failed' })
  expect(hasAftermath({ migration: failed, vmi: deleted } as Situation)).toBe(true)
})

const TIME = '2026-01-01T00:00:00Z'
const names = async (plane: ControlPlane) =>
  (await plane.all<Migration>(MIGRATIONS)).map(({ metadata }) => metadata.name)
const reached = (plane: ControlPlane, name: string, phase: string) =>
  plane.until(async () => (await plane.phaseOf(name)) === phase, `${name} to be ${phase}`)
const migrate = (plane: ControlPlane, name: string) =>
  plane.create(MIGRATIONS, { metadata: { name }, spec: local })

async function succeed(plane: ControlPlane, name: string, from: string, to: string) {
  await migrate(plane, name)
  await plane.start(await plane.targetOf(name), to)
  await reached(plane, name, 'PreparingTarget')
  const begun = { targetNodeAddress: '10.0.0.2', startTimestamp: TIME }
  await plane.handle(to, 'vm-1', { migrationState: begun })
  await reached(plane, name, 'Running')
  const source = (await plane.all(PODS)).find(
    (pod) => (pod as { spec?: { nodeName?: string } }).spec?.nodeName === from,
  )
  const migrationState = { endTimestamp: TIME, completed: true }
  await plane.handle(to, 'vm-1', { nodeName: to, migrationState })
  const at = { ...source!.metadata, subresource: 'status' }
  await patch(plane.admin, PODS, at, { status: { phase: 'Succeeded' } }, 'strategic')
  await reached(plane, name, 'Succeeded')
}

async function fail(plane: ControlPlane, name: string) {
  await migrate(plane, name)
  const target = await plane.targetOf(name)
  const at = { ...target.metadata, subresource: 'status' }
  await patch(plane.admin, PODS, at, { status: { phase: 'Failed' } }, 'strategic')
  await reached(plane, name, 'Failed')
}

test('those that fail before hand-off after a success pile up until the next that is handed off ends', async () => {
  const plane = await startControlPlane()
  await plane.run('vm-1', 'node-1')
  await succeed(plane, 'first', 'node-1', 'node-2')
  const failures = ['f1', 'f2', 'f3', 'f4', 'f5', 'f6']
  for (const name of failures) await fail(plane, name)
  expect(await names(plane)).toEqual([...failures, 'first'])
  await succeed(plane, 'last', 'node-2', 'node-1')
  await plane.until(async () => (await names(plane)).length === 5, 'the old ones to be collected')
}, 20_000)
