import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { connect } from '../../../src/cluster/config.ts'
import { create, get, patch, remove } from '../../../src/cluster/objects.ts'
import { startApiServer } from '../../../src/lab/api/server.ts'
import { wellKnownUsers } from '../../../src/lab/api/users.ts'
import { FAULTS, type Fault } from '../../../src/lab/faults.ts'

async function admin() {
  const server = await startApiServer({ clock: systemClock, users: wellKnownUsers(['node-1']) })
  onTestFinished(() => server.close())
  const cluster = await connect({ kubeconfigText: server.kubeconfig('admin'), context: 'admin' })
  onTestFinished(() => cluster.close())
  return cluster
}

const fault = (spec: object) => ({
  apiVersion: 'lab.kubectl-mig.io/v1alpha1',
  kind: 'Fault',
  metadata: { name: 'one' },
  spec,
})

test('a fault is an object like any other: created, told broken by nodes, deleted', async () => {
  const cluster = await admin()
  await create(cluster, FAULTS, fault({ type: 'LinkSlow', node: 'node-1', rate: '1Mi' }))
  const status = { nodes: { 'node-1': 'Broken' } }
  await patch(cluster, FAULTS, { name: 'one', subresource: 'status' }, { status }, 'merge')
  expect(await get<Fault>(cluster, FAULTS, { name: 'one' })).toMatchObject({ status })
  await remove(cluster, FAULTS, { name: 'one' })
})

test.each([
  [{}, 'Fault.lab.kubectl-mig.io "one" is invalid: spec.type: Required value'],
  [
    { type: 'Nothing' },
    'is invalid: spec.type: Unsupported value: "Nothing": supported values: "ImagePullFails", ',
  ],
  [{ type: 'LinkSlow', rate: 'fast' }, 'spec.rate'],
])('%j is refused', async (spec, message) => {
  const cluster = await admin()
  await expect(create(cluster, FAULTS, fault(spec))).rejects.toThrow(message)
})
