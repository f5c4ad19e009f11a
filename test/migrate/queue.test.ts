import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { EXIT } from '../../src/errors.ts'
import type { KubeVirt, Migration, Vmi } from '../../src/kubevirt/types.ts'
import { type QueueReport, queueOf, readQueue } from '../../src/migrate/queue.ts'
import { queueLines } from '../../src/terminal/queue-view.ts'
import { pipe, screen } from '../terminal/screen.ts'
import { at, ms } from './objects.ts'
import { startStage } from './stage.ts'

const text = (lines: string[]) => `\n${lines.join('\n')}\n`

function migration(vm: string, phase: string, more: Partial<Migration> = {}): Migration {
  return {
    metadata: {
      name: `m-${vm}`,
      namespace: vm.startsWith('x') ? 'other' : 'demo',
      uid: vm,
      creationTimestamp: at(0),
    },
    spec: { vmiName: vm, ...more.spec },
    status: { phase, ...more.status },
  }
}

const vmi = (name: string, nodeName: string, status: object = {}): Vmi => ({
  metadata: { name, namespace: name.startsWith('x') ? 'other' : 'demo', labels: {} },
  spec: {},
  status: { nodeName, ...status },
})

const KUBEVIRT: KubeVirt = {
  metadata: { name: 'kubevirt' },
  spec: { configuration: { migrations: { parallelMigrationsPerCluster: 3 } } },
}

const QUOTA = {
  type: 'migrationRejectedByResourceQuota',
  status: 'True' as const,
  message: 'exceeded quota: small',
}

/** Two leave node-1, which is its limit; one slot of the cluster is free. */
const VIEW = {
  migrations: [
    migration('vm-1', 'Running'),
    migration('x-1', 'Scheduling'),
    migration('vm-2', 'Pending'),
    migration('vm-3', ''),
    migration('vm-4', 'Pending', { spec: { priority: 'system-critical' } }),
    migration('vm-5', 'Pending', { status: { conditions: [QUOTA] } }),
  ],
  vmis: [
    vmi('vm-1', 'node-3', { migrationState: { migrationUid: 'vm-1', sourceNode: 'node-1' } }),
    vmi('x-1', 'node-1'),
    vmi('vm-2', 'node-1'),
    vmi('vm-3', 'node-2'),
    vmi('vm-4', 'node-1'),
    vmi('vm-5', 'node-2'),
  ],
  pods: [],
  kubevirt: KUBEVIRT,
}

describe('what moves and what waits', () => {
  const queue = queueOf(VIEW, undefined, ms(20))

  test('each limit says how much of it is used, and by whom in all namespaces', () => {
    const { limits } = queueOf(VIEW, 'demo', ms(20))
    expect(
      limits.map(({ node, used, of, by }) => [node, used, of, by.map(({ vm }) => vm)]),
    ).toEqual([
      [null, 2, 3, ['vm-1', 'x-1']],
      ['node-1', 2, 2, ['vm-1', 'x-1']],
      ['node-2', 0, 2, []],
      ['node-3', 1, 2, ['vm-1']],
    ])
  })

  test('one that waits says what holds it, how many rank above and how many compete', () => {
    expect(
      queue.waiting.map(({ vm, limit, blocked, above, competing }) => [
        vm,
        limit,
        blocked?.type,
        above,
        competing,
      ]),
    ).toEqual([
      ['vm-4', 'node', undefined, 0, 0],
      ['vm-2', 'node', undefined, 1, 2],
      ['vm-3', null, undefined, 1, 2],
      ['vm-5', null, 'migrationRejectedByResourceQuota', 1, 2],
    ])
  })

  test('of one second vm-7 comes before vm-10, whatever their migrations are called', () => {
    const names = ['vm-10', 'vm-7', 'vm-1']
    const migrations = names.map((vm, i) => ({
      ...migration(vm, 'Pending'),
      metadata: { ...migration(vm, 'Pending').metadata, name: `m-${i}` },
    }))
    const { waiting } = queueOf({ ...VIEW, migrations }, undefined, ms(20))
    expect(waiting.map(({ vm }) => vm)).toEqual(['vm-1', 'vm-7', 'vm-10'])
  })

  test('only those of a namespace are shown', () => {
    const shown = queueOf(VIEW, 'other', ms(20))
    expect(shown.running.map(({ vm }) => vm)).toEqual(['x-1'])
    expect(shown.waiting).toEqual([])
  })

  test('the document is what its schema says', () => {
    const schema = JSON.parse(
      readFileSync(new URL('../../schema/queue-report.json', import.meta.url), 'utf8'),
    )
    const ajv = new Ajv({ formats: { 'date-time': true }, allowUnionTypes: true })
    const validate = ajv.compile(schema)
    validate(queue)
    expect(validate.errors).toBeNull()
  })
})

describe('as a table', () => {
  const lines = (queue: QueueReport, terminal = pipe().terminal) =>
    text(queueLines(queue, terminal))

  test('through a pipe, of all namespaces', () => {
    expect(lines(queueOf(VIEW, undefined, ms(20)))).toBe(`
LIMIT     USED     FREE   BY
cluster   2 of 3   1      demo/vm-1, other/x-1
node-1    2 of 2   0      demo/vm-1, other/x-1
node-2    0 of 2   2
node-3    1 of 2   1      demo/vm-1

NAMESPACE   VM     PHASE        AGE   SOURCE   PRIORITY          ABOVE   COMPETE   SLOT
demo        vm-1   Running      20s   node-1   none              -       -         has one
other       x-1    Scheduling   20s   node-1   none              -       -         has one
demo        vm-4   Pending      20s   node-1   system-critical   0       0         node-1: 2 of 2 used
demo        vm-2   Pending      20s   node-1   none              1       2         node-1: 2 of 2 used
demo        vm-3   Created      20s   node-2   none              1       2         one is free
demo        vm-5   Pending      20s   node-2   none              1       2         exceeded quota: small
`)
  })

  test('at 80 columns, of one; priorities are left out where nothing has any', () => {
    const { terminal } = screen(80, 24, { env: { NO_COLOR: '1' } })
    const migrations = VIEW.migrations.filter(({ spec }) => spec.priority === undefined)
    expect(lines(queueOf({ ...VIEW, migrations }, 'demo', ms(20)), terminal)).toBe(`
LIMIT     USED     FREE   BY
cluster   2 of 3   1      vm-1, other/x-1
node-1    2 of 2   0      vm-1, other/x-1
node-2    0 of 2   2
node-3    1 of 2   1      vm-1

VM     PHASE     AGE   SOURCE   ABOVE   COMPETE   SLOT
vm-1   Running   20s   node-1   -       -         has one
vm-2   Pending   20s   node-1   0       2         node-1: 2 of 2 used
vm-3   Created   20s   node-2   0       2         one is free
vm-5   Pending   20s   node-2   0       2         exceeded quota: small
`)
  })

  test('at 120 columns in colour, a limit that is used up stands out', () => {
    const { terminal } = screen(120, 24)
    expect(lines(queueOf(VIEW, 'demo', ms(20)), terminal)).toContain('\u001b[33m2 of 2\u001b[39m')
  })

  test('with nothing in flight only the limits are left', () => {
    expect(lines(queueOf({ ...VIEW, migrations: [], vmis: [] }, 'demo', ms(20)))).toBe(`
LIMIT     USED     FREE   BY
cluster   0 of 3   3
`)
  })
})

test('whoever may not read all namespaces is refused: the limits count them', async () => {
  const stage = await startStage()
  await stage.grant('viewer', 'view')
  const look = { clock: systemClock, signal: new AbortController().signal }
  const viewer = await stage.as('viewer')
  await expect(readQueue(viewer, { namespace: 'demo' }, look)).rejects.toMatchObject({
    exit: EXIT.refused,
  })
})
