import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { EXIT, MigError } from '../../src/errors.ts'
import type { Migration } from '../../src/kubevirt/types.ts'
import { forecast } from '../../src/migrate/forecast.ts'
import { portMapOf } from '../../src/migrate/ports.ts'
import { emptyReport, listOf, refusedReport, reportOf } from '../../src/migrate/report.ts'
import { activeDetail } from '../../src/terminal/words.ts'
import {
  at,
  COMPLETED,
  COPYING,
  event,
  HANDED_OFF,
  known,
  LISTENING,
  migration,
  ms,
  pod,
  TRACE_01,
  unschedulable,
  upTo,
  vmi,
} from './objects.ts'

const schema = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../schema/${name}.json`, import.meta.url), 'utf8'))
const ajv = new Ajv({ formats: { 'date-time': (text: string) => !Number.isNaN(Date.parse(text)) } })
ajv.addSchema(schema('migration-report'))

/** What is wrong with a document by its schema. */
function faults(name: string, document: unknown) {
  const validate = ajv.getSchema(schema(name).$id) ?? ajv.compile(schema(name))
  validate(JSON.parse(JSON.stringify(document)))
  return validate.errors
}

const CANCELLING = { metadata: { deletionTimestamp: at(9) } } as Partial<Migration>

const WAITING = {
  admit: false as const,
  limit: 'node' as const,
  node: 'node-1',
  used: 2,
  of: 2,
  by: [migration([], { metadata: { name: 'a', namespace: 'x', uid: 'uid-a' } })],
  standing: { priority: 0, above: [migration()], competing: [] },
}

const CASES: Record<string, ReturnType<typeof known>> = {
  'not looked at yet': known(migration()),
  waiting: known(migration(upTo('Pending')), { vmi: vmi(), waiting: WAITING }),
  scheduling: known(migration(upTo('Scheduling')), { vmi: vmi(), targetPod: pod() }),
  prepared: known(migration(upTo('TargetReady')), { vmi: vmi(LISTENING) }),
  copying: known(migration(upTo('Running'), CANCELLING), {
    vmi: vmi(COPYING),
    progress: { at: ms(9), totalBytes: 64, remainingBytes: 16, transferRate: 4, dirtyRate: 4 },
  }),
  succeeded: known(migration(TRACE_01), {
    vmi: vmi(COMPLETED),
    finished: { rounds: 3, downtimeSeconds: 0.04, transferredBytes: 90, verified: true },
  }),
  failed: known(migration([...upTo('PreparingTarget'), ['Failed', 6]]), {
    vmi: vmi({ ...HANDED_OFF, failed: true, completed: true, failureReason: 'Target pod is down' }),
    events: [event('FailedMigration', 'Migration failed because target pod shutdown')],
  }),
  cancelled: known(migration([['Failed', 9]], CANCELLING), { gone: true }),
}

describe('a report', () => {
  test.each(Object.entries(CASES))('of one that is %s keeps to its schema', (_, observed) => {
    expect(faults('migration-report', reportOf(observed, ms(10)))).toBeNull()
  })

  test('of a VM without migration, and of one that was refused, keeps to its schema', () => {
    const facts = {
      namespace: 'demo',
      name: 'vm-1',
      vm: undefined,
      vmi: vmi(),
      migrations: [migration(upTo('Running'))],
      view: undefined,
      kubevirt: undefined,
      policies: undefined,
      inNamespace: undefined,
      quotas: [],
      gaps: [{ what: 'migration policies', why: 'forbidden' }],
    }
    const refusal = {
      forecast: forecast(facts),
      error: new MigError(EXIT.notFound, 'no', { hint: 'look' }),
    }
    const refused = refusedReport({ namespace: 'demo', vm: 'vm-1' }, refusal, ms(10))
    expect(refused).toMatchObject({
      outcome: 'refused',
      blockers: [{ check: 'in-flight', migration: { name: 'vm-1-m', phase: 'Running' } }],
      error: { exit: 9, message: 'no', hint: 'look' },
    })
    expect(faults('migration-report', refused)).toBeNull()
    expect(faults('migration-report', emptyReport('demo', 'vm-1', ms(10)))).toBeNull()
    const list = listOf([refused, reportOf(CASES['copying']!, ms(10))], ms(10))
    expect(faults('migration-list', list)).toBeNull()
  })

  test('that lacks something, or has more, does not', () => {
    const { phase: _, ...lacking } = reportOf(CASES['failed']!, ms(10))
    expect(faults('migration-report', lacking)).not.toBeNull()
    expect(faults('migration-report', { ...lacking, phase: '', more: 1 })).not.toBeNull()
  })

  test('of a finished move says whence, whither, how long, how much', () => {
    expect(reportOf(CASES['succeeded']!, ms(60))).toMatchObject({
      migration: { name: 'vm-1-m', uid: 'uid-m', createdAt: at(1), origin: 'user' },
      outcome: 'succeeded',
      since: at(13),
      forSeconds: 47,
      durationSeconds: 12,
      sourceNode: 'node-1',
      targetNode: 'node-3',
      copy: {
        startedAt: at(8),
        endedAt: at(13),
        transferredBytes: 90,
        rounds: 3,
        downtimeSeconds: 0.04,
        verified: true,
        remainingBytes: null,
        etaSeconds: null,
      },
    })
  })

  test('of a copy that does not converge has an estimate without upper end', () => {
    expect(reportOf(CASES['copying']!, ms(10))).toMatchObject({
      cancelling: true,
      copy: { remainingBytes: 16, etaSeconds: { min: 4, max: null } },
    })
  })

  test('of one that its own node selector holds on its node says that nothing takes it', () => {
    const zoned = vmi()
    zoned.spec.nodeSelector = { zone: 'a' }
    const facts = { namespace: 'demo', name: 'vm-1', vm: undefined, vmi: zoned, migrations: [] }
    const around = { view: undefined, kubevirt: undefined, policies: [], inNamespace: undefined }
    const fitting = ['node-1']
    const predicted = forecast({ ...facts, ...around, quotas: [], gaps: [], fitting })
    const report = reportOf(known(migration()), ms(10), { forecast: predicted })
    expect(faults('migration-report', report)).toBeNull()
    expect(report.forecast?.target).toEqual({
      node: 'node-1',
      fits: false,
      message: 'its own node selector leaves no other node',
    })
  })

  test('of one that counts already, by its target pod, has no limit to wait for', () => {
    const pending = migration(upTo('Pending'))
    const waiting = { ...WAITING, by: [...WAITING.by, pending] }
    const observed = known(pending, { vmi: vmi(), waiting })
    expect(reportOf(observed, ms(10)).waiting).toBeNull()
    expect(activeDetail('Pending', observed, ms(10))).toBe('it has a slot, the target pod starts')
  })

  test('of a waiting one names the limit and who holds it', () => {
    expect(reportOf(CASES['waiting']!, ms(10)).waiting).toEqual({
      limit: 'node',
      node: 'node-1',
      used: 2,
      of: 2,
      by: ['x/a'],
      above: 1,
      competing: 0,
    })
  })

  test('of one whose pod no node takes says when KubeVirt gives up', () => {
    const stuck = known(migration(upTo('Scheduling')), { targetPod: unschedulable('0/3 nodes') })
    const report = reportOf(stuck, ms(10))
    expect(report.deadline).toBe(at(302))
    expect(faults('migration-report', report)).toBeNull()
  })

  test('says who wanted the migration', () => {
    const wanted = (annotation: string) =>
      reportOf(
        known(migration([], { metadata: { name: 'm', annotations: { [annotation]: '' } } })),
        ms(2),
      ).migration?.origin
    expect(wanted('kubevirt.io/evacuationMigration')).toBe('evacuation')
    expect(wanted('kubevirt.io/workloadUpdateMigration')).toBe('workload-update')
  })

  test('shows nothing of an earlier migration whose state the VMI still has', () => {
    const earlier = vmi({ ...COMPLETED, migrationUid: 'earlier' })
    expect(reportOf(known(migration(upTo('Scheduling')), { vmi: earlier }), ms(4))).toMatchObject({
      sourceNode: 'node-1',
      targetNode: null,
      targetPod: null,
      copy: null,
    })
  })
})

describe('a port map', () => {
  const subject = (of: Migration | undefined, instance = vmi()) => ({
    namespace: 'demo',
    name: 'vm-1',
    vm: undefined,
    vmi: instance,
    migration: of,
  })

  test('joins label, purpose, address, real port and socket', () => {
    const map = portMapOf(subject(migration(upTo('Running')), vmi(LISTENING)), ms(10))
    expect(map).toMatchObject({ state: 'open', targetAddress: '10.0.0.3', targetNode: 'node-3' })
    expect(map.ports).toEqual([
      {
        label: 0,
        purpose: 'control (libvirt)',
        port: 41001,
        sourceSocket: '/var/run/kubevirt/migrationproxy/uid-vmi-source.sock',
      },
      {
        label: 49152,
        purpose: 'memory and device state',
        port: 41002,
        sourceSocket: '/var/run/kubevirt/migrationproxy/uid-vmi-49152-source.sock',
      },
    ])
    expect(faults('port-map', map)).toBeNull()
  })

  test('before publication has the labels that are to come, and no port', () => {
    const block = vmi(HANDED_OFF, { migrationMethod: 'BlockMigration' })
    const map = portMapOf(subject(migration(upTo('PreparingTarget')), block), ms(4))
    expect(map.state).toBe('unpublished')
    expect(map.ports.map(({ label, port }) => [label, port])).toEqual([
      [0, null],
      [49152, null],
      [49153, null],
    ])
    expect(faults('port-map', map)).toBeNull()
  })

  test('shows no port of an earlier migration', () => {
    const earlier = vmi({ ...COMPLETED, migrationUid: 'earlier' })
    const map = portMapOf(subject(migration(upTo('Scheduling')), earlier), ms(4))
    expect(map).toMatchObject({ state: 'unpublished', targetAddress: null, targetNode: null })
  })

  test('of an ended migration is history; of one that never had ports it is empty', () => {
    expect(portMapOf(subject(migration(TRACE_01), vmi(COMPLETED)), ms(20)).state).toBe('closed')
    const early = portMapOf(subject(migration([['Failed', 3]])), ms(20))
    expect(early).toMatchObject({ state: 'closed', ports: [], sourceNode: null })
  })

  test('of a VM without migration is empty', () => {
    const map = portMapOf(subject(undefined), ms(4))
    expect(map).toMatchObject({ state: 'none', migration: null, ports: [] })
    expect(faults('port-map', map)).toBeNull()
  })
})
