import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { connect } from '../../src/cluster/config.ts'
import { create, get, patch, remove } from '../../src/cluster/objects.ts'
import { LABEL } from '../../src/kubevirt/labels.ts'
import {
  EVENTS,
  KUBEVIRTS,
  MIGRATIONS,
  NAMESPACES,
  NODES,
  PODS,
  type Resource,
  VMIS,
  VMS,
} from '../../src/kubevirt/resources.ts'
import type { Event, KubeObject, Migration, Pod, Vmi } from '../../src/kubevirt/types.ts'
import { type ApiServer, startApiServer } from '../../src/lab/api/server.ts'
import { wellKnownUsers } from '../../src/lab/api/users.ts'

/**
 * A lab's API server without controllers: the test itself plays virt-controller, scheduler, kubelet and virt-handlers,
 * so that it decides what is seen, and when. Objects are as in traces 01, 02 and 12.
 */
export interface Stage {
  server: ApiServer
  admin: Cluster
  /** A cluster as another user of the lab. */
  as(user: string): Promise<Cluster>
  /** Binds a ClusterRole in the namespace. */
  grant(user: string, role: string): Promise<void>
  addVm(name: string, options?: VmOptions): Promise<Vmi>
  /** virt-controller's first pass, then its steps to the given phase, each with what others write for it. */
  advance(migration: Migration, to: string): Promise<void>
  cancel(migration: Migration): Promise<void>
  event(on: KubeObject, event: Partial<Event>): Promise<void>
  patchVmi(name: string, body: object): Promise<void>
  migration(name: string): Promise<Migration>
  theMigrationOf(vm: string): Promise<Migration>
}

interface VmOptions {
  node?: string
  phase?: string
  conditions?: object[]
  labels?: Record<string, string>
  block?: boolean
}

const NAMESPACE = 'demo'
const ORDER = [
  '',
  'Pending',
  'Scheduling',
  'Scheduled',
  'PreparingTarget',
  'TargetReady',
  'Running',
  'Succeeded',
]

export async function startStage(): Promise<Stage> {
  const nodes = ['node-1', 'node-2', 'node-3']
  const server = await startApiServer({ clock: systemClock, users: wellKnownUsers(nodes) })
  onTestFinished(() => server.close())
  const as = async (user: string) => {
    const kubeconfigText = server.kubeconfig(user, { namespace: NAMESPACE })
    const cluster = await connect({ kubeconfigText, context: user })
    onTestFinished(() => cluster.close())
    return cluster
  }
  const admin = await as('admin')
  const controller = await as('system:serviceaccount:kubevirt:kubevirt-controller')
  await create(admin, NAMESPACES, { metadata: { name: NAMESPACE } })
  await create(admin, KUBEVIRTS, KUBEVIRT, { namespace: 'kubevirt' })
  for (const name of nodes) await create(admin, NODES, { metadata: { name } })

  const write = <T extends KubeObject>(
    resource: Resource,
    name: string,
    body: object,
    subresource?: string,
  ) =>
    patch<T>(
      controller,
      resource,
      { namespace: NAMESPACE, name, ...(subresource !== undefined && { subresource }) },
      body,
      'merge',
    )
  /** Once it is final: the VMI's state is copied, the finalizer dropped. */
  const finish = async (name: string) => {
    const migration = await get<Migration>(admin, MIGRATIONS, { namespace: NAMESPACE, name })
    const { migrationState } = (await vmiOf(migration)).status ?? {}
    if (migrationState?.migrationUid === migration.metadata.uid)
      await write(MIGRATIONS, name, { status: { migrationState } }, 'status')
    await write(MIGRATIONS, name, { metadata: { finalizers: null } })
  }
  const setPhase = async (name: string, phase: string) => {
    const migration = await get<Migration>(admin, MIGRATIONS, { namespace: NAMESPACE, name })
    const phaseTransitionTimestamps = [
      ...(migration.status?.phaseTransitionTimestamps ?? []),
      { phase, phaseTransitionTimestamp: now() },
    ]
    await write(MIGRATIONS, name, { status: { phase, phaseTransitionTimestamps } }, 'status')
  }
  const enter: Record<string, (migration: Migration) => Promise<void>> = {
    Pending: async () => {},
    Scheduling: async (migration) => {
      const pod = targetPod(migration, await vmiOf(migration))
      await create<Pod>(admin, PODS, pod, { namespace: NAMESPACE })
    },
    Scheduled: async () => {},
    PreparingTarget: async (migration) => {
      const vmi = await vmiOf(migration)
      await write(VMIS, vmi.metadata.name, { status: { migrationState: handOff(migration, vmi) } })
    },
    TargetReady: async (migration) => {
      const migrationState = {
        targetNodeAddress: '10.0.0.3',
        targetDirectMigrationNodePorts: { 41001: 0, 41002: 49152 },
      }
      await write(VMIS, migration.spec.vmiName ?? '', { status: { migrationState } })
    },
    Running: async (migration) => {
      const migrationState = { startTimestamp: now(), mode: 'PreCopy' }
      await write(VMIS, migration.spec.vmiName ?? '', { status: { migrationState } })
    },
    Succeeded: async (migration) => {
      const migrationState = { completed: true, endTimestamp: now() }
      const status = { migrationState, nodeName: 'node-3' }
      await write(VMIS, migration.spec.vmiName ?? '', { status })
    },
    Failed: async (migration) => {
      const uid = (await vmiOf(migration)).status?.migrationState?.migrationUid
      if (uid !== migration.metadata.uid) return
      await write(VMIS, migration.spec.vmiName ?? '', {
        status: {
          migrationState: {
            completed: true,
            failed: true,
            endTimestamp: now(),
            failureReason: 'Target pod is down',
          },
        },
      })
    },
  }
  const vmiOf = (migration: Migration) =>
    get<Vmi>(admin, VMIS, { namespace: NAMESPACE, name: migration.spec.vmiName ?? '' })

  return {
    server,
    admin,
    as,
    async grant(user, role) {
      await admin.request({
        method: 'POST',
        path: `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/rolebindings`,
        body: {
          metadata: { name: `${user}-${role.replace(':', '-')}`, namespace: NAMESPACE },
          subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }],
          roleRef: { kind: 'ClusterRole', name: role, apiGroup: 'rbac.authorization.k8s.io' },
        },
      })
    },
    async addVm(name, { node = 'node-1', phase = 'Running', conditions, labels, block } = {}) {
      await create(admin, VMS, vm(name), { namespace: NAMESPACE })
      await create<Vmi>(admin, VMIS, { ...vmi(name, labels) }, { namespace: NAMESPACE })
      return write<Vmi>(VMIS, name, {
        status: {
          phase,
          nodeName: node,
          migrationMethod: block ? 'BlockMigration' : 'LiveMigration',
          conditions: conditions ?? [{ type: 'LiveMigratable', status: 'True' }],
        },
      })
    },
    async advance(migration, to) {
      const { name } = migration.metadata
      const current = await get<Migration>(admin, MIGRATIONS, { namespace: NAMESPACE, name })
      const from = ORDER.indexOf(current.status?.phase ?? '')
      const path = to === 'Failed' ? ['Failed'] : ORDER.slice(from + 1, ORDER.indexOf(to) + 1)
      for (const phase of path) {
        await enter[phase]!(current)
        await setPhase(name, phase)
      }
      if (to === 'Succeeded' || to === 'Failed') await finish(name)
    },
    async cancel({ metadata: { name } }) {
      await remove(admin, MIGRATIONS, { namespace: NAMESPACE, name })
    },
    async event(on, event) {
      const { namespace = NAMESPACE, name, uid } = on.metadata
      await create(
        admin,
        EVENTS,
        {
          metadata: { name: `${name}.${Math.random().toString(16).slice(2)}`, namespace },
          involvedObject: { kind: on.kind, namespace, name, uid },
          firstTimestamp: now(),
          lastTimestamp: now(),
          count: 1,
          source: { component: 'virtualmachine-controller' },
          ...event,
        },
        { namespace },
      )
    },
    patchVmi: async (name, body) => void (await write(VMIS, name, body)),
    migration: (name) => get<Migration>(admin, MIGRATIONS, { namespace: NAMESPACE, name }),
    theMigrationOf: (vm) => until(async () => find(admin, vm)),
  }
}

/** Waits for a condition by looking again; a test's own time limit ends it. */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    await systemClock.sleep(10)
  }
}

async function find(cluster: Cluster, vm: string): Promise<Migration | undefined> {
  const { items } = await cluster.request<{ items: Migration[] }>({
    path: `/apis/kubevirt.io/v1/namespaces/${NAMESPACE}/virtualmachineinstancemigrations`,
    query: { labelSelector: `${LABEL.vmiName}=${vm}` },
  })
  return items.at(-1)
}

/** Kubernetes' times are whole seconds. */
function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z')
}

const KUBEVIRT = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'KubeVirt',
  metadata: { name: 'kubevirt', namespace: 'kubevirt' },
  spec: { configuration: {} },
}

function vm(name: string) {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: NAMESPACE },
    spec: { runStrategy: 'Always', template: { spec: vmi(name).spec } },
  }
}

function vmi(name: string, labels: Record<string, string> = {}) {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name, namespace: NAMESPACE, labels: { app: name, ...labels } },
    spec: { domain: { devices: {}, memory: { guest: '64Mi' } } },
  }
}

function targetPod({ metadata }: Migration, vmi: Vmi) {
  const name = podNameOf(metadata, vmi)
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: NAMESPACE,
      labels: {
        [LABEL.app]: 'virt-launcher',
        [LABEL.createdBy]: vmi.metadata.uid,
        [LABEL.migrationJobUid]: metadata.uid,
      },
      annotations: { 'kubevirt.io/migrationJobName': metadata.name },
    },
    spec: { nodeName: 'node-3', containers: [{ name: 'compute', image: 'launcher' }] },
  }
}

/** Five characters of its own for each migration. */
function podNameOf(migration: Migration['metadata'], vmi: Vmi): string {
  return `virt-launcher-${vmi.metadata.name}-${migration.uid?.slice(0, 5)}`
}

function handOff({ metadata }: Migration, vmi: Vmi) {
  return {
    migrationUid: metadata.uid,
    sourceNode: vmi.status?.nodeName,
    sourcePod: `virt-launcher-${vmi.metadata.name}-abcde`,
    targetNode: 'node-3',
    targetPod: podNameOf(metadata, vmi),
  }
}
