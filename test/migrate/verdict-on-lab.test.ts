import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { create, get, remove } from '../../src/cluster/objects.ts'
import { EXIT, MigError } from '../../src/errors.ts'
import { parseReference } from '../../src/kubevirt/reference.ts'
import { VMIS } from '../../src/kubevirt/resources.ts'
import type { Vmi } from '../../src/kubevirt/types.ts'
import { FAULTS, type Fault, type FaultType } from '../../src/lab/faults.ts'
import type { Moving } from '../../src/migrate/move.ts'
import { moveAll } from '../../src/migrate/move-all.ts'
import { runningLab } from '../lab/running.ts'
import { until } from './stage.ts'

const namespace = 'default'

const { admin } = await runningLab({
  name: 'verdict',
  vms: 2,
  guest: 'synthetic',
  memory: '16Mi',
})

/** Broken from here to the end of the test on the node that a VM would move to. */
async function breakTargetOf(vm: string, type: FaultType): Promise<void> {
  const { status } = await get<Vmi>(admin, VMIS, { namespace, name: vm })
  const node = status?.nodeName === 'node-1' ? 'node-2' : 'node-1'
  const { group, version, kind } = FAULTS
  const metadata = { name: type.toLowerCase() }
  const fault: Fault = { apiVersion: `${group}/${version}`, kind, metadata, spec: { type, node } }
  await create(admin, FAULTS, fault)
  onTestFinished(async () => void (await remove(admin, FAULTS, metadata)))
  await until(async () => {
    const now = await get<Fault>(admin, FAULTS, metadata)
    return now.status?.nodes?.[node]
  })
}

/** Moves a VM until it ends, or until a verdict tells that it stands still. */
async function move(vm: string, patience: number) {
  const enough = new AbortController()
  const told: Moving[] = []
  const [result] = await moveAll(admin, [parseReference(vm, ['vm'])], {
    namespace,
    clock: systemClock,
    signal: enough.signal,
    wait: true,
    patience,
    onStep(moving) {
      told.push(moving)
      if (moving.step.type === 'verdict' && moving.step.stillFor !== undefined)
        enough.abort(new MigError(EXIT.interrupted, 'enough'))
    },
  })
  return { result, last: told.at(-1)?.step }
}

test('a move that fails says what broke its connection, by the logs of both sides', async () => {
  await breakTargetOf('vm-1', 'UnknownAuthority')
  const { result, last } = await move('vm-1', 60_000)
  expect(result?.error?.exit).toBe(6)
  expect(result?.report.verdict).toMatchObject({ code: 'MIG6002', stage: 'Failed' })
  expect(last).toMatchObject({ type: 'verdict', stillFor: undefined })
})

test('one that stands still says what it waits for, and goes on', async () => {
  await breakTargetOf('vm-2', 'HandlerCrashes')
  const { result, last } = await move('vm-2', 3000)
  expect(last).toMatchObject({ type: 'verdict', stillFor: 3000 })
  expect(result?.report).toMatchObject({ outcome: 'running', verdict: { code: 'MIG4006' } })
})
