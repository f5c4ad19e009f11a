import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { connect } from '../../src/cluster/config.ts'
import { create, get } from '../../src/cluster/objects.ts'
import { LEASES, NODES } from '../../src/kubevirt/resources.ts'
import type { Node } from '../../src/kubevirt/types.ts'
import { startApiServer } from '../../src/lab/api/server.ts'
import { startNodeLifecycle } from '../../src/lab/node-lifecycle.ts'

test('a node whose kubelet is silent is NotReady and unreachable; one that is heard is let alone', async () => {
  const api = await startApiServer({ clock: systemClock })
  onTestFinished(() => api.close())
  const cluster = await connect({ kubeconfigText: api.kubeconfig('admin'), env: {} })
  onTestFinished(() => cluster.close())
  for (const [name, silentMs] of [
    ['silent', 51_000],
    ['heard', 0],
  ] as const) {
    await create(cluster, NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: {} })
    const renewTime = new Date(Date.now() - silentMs).toISOString().replace('Z', '000Z')
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: 'kube-node-lease' },
      spec: { holderIdentity: name, renewTime },
    }
    await create(cluster, LEASES, lease, { namespace: 'kube-node-lease' })
  }
  const errors: unknown[] = []
  const lifecycle = await startNodeLifecycle({
    cluster,
    clock: systemClock,
    onError: (err) => errors.push(err),
  })
  onTestFinished(() => lifecycle.close())
  const nodeNow = (name: string) => get<Node>(cluster, NODES, { name })
  await expect
    .poll(async () => (await nodeNow('silent')).spec.taints?.map(({ effect }) => effect))
    .toEqual(['NoSchedule', 'NoExecute'])
  expect((await nodeNow('silent')).status?.conditions).toEqual([
    expect.objectContaining({ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }),
  ])
  expect((await nodeNow('heard')).spec.taints).toBeUndefined()
  expect(errors).toEqual([])
})
