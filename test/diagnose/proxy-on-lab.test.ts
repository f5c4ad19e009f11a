import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import PLAN_SCHEMA from '../../schema/probe-plan.json' with { type: 'json' }
import { type Clock, systemClock } from '../../src/clock.ts'
import type { ApiRequest } from '../../src/cluster/cluster.ts'
import { create, get, patch, remove } from '../../src/cluster/objects.ts'
import { probePlanReport } from '../../src/diagnose/probe-plan-report.ts'
import { diagnoseProxy, planProxy } from '../../src/diagnose/proxy.ts'
import type { Rung } from '../../src/evidence/probes.ts'
import { phaseOf } from '../../src/kubevirt/migration.ts'
import { parseReference } from '../../src/kubevirt/reference.ts'
import { KUBEVIRTS, MIGRATIONS, VMIS } from '../../src/kubevirt/resources.ts'
import type { Migration, Vmi } from '../../src/kubevirt/types.ts'
import { FAULTS, type Fault, type FaultSpec } from '../../src/lab/faults.ts'
import { recorded } from '../evidence/cluster/recorded.ts'
import { runningLab } from '../lab/running.ts'
import { until } from '../migrate/stage.ts'

const namespace = 'default'

const { lab, admin } = await runningLab({
  name: 'proxy',
  vms: 6,
  guest: 'synthetic',
  memory: '16Mi',
})
beforeAll(async () => {
  const migrations = { bandwidthPerMigration: '256Ki' }
  const spec = { configuration: { migrations } }
  await patch(admin, KUBEVIRTS, { namespace: 'kubevirt', name: 'kubevirt' }, { spec }, 'merge')
})

async function as(user: string) {
  const cluster = await lab.connect(user)
  onTestFinished(() => cluster.close())
  return recorded(cluster)
}

/** Says how long is slept, and does not. */
function hurried(slept: number[]): Clock {
  return {
    now: () => Date.now() + slept.reduce((sum, ms) => sum + ms, 0),
    sleep: async (ms) => void slept.push(ms),
  }
}

interface Asked {
  rung?: Rung
  user?: string
  clock?: Clock
  logs?: boolean
}

async function look(
  name: string | undefined,
  { rung = 'exec', user = 'admin', clock = systemClock, logs = false }: Asked = {},
) {
  const { cluster, requests } = await as(user)
  const announced: string[] = []
  const report = await diagnoseProxy(
    cluster,
    name === undefined ? undefined : parseReference(name, ['vm', 'vmi', 'vmim']),
    {
      namespace,
      rung,
      clock,
      logs,
      signal: new AbortController().signal,
      announce: (line) => void announced.push(line),
    },
  )
  const paths = requests.map(({ path }) => path)
  const codes = report.subjects[0]?.findings.map(({ code }) => code) ?? []
  return { report, announced, requests, paths, codes, channels: report.subjects[0]?.channels }
}

async function migrate(vmiName: string, phase?: string): Promise<Migration> {
  const migration = await create<Migration>(
    admin,
    MIGRATIONS,
    {
      apiVersion: 'kubevirt.io/v1',
      kind: MIGRATIONS.kind,
      metadata: { generateName: `${vmiName}-`, namespace },
      spec: { vmiName },
    },
    { namespace },
  )
  if (phase !== undefined) await reaches(migration, phase)
  return migration
}

const reaches = ({ metadata: { name } }: Migration, phase: string) =>
  until(async () => {
    const now = await get<Migration>(admin, MIGRATIONS, { namespace, name })
    return phaseOf(now) === phase || undefined
  })

/** Until the test ends. */
async function broken(spec: FaultSpec) {
  const name = spec.type.toLowerCase()
  const { group, version, kind } = FAULTS
  const fault: Fault = { apiVersion: `${group}/${version}`, kind, metadata: { name }, spec }
  await create(admin, FAULTS, fault)
  onTestFinished(async () => void (await remove(admin, FAULTS, { name })))
  await until(async () => {
    const { status } = await get<Fault>(admin, FAULTS, { name })
    return Object.keys(status?.nodes ?? {}).length === (spec.node ? 1 : 2) || undefined
  })
}

async function ownNode(name: string): Promise<string> {
  const { status } = await get<Vmi>(admin, VMIS, { namespace, name })
  return status?.nodeName ?? ''
}

async function otherNode(name: string): Promise<string> {
  return (await ownNode(name)) === 'node-1' ? 'node-2' : 'node-1'
}

/** Of a request for exec. */
const commandOf = ({ query }: ApiRequest): string[] => [query?.['command'] ?? []].flat().map(String)

const OPEN = { map: 'right', listener: 'open', sourceSocket: 'live' }

test('without a migration nothing is run on any node', async () => {
  const { report, announced, paths, channels } = await look('vm-1')
  expect([channels, announced]).toEqual([[], []])
  expect(report.verdict.code).toBe('MIG1000')
  expect(paths.filter((path) => /exec|portforward|accessreviews/.test(path))).toEqual([])
  const asked = await look('vm-1', { rung: 'connect' })
  expect(asked.report.coverage.gaps).toContainEqual(
    expect.objectContaining({
      what: 'connection to the port of label 0',
      detail: 'no migration is in flight',
    }),
  )
})

describe('while vm-1 is copied', () => {
  let migration: Migration
  beforeAll(async () => {
    migration = await migrate('vm-1', 'Running')
  })

  test('channels are open and live, and data flow; counters are read twice, two seconds apart', async () => {
    const slept: number[] = []
    const clock = hurried(slept)
    const { report, announced, channels, codes } = await look('vm-1', { clock })
    expect(channels).toMatchObject([
      { label: 0, ...OPEN },
      { label: 49152, ...OPEN },
    ])
    expect(slept).toEqual([2000, 2000])
    expect(announced).toEqual([
      expect.stringMatching(
        /^reading .* in virt-handler-\S+ \(virt-handler on node-\d, the source\)/,
      ),
      expect.stringMatching(
        /^reading .* in virt-handler-\S+ \(virt-handler on node-\d, the target\)/,
      ),
    ])
    expect(report.subjects[0]?.findings.filter(({ status }) => !/pass|info/.test(status))).toEqual(
      [],
    )
    expect(codes).toContain('MIG8000')
    expect(report.coverage.gaps).toEqual([])
  })

  test('about 40 requests, Secrets never, each rung asked for before, nothing forwarded', async () => {
    const { paths, requests } = await look('vm-1', { clock: hurried([]) })
    expect(paths.length).toBeLessThanOrEqual(45)
    expect(paths.filter((path) => /secrets/.test(path))).toEqual([])
    expect(paths.filter((path) => /portforward/.test(path))).toEqual([])
    const reviews = paths.flatMap((path, i) => (/selfsubjectaccessreviews/.test(path) ? [i] : []))
    expect(reviews).toHaveLength(2)
    expect(Math.max(...reviews)).toBeLessThan(paths.findIndex((path) => /exec$/.test(path)))
    const commands = requests.flatMap((request) => commandOf(request)[0] ?? [])
    expect([...new Set(commands)].sort()).toEqual(['cat', 'ip', 'ss'])
  })

  test('none: only the API is asked', async () => {
    const { paths, channels, announced, report } = await look('vm-1', { rung: 'none' })
    expect(paths.filter((path) => /exec|portforward|accessreviews/.test(path))).toEqual([])
    expect(channels).toMatchObject([
      { map: 'right', listener: 'unread' },
      { sourceSocket: 'unread' },
    ])
    expect(announced).toEqual([])
    const { gaps, evaluated, total } = report.coverage
    expect(gaps[0]).toMatchObject({ detail: expect.stringContaining('--probe none') })
    expect(total - evaluated).toBe(3)
  })

  test('connect: one connection and one handshake, both with the port of label 0', async () => {
    const { report, announced, requests, paths } = await look('vm-1', {
      rung: 'connect',
      clock: hurried([]),
    })
    const { status } = await get<Vmi>(admin, VMIS, { namespace, name: 'vm-1' })
    const ports = Object.entries(status?.migrationState?.targetDirectMigrationNodePorts ?? {})
    const control = ports.find(([, label]) => label === 0)?.[0]
    const connects = requests.filter((request) => commandOf(request)[0] === 'timeout')
    expect(connects.map((request) => commandOf(request).at(-1))).toEqual([control])
    const forwards = requests.filter(({ path }) => /portforward$/.test(path))
    expect(forwards.map(({ query }) => String(query?.['ports']))).toEqual([control])
    expect(paths.filter((path) => /selfsubjectaccessreviews/.test(path))).toHaveLength(4)
    expect(announced.slice(2)).toEqual([
      expect.stringMatching(/^connecting once from .* leaves a connection to virtqemud/),
      expect.stringMatching(/^one TLS handshake with port .* leaves a connection to virtqemud/),
    ])
    expect(report.coverage.gaps).toEqual([])
    expect(report.subjects[0]?.findings.every(({ status }) => /pass|info/.test(status))).toBe(true)
    // It has disturbed nothing.
    const { metadata } = migration
    const now = await get<Migration>(admin, MIGRATIONS, { namespace, name: metadata.name })
    expect(phaseOf(now)).toBe('Running')
  })

  test('a dry run says it all, and does nothing', async () => {
    const { cluster, requests } = await as('admin')
    const signal = new AbortController().signal
    const reference = parseReference('vm-1', ['vm'])
    const plans = await planProxy(cluster, reference, { namespace, clock: systemClock, signal })
    expect(requests.filter(({ path }) => /exec|portforward|accessreviews/.test(path))).toEqual([])
    const report = probePlanReport(plans, 'connect', Date.now())
    const isValid = new Ajv().compile(PLAN_SCHEMA)
    expect(isValid(report), JSON.stringify(isValid.errors)).toBe(true)
    const [plan] = report.migrations
    expect(plan?.commands).toContainEqual(
      expect.objectContaining({ role: 'source', command: ['ss', '-tanH'], times: 1 }),
    )
    expect(plan?.commands.filter(({ times }) => times === 2)).toHaveLength(2)
    expect(plan?.connections).toMatchObject([
      { kind: 'tcp', leaves: expect.stringContaining('virtqemud') },
      { kind: 'tls', leaves: expect.stringContaining('virtqemud') },
    ])
  })

  test('who may not run commands is told so, and gets no pass for what was not read', async () => {
    const { report, announced, paths, channels, codes } = await look('vm-1', { user: 'viewer' })
    expect(announced).toEqual([])
    expect(paths.filter((path) => /exec$/.test(path))).toEqual([])
    expect(channels).toMatchObject([{ listener: 'unread' }, { connection: { state: 'unread' } }])
    expect(codes).not.toContain('MIG5000')
    expect(report.coverage.gaps).toContainEqual(
      expect.objectContaining({ what: 'Pod of namespace kubevirt', why: 'forbidden' }),
    )
  })

  test('why the table is not read stands before all else that was not', async () => {
    const at = '/apis/rbac.authorization.k8s.io/v1/namespaces/kubevirt'
    const role = {
      metadata: { name: 'looks' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }],
    }
    const binding = {
      metadata: { name: 'looks' },
      subjects: [{ kind: 'User', name: 'viewer', apiGroup: 'rbac.authorization.k8s.io' }],
      roleRef: { kind: 'Role', name: 'looks', apiGroup: 'rbac.authorization.k8s.io' },
    }
    await admin.request({ method: 'POST', path: `${at}/roles`, body: role })
    await admin.request({ method: 'POST', path: `${at}/rolebindings`, body: binding })
    const { report } = await look('vm-1', { user: 'viewer' })
    expect(report.coverage.gaps[0]).toEqual({
      what: 'sockets of virt-handler',
      why: 'forbidden',
      detail: 'the user may not get and create pods/exec in kubevirt',
    })
    expect(report.coverage.evaluated).toBeLessThan(report.coverage.total)
    await admin.request({ method: 'DELETE', path: `${at}/rolebindings/looks` })
    await admin.request({ method: 'DELETE', path: `${at}/roles/looks` })
  })

  test('the role of the page is enough for commands, and not for a forwarded port', async () => {
    const page = readFileSync(new URL('../../docs/diagnose-proxy.md', import.meta.url), 'utf8')
    const role = parse(/```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
    const at = '/apis/rbac.authorization.k8s.io/v1/namespaces/kubevirt'
    await admin.request({ method: 'POST', path: `${at}/roles`, body: role })
    const binding = {
      metadata: { name: 'viewer-probes' },
      subjects: [{ kind: 'User', name: 'viewer', apiGroup: 'rbac.authorization.k8s.io' }],
      roleRef: { kind: 'Role', name: role.metadata.name, apiGroup: 'rbac.authorization.k8s.io' },
    }
    await admin.request({ method: 'POST', path: `${at}/rolebindings`, body: binding })
    const { channels, report, paths } = await look('vm-1', {
      user: 'viewer',
      rung: 'connect',
      clock: hurried([]),
    })
    expect(channels).toMatchObject([OPEN, OPEN])
    expect(report.coverage.gaps).toContainEqual({
      what: 'TLS handshake',
      why: 'forbidden',
      detail: 'the user may not get and create pods/portforward in kubevirt',
    })
    expect(paths.filter((path) => /portforward$/.test(path))).toEqual([])
  })

  test('without a name: all that are in flight in the namespace', async () => {
    const { report } = await look(undefined, { clock: hurried([]) })
    expect(report.subjects.map(({ ref }) => ref)).toEqual([
      `vmim/${namespace}/${migration.metadata.name}`,
    ])
    expect(report.subjects[0]?.channels).toMatchObject([{ label: 0, ...OPEN }, OPEN])
  })

  test('a migration that ends while it is looked at: its sockets say nothing', async () => {
    const clock: Clock = {
      now: () => Date.now(),
      async sleep() {
        await remove(admin, MIGRATIONS, { namespace, name: migration.metadata.name }).catch(
          () => {},
        )
        await reaches(migration, 'Failed').catch(() => {})
      },
    }
    const { report, channels } = await look('vm-1', { clock, rung: 'connect' })
    expect(channels).toMatchObject([{ listener: 'unread' }, { connection: { state: 'unread' } }])
    expect(report.coverage.gaps).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ why: 'expired', what: 'sockets of virt-handler' }),
        expect.objectContaining({ what: 'connection to the port of label 0' }),
      ]),
    )
  })
})

test('a blocked port of the disk: SYN-SENT, while the others are connected', async () => {
  await broken({ type: 'PortBlocked', node: await otherNode('vm-6') })
  const migration = await migrate('vm-6', 'Running')
  await until(async () => {
    const { report, channels } = await look('vm-6', { clock: hurried([]) })
    if (report.verdict.code !== 'MIG7001') return undefined
    expect(channels?.find(({ label }) => label === 49153)).toMatchObject({
      listener: 'open',
      connection: { state: 'unanswered' },
    })
    return true
  })
  await remove(admin, MIGRATIONS, { namespace, name: migration.metadata.name })
})

test('a link that stalls: what is sent waits in the source’s sockets', {
  timeout: 60_000,
}, async () => {
  await broken({ type: 'LinkStalled', node: await otherNode('vm-2'), after: '64Ki' })
  const migration = await migrate('vm-2', 'Running')
  await until(async () => {
    const { report } = await look('vm-2')
    return report.verdict.code === 'MIG7008' || undefined
  })
  await remove(admin, MIGRATIONS, { namespace, name: migration.metadata.name })
})

test.each([
  ['ListenerDies', 'target', 'vm-3', 'MIG5002', true],
  ['PlainText', 'source', 'vm-4', 'MIG6001', true],
  // What a plain target is sent goes to libvirt, which hangs up: nobody names TLS.
  ['PlainText', 'target', 'vm-4', 'MIG5011', true],
  ['UnknownAuthority', 'target', 'vm-3', 'MIG6002', false],
  ['CertificateExpired', 'target', 'vm-4', 'MIG6003', false],
  ['WrongCommonName', 'target', 'vm-5', 'MIG6004', false],
] as const)('%s on the %s, seen when %s has failed: %s', async (type, role, vm, code, logs) => {
  await broken({ type, node: await (role === 'target' ? otherNode(vm) : ownNode(vm)) })
  // Times are whole seconds: so an attempt before this one is before it.
  await systemClock.sleep(1000)
  await migrate(vm, 'Failed')
  // Logs of an attempt that failed before it are not its own.
  for (const read of new Set([logs, true])) {
    const { report } = await look(vm, { logs: read, clock: hurried([]) })
    expect(report.verdict).toMatchObject({ code })
  }
})
