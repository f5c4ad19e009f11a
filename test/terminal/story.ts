import type { Migration } from '../../src/kubevirt/types.ts'
import { forecast } from '../../src/migrate/forecast.ts'
import type { Moving } from '../../src/migrate/move.ts'
import { type Observed, observe } from '../../src/migrate/observed.ts'
import { stepsBetween } from '../../src/migrate/steps.ts'
import {
  COMPLETED,
  COPYING,
  HANDED_OFF,
  known,
  LISTENING,
  migration,
  ms,
  pod,
  TRACE_01,
  upTo,
  vmi,
} from '../migrate/objects.ts'

const MiB = 1024 ** 2

/** Trace 01 as a client sees it: what is told, and when. */
export function* moveStory(): Generator<{ moving: Moving; now: number }> {
  let observed = known(migration(), { vmi: vmi(), seenAt: new Map([['', ms(1)]]) })
  const tell = (step: Moving['step'], now: number, of: Observed | undefined = observed) => ({
    moving: { vm: 'vm-1', step, observed: of },
    now,
  })
  yield {
    ...tell({ type: 'forecast', forecast: FORECAST }, ms(1)),
    moving: { vm: 'vm-1', step: { type: 'forecast', forecast: FORECAST }, observed: undefined },
  }
  yield tell({ type: 'created', migration: observed.migration }, ms(1))
  const observations = [
    [2, { kind: 'migration', object: migration(upTo('Scheduling')), deleted: false }],
    [2.1, { kind: 'pod', object: pod({ phase: 'Pending' }), deleted: false }],
    [3, { kind: 'migration', object: migration(upTo('Scheduled')), deleted: false }],
    [3.2, { kind: 'vmi', object: vmi(HANDED_OFF), deleted: false }],
    [3.4, { kind: 'migration', object: migration(upTo('PreparingTarget')), deleted: false }],
    [5, { kind: 'vmi', object: vmi(LISTENING), deleted: false }],
    [5.1, { kind: 'migration', object: migration(upTo('TargetReady')), deleted: false }],
    [8, { kind: 'vmi', object: vmi(COPYING), deleted: false }],
    [8.1, { kind: 'migration', object: migration(upTo('Running')), deleted: false }],
    [9, { kind: 'progress', progress: progress(9, 48, 12, 0) }],
    [11, { kind: 'progress', progress: progress(11, 24, 16, 8) }],
    [13, { kind: 'vmi', object: vmi(COMPLETED), deleted: false }],
    [13.3, { kind: 'migration', object: migration(TRACE_01), deleted: false }],
  ] as [number, Parameters<typeof observe>[1]][]
  for (const [second, observation] of observations) {
    const before = observed
    observed = observe(before, observation, ms(second))
    for (const step of stepsBetween(before, observed)) yield tell(step, ms(second))
  }
}

export const FORECAST = forecast({
  namespace: 'demo',
  name: 'vm-1',
  vm: undefined,
  vmi: vmi(),
  migrations: [],
  view: { migrations: [], vmis: [], pods: [], kubevirt: undefined },
  kubevirt: undefined,
  policies: [],
  inNamespace: undefined,
  quotas: [],
  gaps: [],
})

function holder(vmiName: string, namespace: string): Migration {
  return { metadata: { name: `m-${vmiName}`, namespace }, spec: { vmiName } }
}

function progress(second: number, left: number, rate: number, dirty: number) {
  return {
    at: ms(second),
    totalBytes: 64 * MiB,
    processedBytes: (64 - left) * MiB,
    remainingBytes: left * MiB,
    transferRate: rate * MiB,
    dirtyRate: dirty * MiB,
  }
}

/** Several migrations as a list shows them: one copies, one waits, one has moved, one has failed. */
export function manyMigrations(): Observed[] {
  const of = (n: number, phases: Parameters<typeof migration>[0], more: Partial<Migration> = {}) =>
    migration(phases, {
      metadata: { name: `kubectl-mig-x7k2${n}`, namespace: 'demo', uid: 'uid-m', ...more.metadata },
      spec: { vmiName: `vm-${n}` },
      ...(more.status && { status: more.status }),
    })
  const failed = {
    ...HANDED_OFF,
    failed: true,
    completed: true,
    failureReason: 'Target pod is down',
  }
  return [
    known(of(1, upTo('Running')), { vmi: vmi(COPYING), progress: progress(11, 24, 16, 8) }),
    known(of(2, upTo('Pending')), {
      vmi: vmi(),
      waiting: {
        admit: false,
        limit: 'node',
        node: 'node-1',
        used: 2,
        of: 2,
        by: [holder('vm-8', 'demo'), holder('vm-9', 'other')],
        standing: { priority: 0, above: [migration()], competing: [migration(), migration()] },
      },
    }),
    known(of(3, TRACE_01, { status: { migrationState: COMPLETED } } as Partial<Migration>), {
      finished: { transferredBytes: 91 * MiB, rounds: 3, downtimeSeconds: 0.041, verified: true },
    }),
    known(
      of(4, [...upTo('PreparingTarget'), ['Failed', 6]], {
        status: { migrationState: failed },
      } as Partial<Migration>),
    ),
  ]
}
