import { beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { create, get, list, patch } from '../../src/cluster/objects.ts'
import { isFinal, phaseOf } from '../../src/kubevirt/migration.ts'
import { KUBEVIRTS, MIGRATIONS, PODS, VMIS, VMS } from '../../src/kubevirt/resources.ts'
import type { KubeVirt, Migration, Pod, Vmi } from '../../src/kubevirt/types.ts'
import { runningLab } from '../lab/running.ts'
import { until } from '../migrate/stage.ts'
import { file, run, start, words } from './run.ts'

const NAMESPACE = 'default'
const TEN = Array.from({ length: 10 }, (_, i) => `vm-${i + 1}`)

const { lab, admin } = await runningLab({
  name: 'label',
  nodes: 4,
  vms: TEN.length,
  guest: 'synthetic',
  memory: '8Mi',
})
beforeAll(async () => {
  for (const name of TEN)
    await patch(admin, VMIS, { namespace: NAMESPACE, name }, labels({ tier: 'web' }), 'merge')
})

const labels = (all: Record<string, string>) => ({ metadata: { labels: all } })
const env = () => ({ KUBECONFIG: file('config', lab.kubeconfig()) })
const mig = (line: string) => run(words(line), env())
const migrations = async () => (await list<Migration>(admin, MIGRATIONS, {})).items
const vmi = (name: string) => get<Vmi>(admin, VMIS, { namespace: NAMESPACE, name })

test('ten VMs of a label, three at a time; interrupted and resumed, each has moved once', async () => {
  await limitBandwidth('4Mi')
  const line = 'migrate -l tier=web --max-parallel 3'
  const first = start(words(line), env())
  let most = 0
  await until(async () => {
    const all = await migrations()
    most = Math.max(most, all.filter((one) => !isFinal(one)).length)
    const moved = all.filter((one) => phaseOf(one) === 'Succeeded').length
    // One that still copies when the interruption comes.
    const copies = all.some((one) => phaseOf(one) === 'Running')
    return (moved >= 2 && most === 3 && copies) || undefined
  })
  first.child.kill('SIGINT')
  const interrupted = await first.ended
  expect(interrupted.code).toBe(130)
  expect(interrupted.stderr).toMatch(
    /^error: interrupted: \d+ of 10 VMs were not moved: .*; \d of their migrations goe?s? on$/m,
  )
  expect(interrupted.stderr).toContain('the same command with --resume goes on with the rest')

  const resumed = start(words(`${line} --resume`), env())
  const counted = (async () => {
    while (resumed.child.exitCode === null) {
      most = Math.max(most, (await migrations()).filter((one) => !isFinal(one)).length)
      await systemClock.sleep(20)
    }
  })()
  const { code, stdout, stderr } = await resumed.ended
  await counted
  expect(code, stderr).toBe(0)
  expect(stderr).toMatch(/^vm-\d+: Moved before: by kubectl-mig-/m)
  expect(stdout.match(/ moved /g)).toHaveLength(10)
  expect(most).toBe(3)
  const all = await migrations()
  expect(all.map(({ spec }) => spec.vmiName).sort()).toEqual([...TEN].sort())
  expect(all.map(phaseOf)).toEqual(TEN.map(() => 'Succeeded'))
}, 120_000)

test('a VM moves to the node that is named, and not where it cannot', async () => {
  const from = (await vmi('vm-1')).status?.nodeName ?? ''
  const to = ['node-1', 'node-2', 'node-3', 'node-4'].find((node) => node !== from)!
  const refused = async (line: string, message: string, exit = 9) => {
    const before = (await migrations()).length
    const { code, stdout, stderr } = await mig(line)
    expect({ code, stdout }).toEqual({ code: exit, stdout: '' })
    expect(stderr).toContain(`error: ${message}\n`)
    expect(await migrations()).toHaveLength(before)
  }
  await refused('migrate vm-1 --to-node node-9', 'no node "node-9"')
  await refused(
    `migrate vm-1 --to-node ${from}`,
    `"vm-1" cannot be migrated: it runs on node "${from}" already`,
  )
  const at = { namespace: NAMESPACE, name: 'vm-2' }
  const template = { spec: { nodeSelector: { zone: 'a' } } }
  await patch(admin, VMS, at, { spec: { template } }, 'merge')
  // Live-updated, as KubeVirt does it.
  await until(async () => (await vmi('vm-2')).spec.nodeSelector?.['zone'])
  await refused(
    'migrate vm-1 --node-selector zone=nowhere',
    '"vm-1" cannot be migrated: no node has zone=nowhere',
  )
  await refused(
    `migrate vm-1 --node-selector kubernetes.io/hostname=${from}`,
    `"vm-1" cannot be migrated: only node "${from}", where it runs already, has kubernetes.io/hostname=${from}`,
  )
  await refused(
    'migrate vm-2 --node-selector zone=b',
    '"vm-2" cannot be migrated: its own node selector has zone=a, not b',
  )
  const own = (await vmi('vm-2')).status?.nodeName
  const other = ['node-1', 'node-2', 'node-3', 'node-4'].find((node) => node !== own)!
  await refused(
    `migrate vm-2 --to-node ${other}`,
    `"vm-2" cannot be migrated: node "${other}" is without zone=a, which its own node selector asks for`,
  )
  await runsRelease('v1.5.2', () =>
    refused(
      `migrate vm-1 --to-node ${to}`,
      '--to-node needs KubeVirt 1.6, and this cluster runs 1.5',
    ),
  )
  const { code, stdout } = await mig(`migrate vm-1 --to-node ${to}`)
  expect(code).toBe(0)
  expect(stdout).toMatch(new RegExp(`^vm-1 moved from ${from} to ${to} in `))
  expect((await vmi('vm-1')).status?.nodeName).toBe(to)
}, 60_000)

test('an eviction is undone with its migration, and none comes after it', async () => {
  await limitBandwidth('64Ki')
  const { status } = await vmi('vm-3')
  const labelSelector = 'vm.kubevirt.io/name=vm-3'
  const { items } = await list<Pod>(admin, PODS, { namespace: NAMESPACE, labelSelector })
  const pod = items.find(({ spec }) => spec.nodeName === status?.nodeName)!
  await create(admin, PODS, eviction(pod), {
    namespace: NAMESPACE,
    name: pod.metadata.name,
    subresource: 'eviction',
  }).catch((err) => expect(err).toMatchObject({ status: 429 }))
  const unfinished = async () =>
    (await migrations()).filter((one) => !isFinal(one) && one.spec.vmiName === 'vm-3')
  await until(async () => ((await unfinished()).length > 0 ? true : undefined))
  const { code, stdout, stderr } = await mig('cancel vm-3 --undo-eviction')
  expect(code, stderr).toBe(0)
  expect(stderr).toContain(`vm-3: Eviction: undone; it may stay on ${status?.nodeName}\n`)
  expect(stdout).toMatch(
    new RegExp(`^vm-3: migration \\S+ cancelled; the VM stays on ${status?.nodeName}\n$`),
  )
  expect((await vmi('vm-3')).status?.evacuationNodeName).toBeUndefined()
  expect(await unfinished()).toEqual([])
}, 60_000)

test('policy explain tells what holds, and what a file would change', async () => {
  const plain = await mig('policy explain vm-4')
  expect(plain.stdout).toMatch(/^vm-4 in default: no policy holds\n/)
  const policy = file(
    'policy.yaml',
    [
      'apiVersion: migrations.kubevirt.io/v1alpha1',
      'kind: MigrationPolicy',
      'metadata: {name: gold}',
      'spec:',
      '  allowPostCopy: true',
      '  selectors: {virtualMachineInstanceSelector: {tier: web}}',
      '',
    ].join('\n'),
  )
  const whatIf = await mig(`policy explain vm-4 --what-if ${policy}`)
  expect(whatIf.stdout).toMatch(/^allowPostCopy +true +false +policy gold \(tier=web of the VM\)/m)
  const { code, stderr } = await mig(
    `policy explain vm-4 --what-if ${file('bad.yaml', wrongField())}`,
  )
  expect(code).toBe(2)
  expect(stderr).toMatch(/^error: \S+bad\.yaml:5: spec\.allowPostcopy .*\n(hint: .*\n)?$/)
}, 60_000)

function wrongField(): string {
  return [
    'apiVersion: migrations.kubevirt.io/v1alpha1',
    'kind: MigrationPolicy',
    'metadata: {name: gold}',
    'spec:',
    '  allowPostcopy: true',
    '',
  ].join('\n')
}

function eviction({ metadata: { name, namespace } }: Pod) {
  return { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } }
}

async function limitBandwidth(bandwidthPerMigration: string): Promise<void> {
  const body = { spec: { configuration: { migrations: { bandwidthPerMigration } } } }
  await patch(admin, KUBEVIRTS, { namespace: 'kubevirt', name: 'kubevirt' }, body, 'merge')
}

/** While the cluster says that it is another release. */
async function runsRelease(version: string, work: () => Promise<void>): Promise<void> {
  const at = { namespace: 'kubevirt', name: 'kubevirt' }
  const { status } = await get<KubeVirt>(admin, KUBEVIRTS, at)
  const say = (observedKubeVirtVersion: unknown) =>
    patch(
      admin,
      KUBEVIRTS,
      { ...at, subresource: 'status' },
      { status: { observedKubeVirtVersion } },
      'merge',
    )
  await say(version)
  try {
    await work()
  } finally {
    await say(status?.['observedKubeVirtVersion'] ?? null)
  }
}
