import { beforeAll, expect, test, vi } from 'vitest'
import { create, get, list, remove } from '../../../src/cluster/objects.ts'
import { diagnoseLive } from '../../../src/diagnose/live.ts'
import { phaseOf } from '../../../src/kubevirt/migration.ts'
import { parseReference } from '../../../src/kubevirt/reference.ts'
import { MIGRATIONS, PODS, pathOf, VMIS } from '../../../src/kubevirt/resources.ts'
import type { Migration, Pod, Vmi } from '../../../src/kubevirt/types.ts'
import { FAULTS, type FaultType } from '../../../src/lab/faults.ts'
import { runningLab } from '../running.ts'

const patience = { timeout: 20_000, interval: 50 }
const { signal } = new AbortController()
const BAD = /remote error: tls: bad certificate/
let target: string

const { admin } = await runningLab({
  name: 'earlier-logs',
  vms: 1,
  guest: 'synthetic',
  memory: '4Mi',
})
beforeAll(async () => {
  const { status } = await get<Vmi>(admin, VMIS, { namespace: 'default', name: 'vm-1' })
  target = status?.nodeName === 'node-1' ? 'node-2' : 'node-1'
})

async function handlerPod(): Promise<Pod> {
  const labelSelector = 'kubevirt.io=virt-handler'
  const { items } = await list<Pod>(admin, PODS, { namespace: 'kubevirt', labelSelector })
  return items.find(({ spec }) => spec.nodeName === target)!
}

async function log(query: { previous?: boolean } = {}): Promise<string> {
  const { metadata } = await handlerPod()
  const at = { namespace: 'kubevirt', name: metadata.name, subresource: 'log' }
  return admin.text({ path: pathOf(PODS, at), query })
}

async function breakIt(type: FaultType): Promise<void> {
  const { group, version, kind } = FAULTS
  const metadata = { name: type.toLowerCase() }
  await create(admin, FAULTS, {
    apiVersion: `${group}/${version}`,
    kind,
    metadata,
    spec: { type, node: target },
  })
  await vi.waitFor(async () => {
    const { status } = await get<{ metadata: { name: string }; status?: { nodes?: object } }>(
      admin,
      FAULTS,
      metadata,
    )
    expect(status?.nodes).toHaveProperty(target)
  }, patience)
}

const mend = (type: FaultType) => remove(admin, FAULTS, { name: type.toLowerCase() })

async function restarted(isReady: boolean): Promise<void> {
  await vi.waitFor(async () => {
    const [container] = (await handlerPod()).status?.containerStatuses ?? []
    expect(container).toMatchObject({ ready: isReady, restartCount: 1 })
  }, patience)
}

test('a container that was never restarted has no log of before, in the words of a kubelet', async () => {
  const { metadata } = await handlerPod()
  await expect(log({ previous: true })).rejects.toMatchObject({
    status: 400,
    body: {
      reason: 'BadRequest',
      message: `previous terminated container "virt-handler" in pod "${metadata.name}" not found`,
    },
  })
})

test('one that was restarted keeps what it said before', async () => {
  await breakIt('UnknownAuthority')
  const metadata = { name: 'move', namespace: 'default' }
  await create(
    admin,
    MIGRATIONS,
    {
      apiVersion: 'kubevirt.io/v1',
      kind: MIGRATIONS.kind,
      metadata,
      spec: { vmiName: 'vm-1' },
    },
    { namespace: 'default' },
  )
  await vi.waitFor(async () => {
    expect(phaseOf(await get<Migration>(admin, MIGRATIONS, metadata))).toBe('Failed')
  }, patience)
  expect(await log()).toMatch(BAD)

  await breakIt('HandlerCrashes')
  await restarted(false)
  // While it does not run, both are the log of the container that ended.
  await vi.waitFor(async () => expect(await log()).toMatch(BAD), patience)
  expect(await log({ previous: true })).toBe(await log())

  await mend('HandlerCrashes')
  await restarted(true)
  expect(await log({ previous: true })).toMatch(BAD)
  expect(await log()).not.toMatch(BAD)
  const [container] = (await handlerPod()).status?.containerStatuses ?? []
  expect(container?.lastState?.terminated?.containerID).toMatch(/^cri-o:\/\//)
  expect(container?.containerID).not.toBe(container?.lastState?.terminated?.containerID)
})

test('what broke a migration is found in it', async () => {
  const reference = parseReference('vm-1', ['vm'])
  const options = { now: Date.now(), signal, namespace: 'default' }
  const report = await diagnoseLive(admin, reference, { ...options, logs: true })
  const { name } = (await handlerPod()).metadata
  const sources = report.subjects
    .flatMap(({ findings }) => findings)
    .flatMap(({ evidence }) => evidence.map(({ source }) => source))
  expect(sources).toContainEqual(expect.stringContaining(`log of ${name} (previous)`))
  expect(report.verdict).toMatchObject({ code: 'MIG6002' })
})
