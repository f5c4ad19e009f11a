import { Ajv } from 'ajv'
import { expect, onTestFinished, test } from 'vitest'
import SCHEMA from '../../schema/diagnosis-report.json' with { type: 'json' }
import { create, get, list, patch, remove } from '../../src/cluster/objects.ts'
import { diagnoseLive, diagnoseUnwell } from '../../src/diagnose/live.ts'
import { exitCodeOf } from '../../src/diagnose/outcome.ts'
import { isFinal, phaseOf } from '../../src/kubevirt/migration.ts'
import { parseReference } from '../../src/kubevirt/reference.ts'
import {
  KUBEVIRTS,
  MIGRATIONS,
  NODES,
  PODS,
  PVCS,
  RESOURCE_QUOTAS,
  VMIS,
} from '../../src/kubevirt/resources.ts'
import type { Migration, Vmi } from '../../src/kubevirt/types.ts'
import { runningLab } from '../lab/running.ts'
import { until } from '../migrate/stage.ts'

const { lab, admin } = await runningLab({
  name: 'diagnose',
  nodes: 3,
  vms: 5,
  guest: 'synthetic',
  memory: '16Mi',
})

const ALL = { everywhere: true }
const isValid = new Ajv().compile(SCHEMA)

interface Asked {
  /** Undefined: what is not well, in the namespace or, with `everywhere`, in the cluster. */
  name?: string
  everywhere?: boolean
  as?: string
}

/** The report, which is checked against its schema, and what its exit status would be. */
async function diagnose({ name, everywhere = false, as = 'admin' }: Asked) {
  const cluster = await lab.connect(as)
  onTestFinished(() => cluster.close())
  const reference = name ? parseReference(name, ['vm', 'vmi', 'vmim', 'node']) : undefined
  const options = { now: Date.now(), signal: new AbortController().signal }
  const report = await (reference && reference.kind !== 'node'
    ? diagnoseLive(cluster, reference, options)
    : diagnoseUnwell(cluster, {
        ...options,
        namespace: everywhere || reference ? undefined : namespace,
        node: reference?.name,
      }))
  expect(isValid(report), JSON.stringify(isValid.errors)).toBe(true)
  const code = exitCodeOf(report, { failOn: 'fail' })
  return { code, report, verdict: report.verdict.code }
}

const namespace = 'default'
const migrate = (vmiName: string) =>
  create<Migration>(
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
const phase = async ({ metadata: { name } }: Migration) =>
  phaseOf(await get<Migration>(admin, MIGRATIONS, { namespace, name }))
const reaches = (migration: Migration, wanted: string) =>
  until(async () => (await phase(migration)) === wanted || undefined)
const cordon = (unschedulable: boolean) =>
  Promise.all(
    lab.nodes.map((_, i) =>
      patch(admin, NODES, { name: `node-${i + 1}` }, { spec: { unschedulable } }, 'merge'),
    ),
  )
const settings = (migrations: object) =>
  patch(
    admin,
    KUBEVIRTS,
    { namespace: 'kubevirt', name: 'kubevirt' },
    { spec: { configuration: { migrations } } },
    'merge',
  )
const noWarning = ({ subjects }: { subjects: { findings: { status: string }[] }[] }) =>
  subjects.flatMap(({ findings }) => findings).every(({ status }) => /pass|info/.test(status))

test('a healthy lab: no warning, exit 0, for a VM, a node, the namespace and the cluster', async () => {
  for (const asked of [...['vm-1', 'vmi/vm-1', 'node/node-1'].map((name) => ({ name })), {}, ALL]) {
    const { code, report } = await diagnose(asked)
    expect([asked, code, noWarning(report)]).toEqual([asked, 0, true])
  }
})

test('a lived-in lab, where a VM has moved twice: the same', async () => {
  await reaches(await migrate('vm-1'), 'Succeeded')
  await reaches(await migrate('vm-1'), 'Succeeded')
  for (const asked of [{ name: 'vm-1' }, {}, ALL]) {
    const { code, report } = await diagnose(asked)
    expect([asked, code, noWarning(report)]).toEqual([asked, 0, true])
  }
})

test('a namespace that does not exist is no healthy one', async () => {
  const cluster = await lab.connect('admin')
  onTestFinished(() => cluster.close())
  const options = { namespace: 'nosuch', node: undefined, now: Date.now() }
  await expect(
    diagnoseUnwell(cluster, { ...options, signal: new AbortController().signal }),
  ).rejects.toMatchObject({ exit: 9, message: 'no namespace "nosuch"' })
})

test('the view-only user: what is forbidden is listed, and the whole cluster is no pass', async () => {
  const one = await diagnose({ name: 'vm-1', as: 'viewer' })
  expect(one.code).toBe(0)
  expect(one.report.verdict.confidence).not.toBe('certain')
  expect(one.report.coverage.gaps).toContainEqual(
    expect.objectContaining({ what: 'Node', why: 'forbidden' }),
  )
  expect(await diagnose({ ...ALL, as: 'viewer' })).toMatchObject({ code: 8, verdict: 'MIG0008' })
})

test('no node takes the target pod: unschedulable; with the nodes back, nothing', async () => {
  await cordon(true)
  const migration = await migrate('vm-2')
  await reaches(migration, 'Scheduling')
  await until(async () =>
    (await diagnose({ name: 'vm-2' })).verdict === 'MIG3013' ? true : undefined,
  )
  const places = [{ ...ALL }, {}, { name: `vmim/${migration.metadata.name}` }]
  for (const asked of places) expect(await diagnose(asked)).toMatchObject({ code: 3 })
  await cordon(false)
  await reaches(migration, 'Succeeded')
  expect(await diagnose({ name: 'vm-2' })).toMatchObject({ code: 0, verdict: 'MIG0010' })
})

test('a quota has no room: quota', async () => {
  const hard = { spec: { hard: { pods: '5' } }, metadata: { name: 'tight' } }
  await create(admin, RESOURCE_QUOTAS, hard, { namespace })
  const migration = await migrate('vm-3')
  await reaches(migration, 'Pending')
  await until(async () => ((await diagnose({ name: 'vm-3' })).code === 3 ? true : undefined))
  expect(await diagnose({ name: 'vm-3' })).toMatchObject({ verdict: 'MIG3001' })
  await remove(admin, RESOURCE_QUOTAS, { namespace, name: 'tight' })
  await reaches(migration, 'Succeeded')
})

test('a slot is taken: the cluster limit, a warning; the copy that holds it is under way', async () => {
  await settings({ parallelMigrationsPerCluster: 1, bandwidthPerMigration: '1Mi' })
  const holds = await migrate('vm-4')
  await reaches(holds, 'Running')
  const waits = await migrate('vm-5')
  await reaches(waits, 'Pending')
  expect(await diagnose({ name: 'vm-5' })).toMatchObject({ code: 0, verdict: 'MIG2001' })
  expect(await diagnose({ name: 'vm-4' })).toMatchObject({ code: 0, verdict: 'MIG8000' })
  await remove(admin, MIGRATIONS, { namespace, name: waits.metadata.name })
})

test('its target pod is deleted while it copies: failed, and the only one that is not well', async () => {
  const vmi = await get<Vmi>(admin, VMIS, { namespace, name: 'vm-4' })
  await remove(admin, PODS, { namespace, name: vmi.status?.migrationState?.targetPod ?? '' })
  await until(async () => {
    const migrations = await list<Migration>(admin, MIGRATIONS, { namespace })
    return migrations.items.every(isFinal) || undefined
  })
  // Whoever notices first, virt-controller or the source's virt-handler, writes the reason; the kubelet tells why.
  expect(await diagnose({ name: 'vm-4' })).toMatchObject({ code: 3, verdict: 'MIG3042' })
  expect((await diagnose({})).report.subjects).toHaveLength(1)
})

test('a guest that writes as fast as is copied: it never converges, by virt-handler’s metrics', async () => {
  await settings({ bandwidthPerMigration: '8Mi' })
  const annotations = { 'lab.kubectl-mig.io/dirty-rate': '64Mi' }
  await patch(admin, VMIS, { namespace, name: 'vm-2' }, { metadata: { annotations } }, 'merge')
  await reaches(await migrate('vm-2'), 'Running')
  await until(async () => (await diagnose({ name: 'vm-2' })).verdict === 'MIG8008' || undefined)
})

test('VMs that cannot be migrated: the disk that is not shared, the bridge', async () => {
  const memory = { guest: '16Mi' }
  const claim = {
    metadata: { name: 'data', namespace },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }
  const rwo = {
    domain: { devices: { disks: [{ name: 'data', disk: { bus: 'virtio' } }] }, memory },
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
  }
  const bridged = {
    domain: { devices: { interfaces: [{ name: 'default', bridge: {} }] }, memory },
    networks: [{ name: 'default', pod: {} }],
  }
  await create(admin, PVCS, claim, { namespace })
  for (const [name, spec] of Object.entries({ rwo, bridged })) {
    const vmi = {
      apiVersion: 'kubevirt.io/v1',
      kind: VMIS.kind,
      metadata: { name, namespace },
      spec,
    }
    await create(admin, VMIS, vmi, { namespace })
    await until(async () => {
      const { status } = await get<Vmi>(admin, VMIS, { namespace, name })
      return status?.conditions?.some(({ type }) => type === 'LiveMigratable') || undefined
    })
  }
  expect(await diagnose({ name: 'rwo' })).toMatchObject({ verdict: 'MIG1002' })
  expect(await diagnose({ name: 'bridged' })).toMatchObject({ verdict: 'MIG1001' })
})
