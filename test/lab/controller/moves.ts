import { remove } from '../../../src/cluster/objects.ts'
import { MIGRATIONS, PODS, VMIS } from '../../../src/kubevirt/resources.ts'
import type { Migration, Pod, Vmi } from '../../../src/kubevirt/types.ts'
import type { ControlPlane } from './control-plane.ts'

export const TIME = '2026-01-01T00:00:00Z'
export const at = (name: string) => ({ namespace: 'demo', name })

export const migrate = (plane: ControlPlane, name: string, vmiName = 'vm-1', metadata = {}) =>
  plane.create<Migration>(MIGRATIONS, { metadata: { name, ...metadata }, spec: { vmiName } })
export const reached = (plane: ControlPlane, name: string, phase: string) =>
  plane.until(async () => (await plane.phaseOf(name)) === phase, `${name} to be ${phase}`)
export const isGone = (plane: ControlPlane, name: string) =>
  plane.until(
    async () =>
      (await plane.all<Migration>(MIGRATIONS)).every(({ metadata }) => metadata.name !== name),
    `${name} to be gone`,
  )
export const limits = (migrations: object) => ({ configuration: { migrations } })
export const kill = (plane: ControlPlane, { metadata }: Pod) =>
  remove(plane.admin, PODS, metadata, { gracePeriodSeconds: 0 })
export const vmiNow = (plane: ControlPlane, name = 'vm-1') => plane.get<Vmi>(VMIS, name)

/** Of vm-1, from node-1 to node-2, until the copy runs. */
export async function running(plane: ControlPlane, name = 'm'): Promise<Pod> {
  await migrate(plane, name)
  const target = await plane.targetOf(name)
  await plane.start(target, 'node-2')
  await reached(plane, name, 'PreparingTarget')
  const ports = { '41001': 0, '41002': 49152 }
  await plane.handle('node-2', 'vm-1', {
    migrationState: { targetNodeAddress: '10.0.0.2', targetDirectMigrationNodePorts: ports },
  })
  await reached(plane, name, 'TargetReady')
  await plane.handle('node-1', 'vm-1', {
    migrationState: { startTimestamp: TIME, mode: 'PreCopy' },
  })
  await reached(plane, name, 'Running')
  return target
}

export async function evict(plane: ControlPlane, pod: Pod, annotations = {}): Promise<string> {
  const { name, namespace } = pod.metadata
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`
  const metadata = { name, namespace, annotations }
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata }
  return plane.admin.request({ method: 'POST', path, body }).then(
    () => 'evicted',
    (err: Error) => err.message,
  )
}
