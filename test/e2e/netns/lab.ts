// A lab whose nodes are in network namespaces: run in the hub, `node lab.ts PLACES KUBECONFIG`. Ends with its input.
import { writeFileSync } from 'node:fs'
import { systemClock } from '../../../src/clock.ts'
import { create, list, patch } from '../../../src/cluster/objects.ts'
import {
  KUBEVIRTS,
  NETWORK_ATTACHMENT_DEFINITIONS as NETWORKS,
  PODS,
} from '../../../src/kubevirt/resources.ts'
import type { Pod } from '../../../src/kubevirt/types.ts'
import { startLab } from '../../../src/lab/lab.ts'

const [places = '', kubeconfig = ''] = process.argv.slice(2)
const lab = await startLab({
  name: 'netns',
  nodes: 2,
  vms: 1,
  guest: 'synthetic',
  memory: '64Mi',
  clock: systemClock,
  network: JSON.parse(places),
})
const admin = await lab.connect('admin')
const network = { metadata: { name: 'migration' }, spec: { config: '{"type":"bridge"}' } }
await create(
  admin,
  NETWORKS,
  { apiVersion: 'k8s.cni.cncf.io/v1', kind: NETWORKS.kind, ...network },
  { namespace: 'kubevirt' },
)
// So slow that there is time to look at a copy.
const migrations = { network: 'migration', bandwidthPerMigration: '1Mi' }
const at = { namespace: 'kubevirt', name: 'kubevirt' }
await patch(admin, KUBEVIRTS, at, { spec: { configuration: { migrations } } }, 'merge')
while (!(await areAttached())) await systemClock.sleep(50)
await admin.close()
writeFileSync(kubeconfig, lab.kubeconfig(), { mode: 0o600 })
process.stdin.on('end', () => void lab.close().then(() => process.exit()))
process.stdin.resume()
process.stdout.write('ready\n')

/** Both virt-handlers have been started anew, on the migration network. */
async function areAttached(): Promise<boolean> {
  const labelSelector = 'kubevirt.io=virt-handler'
  const { items } = await list<Pod>(admin, PODS, { namespace: 'kubevirt', labelSelector })
  const attached = items.filter(
    ({ metadata, status }) =>
      status?.phase === 'Running' &&
      metadata.annotations?.['k8s.v1.cni.cncf.io/network-status']?.includes('migration0'),
  )
  return attached.length === 2
}
