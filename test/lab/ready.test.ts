import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../src/clock.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { connect } from '../../src/cluster/config.ts'
import { create } from '../../src/cluster/objects.ts'
import { VMIS } from '../../src/kubevirt/resources.ts'
import { type ApiServer, startApiServer } from '../../src/lab/api/server.ts'
import { allRunning } from '../../src/lab/ready.ts'

let api: ApiServer
let admin: Cluster
beforeEach(async () => {
  api = await startApiServer({ clock: systemClock })
  admin = await connect({ kubeconfigText: api.kubeconfig('admin'), env: {} })
})
afterEach(async () => {
  await admin.close()
  await api.close()
})

/** A clock that goes a hundred times as fast. */
const hasty: Clock = {
  now: () => systemClock.now() * 100,
  sleep: (ms, signal) => systemClock.sleep(ms / 100, signal),
}

test('a lab whose VMs do not come to run says which one, after a minute', async () => {
  const vmi = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'vm-1', namespace: 'default' },
    spec: { domain: { devices: {} } },
  }
  await create(admin, VMIS, vmi, { namespace: 'default' })
  const heard: string[] = []
  const waiting = { clock: hasty, onWait: (what: string) => heard.push(what) }
  await expect(allRunning(admin, 2, waiting)).rejects.toMatchObject({
    exit: 1,
    message: 'the lab did not get ready: 0 of 2 VMs run; vm-1 is Pending',
  })
  expect(heard.length).toBeGreaterThanOrEqual(3)
  expect(new Set(heard)).toEqual(new Set(['0 of 2 VMs run; vm-1 is Pending']))
})

test('an interrupted start ends at once; without VMs there is nothing to wait for', async () => {
  const reason = new Error('interrupted')
  await expect(
    allRunning(admin, 1, { clock: systemClock, signal: AbortSignal.abort(reason) }),
  ).rejects.toBe(reason)
  await allRunning(admin, 0, { clock: systemClock })
})
