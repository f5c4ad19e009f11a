import { onTestFinished } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import type { Cluster } from '../../../src/cluster/cluster.ts'
import { connect } from '../../../src/cluster/config.ts'
import { create, get, list, patch } from '../../../src/cluster/objects.ts'
import {
  EVENTS,
  KUBEVIRTS,
  MIGRATIONS,
  NAMESPACES,
  NODES,
  PODS,
  type Resource,
  VMIS,
} from '../../../src/kubevirt/resources.ts'
import type { Event, KubeObject, Migration, Pod, Vmi } from '../../../src/kubevirt/types.ts'
import { startApiServer } from '../../../src/lab/api/server.ts'
import { wellKnownUsers } from '../../../src/lab/api/users.ts'
import { startControllers } from '../../../src/lab/controller/controllers.ts'

const NODES_OF_TEST = ['node-1', 'node-2', 'node-3']

/** API server and controllers; the test plays kubelet, scheduler and virt-handler. */
export interface ControlPlane {
  admin: Cluster
  controller: Cluster
  handler(node: string): Promise<Cluster>
  /** Objects of namespace demo. */
  all<T extends KubeObject>(resource: Resource): Promise<T[]>
  get<T extends KubeObject>(resource: Resource, name: string): Promise<T>
  create<T extends KubeObject>(resource: Resource, object: object): Promise<T>
  /** A VM of this spec whose launcher runs on the node, its guest too. */
  run(name: string, node: string, spec?: object): Promise<Vmi>
  /** The first launcher of a VM, as soon as it is there. */
  launcherOf(vmi: string): Promise<Pod>
  annotate(pod: Pod, annotations: Record<string, string>): Promise<void>
  /** Binds a pod and says that it runs. */
  start(pod: Pod, node: string): Promise<void>
  /** The target pod of a migration, as soon as it is there. */
  targetOf(migration: string): Promise<Pod>
  /** A merge patch of the VMI's status, as the handler of a node. */
  handle(node: string, vmi: string, status: object): Promise<void>
  phaseOf(migration: string): Promise<string | undefined>
  /** Messages of all events about an object. */
  told(name: string): Promise<string[]>
  /** Resolves to what the function finds, as soon as it finds anything. */
  until<T>(find: () => Promise<T | undefined | false>, what: string): Promise<T>
}

export async function startControlPlane(kubevirtSpec: object = {}): Promise<ControlPlane> {
  const server = await startApiServer({ clock: systemClock, users: wellKnownUsers(NODES_OF_TEST) })
  onTestFinished(() => server.close())
  const open = async (context: string) => {
    const kubeconfigText = server.kubeconfig('admin')
    const cluster = await connect({ kubeconfigText, context, env: {} })
    onTestFinished(() => cluster.close())
    return cluster
  }
  const admin = await open('admin')
  const namespace = 'demo'
  const kubevirt = { metadata: { name: 'kubevirt' }, spec: { configuration: {}, ...kubevirtSpec } }
  const body = { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', ...kubevirt }
  await create(admin, KUBEVIRTS, body, { namespace: 'kubevirt' })
  const at = { namespace: 'kubevirt', name: 'kubevirt', subresource: 'status' }
  await patch(admin, KUBEVIRTS, at, { status: { phase: 'Deployed' } }, 'merge')
  await create(admin, NAMESPACES, { metadata: { name: namespace } })
  for (const name of NODES_OF_TEST) await create(admin, NODES, { metadata: { name }, spec: {} })

  const controller = await open('system:serviceaccount:kubevirt:kubevirt-controller')
  const controllers = await startControllers({ cluster: controller, clock: systemClock })
  onTestFinished(() => controllers.close())

  const plane: ControlPlane = {
    admin,
    controller,
    handler: (node) => open(`system:serviceaccount:kubevirt:kubevirt-handler@${node}`),
    all: async <T extends KubeObject>(resource: Resource) =>
      (await list<T>(admin, resource, { namespace })).items,
    get: (resource, name) => get(admin, resource, { namespace, name }),
    create: (resource, object) => {
      const { group, version, kind } = resource
      const apiVersion = group ? `${group}/${version}` : version
      return create(admin, resource, { apiVersion, kind, ...object }, { namespace })
    },
    async run(name, node, spec = {}) {
      await plane.create(VMIS, {
        metadata: { name },
        spec: {
          evictionStrategy: 'LiveMigrate',
          domain: { cpu: { model: 'Haswell' }, devices: {} },
          ...spec,
        },
      })
      const pod = await plane.launcherOf(name)
      await plane.start(pod, node)
      await plane.until(
        async () => (await plane.get<Vmi>(VMIS, name)).status?.phase === 'Scheduled',
        `${name} to be Scheduled`,
      )
      const handler = await plane.handler(node)
      const status = {
        phase: 'Running',
        selinuxContext: 'none',
        conditions: [{ type: 'LiveMigratable', status: 'True' }],
      }
      return patch<Vmi>(handler, VMIS, { namespace, name }, { status }, 'merge')
    },
    launcherOf: (name) =>
      plane.until(
        async () =>
          (await plane.all<Pod>(PODS)).find(
            ({ metadata }) =>
              metadata.labels?.['vmi.kubevirt.io/id'] === name && !metadata.deletionTimestamp,
          ),
        `a launcher of ${name}`,
      ),
    async annotate({ metadata }, annotations) {
      await patch(admin, PODS, metadata, { metadata: { annotations } }, 'merge')
    },
    async start({ metadata: { name } }, node) {
      const target = { apiVersion: 'v1', kind: 'Node', name: node }
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/binding`
      await admin.request({
        method: 'POST',
        path,
        body: { kind: 'Binding', metadata: { name }, target },
      })
      const containerStatuses = [{ name: 'compute', ready: true, state: { running: {} } }]
      const conditions = [{ type: 'Ready', status: 'True' }]
      const status = { phase: 'Running', conditions, containerStatuses }
      await patch(admin, PODS, { namespace, name, subresource: 'status' }, { status }, 'strategic')
    },
    targetOf: (migration) =>
      plane.until(
        async () =>
          (await plane.all<Pod>(PODS)).find(
            ({ metadata }) =>
              metadata.labels?.['kubevirt.io'] === 'virt-launcher' &&
              metadata.annotations?.['kubevirt.io/migrationJobName'] === migration,
          ),
        `the target pod of ${migration}`,
      ),
    async handle(node, name, status) {
      await patch(await plane.handler(node), VMIS, { namespace, name }, { status }, 'merge')
    },
    phaseOf: async (migration) => (await plane.get<Migration>(MIGRATIONS, migration)).status?.phase,
    told: async (name) =>
      (await plane.all<Event>(EVENTS))
        .filter(({ involvedObject }) => involvedObject.name === name)
        .map(({ message = '' }) => message),
    async until(find, what) {
      const end = Date.now() + 10_000
      for (;;) {
        const found = await find()
        if (found) return found
        if (Date.now() > end) throw new Error(`waited in vain for ${what}`)
        await systemClock.sleep(20)
      }
    },
  }
  return plane
}
