import { Ajv } from 'ajv'
import { beforeAll, expect, test } from 'vitest'
import REPORT_SCHEMA from '../../schema/diagnosis-report.json' with { type: 'json' }
import PLAN_SCHEMA from '../../schema/probe-plan.json' with { type: 'json' }
import { create, get, patch } from '../../src/cluster/objects.ts'
import { KUBEVIRTS, MIGRATIONS, VMIS } from '../../src/kubevirt/resources.ts'
import type { Vmi } from '../../src/kubevirt/types.ts'
import { runningLab } from '../lab/running.ts'
import { until } from '../migrate/stage.ts'
import { file, run, words } from './run.ts'

/** vm-1 is being copied, slowly. */
const { lab, admin } = await runningLab({
  name: 'proxy-command',
  vms: 2,
  guest: 'synthetic',
  memory: '16Mi',
})
beforeAll(async () => {
  const spec = { configuration: { migrations: { bandwidthPerMigration: '128Ki' } } }
  await patch(admin, KUBEVIRTS, { namespace: 'kubevirt', name: 'kubevirt' }, { spec }, 'merge')
  const namespace = 'default'
  const migration = {
    apiVersion: 'kubevirt.io/v1',
    kind: MIGRATIONS.kind,
    metadata: { name: 'move', namespace },
    spec: { vmiName: 'vm-1' },
  }
  await create(admin, MIGRATIONS, migration, { namespace })
  await until(async () => {
    const { status } = await get<Vmi>(admin, VMIS, { namespace, name: 'vm-1' })
    return status?.migrationState?.startTimestamp
  })
})

const mig = (line: string) => run(words(line), { KUBECONFIG: file('config', lab.kubeconfig()) })
const ajv = new Ajv()
const isReport = ajv.compile(REPORT_SCHEMA)
const isPlan = ajv.compile(PLAN_SCHEMA)

test('the channels come first, what is done is announced on stderr, exit 0', async () => {
  const { code, stdout, stderr } = await mig('diagnose proxy vm-1')
  expect(stdout).toMatch(
    /^CHANNEL +PORT +MAP +LISTENER +SOURCE SOCKET +CONNECTIONS\n0 control +\d+ +✓ right +✓ open +✓ live .*\n49152 memory +\d+ +✓ right +✓ open +✓ live .*\n\nvm-1 is being migrated/,
  )
  expect(stderr).toMatch(/^(reading sockets, .* by exec\n){2}$/)
  expect(code).toBe(0)
})

test('one document, valid against the schema, for the migration and for all in flight', async () => {
  const [one, all] = await Promise.all([
    mig('diagnose proxy vmim/move -o json'),
    mig('diagnose proxy --probe none -o json'),
  ])
  for (const { code, stdout } of [one, all]) {
    const report = JSON.parse(stdout)
    expect(isReport(report), JSON.stringify(isReport.errors)).toBe(true)
    expect([code, report.subjects.length]).toEqual([0, 1])
    expect(report.subjects[0].channels.map(({ label }: { label: number }) => label)).toEqual([
      0, 49152,
    ])
  }
  expect(all.stderr).toBe('')
})

test('a dry run says what would be done, and announces nothing', async () => {
  const [text, document] = await Promise.all([
    mig('diagnose proxy vm-1 --probe connect --dry-run'),
    mig('diagnose proxy vm-1 --dry-run -o json'),
  ])
  expect(text).toMatchObject({ code: 0, stderr: '' })
  expect(text.stdout).toMatch(/it leaves a connection to virtqemud that stays until/)
  const plan = JSON.parse(document.stdout)
  expect(isPlan(plan), JSON.stringify(isPlan.errors)).toBe(true)
  expect(plan.probe).toBe('exec')
})

test('who may not run commands gets what the API tells, and what was not read', async () => {
  const { code, stdout, stderr } = await mig('diagnose proxy vm-1 --context viewer')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/0 control .* \? not read +\? not read +\? not read/)
  expect(stdout).toMatch(/not read: Pod of namespace kubevirt: the user may not list pods/)
})

test.each([
  ['nope', 9],
  ['vmim/nope', 9],
  ['node/node-1', 2],
  ['vm-1 --probe all', 2],
  ['--logs', 2],
  ['vm-1 --dry-run -o junit', 2],
  ['vm-1 vm-2', 2],
])('%s: one line, and its exit status', async (line, code) => {
  const ended = await mig(`diagnose proxy ${line}`)
  expect(ended).toMatchObject({ code, stdout: '' })
  expect(ended.stderr).toMatch(/^error: .*\n(hint: .*\n)?$/)
})
