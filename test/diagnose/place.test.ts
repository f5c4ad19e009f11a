import { expect, test } from 'vitest'
import { diagnose } from '../../src/diagnose/engine.ts'
import { reportOf } from '../../src/diagnose/report.ts'
import { isToldYoung, placeSubject } from '../../src/diagnose/unwell.ts'
import type { Evidence, Gap } from '../../src/evidence/evidence.ts'
import { createObjects } from '../../src/evidence/objects.ts'
import { objectsIn } from '../../src/evidence/shape.ts'
import { handler, kubevirt, migration, node, source, through, vmi } from './world.ts'

const NOW = Date.parse('2026-01-01T10:00:30Z')
const CRASHES = {
  conditions: [{ type: 'Ready', status: 'False' }],
  containerStatuses: [{ name: 'virt-handler', state: { waiting: { reason: 'CrashLoopBackOff' } } }],
}
const NODES = ['node-a', 'node-b']

function evidenceOf(objects: object[], gaps: Gap[] = []): Evidence {
  const store = createObjects()
  for (const item of objectsIn(structuredClone(objects)).items) store.add(item, 'test')
  for (const kind of ['VirtualMachineInstanceMigration', 'Pod', 'Node']) store.sawKind(kind)
  return {
    source: { kind: 'cluster', from: ['test'] },
    objects: store,
    logs: [],
    logLines: 0,
    logFiles: 0,
    gaps,
    latest: undefined,
  }
}

test.each([
  ['without any migration', []],
  [
    'beside a migration that has only begun',
    [migration('Pending', { status: through('Pending') }), vmi(), source],
  ],
])('a node whose virt-handler crashes is told, %s', (_, moves) => {
  const scope = { namespace: undefined, node: 'node-b' }
  const of = (status: object) =>
    reportOf(
      diagnose(
        evidenceOf([
          kubevirt(),
          ...NODES.map((name) => node(name)),
          handler('node-a'),
          handler('node-b', { ...status }),
          ...moves,
        ]),
        NOW,
        {
          isAbout: ({ migration: one }) => one !== undefined,
          isTold: isToldYoung,
          place: (untold) => placeSubject(scope, { inFlight: untold.length }),
        },
      ),
      NOW,
    )
  expect(of(CRASHES).verdict).toMatchObject({
    code: 'MIG0005',
    title: 'virt-handler on node-b is not ready (virt-handler: CrashLoopBackOff)',
  })
  expect(of({}).verdict.code).toBe(moves.length > 0 ? 'MIG0011' : 'MIG0010')
})

test('what must be read for a verdict and may not makes it unsure, and its end unknown', () => {
  const gap = (what: string): Gap => ({ what, why: 'forbidden', detail: 'the user may not' })
  const prepares = [
    kubevirt(),
    migration('PreparingTarget', {
      status: {
        ...through('Pending', 'Scheduling', 'Scheduled', 'PreparingTarget'),
        migrationState: { migrationUid: 'u1', sourceNode: 'node-a', targetNode: 'node-b' },
      },
      metadata: { annotations: { 'kubevirt.io/latest-observed-api-version': 'v1' } },
    }),
    vmi(),
    source,
    ...NODES.map((name) => node(name)),
  ]
  const all = [...prepares, ...NODES.map((name) => handler(name))]
  const verdictOf = (objects: object[], gaps: Gap[] = []) =>
    reportOf(diagnose(evidenceOf(objects, gaps), NOW), NOW).verdict
  expect(verdictOf(all)).toMatchObject({
    code: 'MIG0011',
    confidence: 'certain',
    endsByItself: 'yes',
  })
  expect(verdictOf(prepares, [gap('Pod of namespace kubevirt')])).toMatchObject({
    code: 'MIG0011',
    cause: expect.stringMatching(/could not all be read: Pod of namespace kubevirt$/),
    confidence: 'possible',
    endsByItself: 'unknown',
  })
})

test('who else holds the slots is not known: the queue need not end by itself', () => {
  const one = { 'kubevirt.io/latest-observed-api-version': 'v1' }
  const other = migration('Scheduling', {
    metadata: { name: 'mig-2', uid: 'u2', annotations: one },
    spec: { vmiName: 'vm-b' },
    status: through('Pending', 'Scheduling'),
  })
  const objects = [
    kubevirt({ parallelMigrationsPerCluster: 1 }),
    migration('Pending', { metadata: { annotations: one }, status: through('Pending') }),
    other,
    vmi(),
    source,
  ]
  const verdictOf = (gaps: Gap[]) =>
    reportOf(
      diagnose(evidenceOf(objects, gaps), NOW, { isAbout: ({ name }) => name === 'vm-a' }),
      NOW,
    ).verdict
  expect(verdictOf([])).toMatchObject({ code: 'MIG2001', endsByItself: 'yes' })
  expect(
    verdictOf([{ what: 'Pod of other namespaces', why: 'forbidden', detail: 'the user may not' }]),
  ).toMatchObject({ code: 'MIG2001', confidence: 'likely', endsByItself: 'unknown' })
})
