import { afterEach, expect, test, vi } from 'vitest'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { connect } from '../../src/cluster/config.ts'
import { startInformer } from '../../src/cluster/informer.ts'
import { VMIS } from '../../src/kubevirt/resources.ts'
import { kubeconfig, startServer, type TestServer } from './server.ts'

let server: TestServer
let cluster: Cluster
afterEach(async () => {
  await cluster.close()
  await server.close()
})

test('an informer holds what is there and follows what changes', async () => {
  const vmi = (name: string, resourceVersion: string) => ({
    metadata: { name, namespace: 'demo', uid: name, resourceVersion },
  })
  server = await startServer(({ url }, response) => {
    if (!url.includes('watch=true'))
      return { metadata: { resourceVersion: '5' }, items: [vmi('vm-1', '3')] }
    response.write(`${JSON.stringify({ type: 'ADDED', object: vmi('vm-2', '6') })}\n`)
    return undefined
  })
  cluster = await connect({ kubeconfigText: kubeconfig(server) })
  const informer = startInformer(cluster, VMIS, { namespace: 'demo' })
  await informer.synced
  expect(informer.get('demo', 'vm-1')).toBeDefined()
  await vi.waitFor(() => expect(informer.get('demo', 'vm-2')).toBeDefined())
  expect(informer.lastResourceVersion).toBe('6')
  await informer.close()
})
