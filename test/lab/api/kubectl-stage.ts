import type { Clock } from '../../../src/clock.ts'
import { systemClock } from '../../../src/clock.ts'
import { type ApiServer, startApiServer } from '../../../src/lab/api/server.ts'

/**
 * The cluster of traces/kubectl.txt as it stood when the tables were printed: three VMs, one migration that has ended, one
 * whose target is ready, one that waits. Ages come from a clock that is set back while the objects are made.
 */
export interface Stage {
  server: ApiServer
  close(): Promise<void>
}

export async function startStage(): Promise<Stage> {
  let ago = 0
  const clock: Clock = { ...systemClock, now: () => systemClock.now() - ago * 1000 }
  ago = 133
  const server = await startApiServer({ clock })
  const put = putter(server)

  put('', 'Namespace', 'demo')
  for (const [user, roles] of [
    ['viewer', ['view', 'kubevirt.io:view']],
    ['editor', ['edit', 'kubevirt.io:edit']],
  ] as const)
    for (const role of roles)
      put('rbac.authorization.k8s.io', 'RoleBinding', `${user}-${role}`, {
        subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }],
        roleRef: { kind: 'ClusterRole', name: role, apiGroup: 'rbac.authorization.k8s.io' },
      })
  put('kubevirt.io', 'KubeVirt', 'kubevirt', {
    metadata: { namespace: 'kubevirt' },
    spec: {},
    status: { phase: 'Deployed' },
  })
  ago = 22
  for (const name of ['node-1', 'node-2', 'node-3'])
    put('', 'Node', name, {
      spec: {},
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    })
  ago = 21
  const vm = (name: string, node: string, ip: string) =>
    put('kubevirt.io', 'VirtualMachineInstance', name, vmi(node, ip))
  const vms = {
    'vm-1': vm('vm-1', 'node-3', '10.244.1.13'),
    'vm-2': vm('vm-2', 'node-1', '10.244.1.14'),
    'vm-3': vm('vm-3', 'node-2', '10.244.1.15'),
  }
  ago = 22
  pods(put, vms, () => {
    ago = 11
  })
  ago = 12
  const first = migration(put, 'first', 'vm-1', 'Succeeded')
  const second = migration(put, 'second', 'vm-2', 'TargetReady')
  migration(put, 'third', 'vm-3', 'Pending')
  events(put, { first, second, ...vms }, (seconds) => {
    ago = seconds
  })
  ago = 4
  put('', 'ResourceQuota', 'mem', {
    spec: { hard: { 'requests.memory': '8Gi' } },
    status: {
      hard: { 'requests.memory': '8Gi' },
      used: { 'requests.memory': '1616919296' },
    },
  })
  ago = 1
  put('migrations.kubevirt.io', 'MigrationPolicy', 'gold', { spec: { selectors: {} } })
  ago = 0
  dropFinalizers(server)
  return { server, close: () => server.close() }
}

/** Returns the uid. */
type Put = (group: string, kind: string, name: string, rest?: Record<string, unknown>) => string

/** What the controller does at the end of a migration's life. */
function dropFinalizers({ store, kinds }: ApiServer): void {
  const migrations = kinds.byKind('kubevirt.io', 'VirtualMachineInstanceMigration')!
  store.subscribe(migrations, store.revision, ({ type, object }) => {
    if (type !== 'MODIFIED' || !object.metadata.deletionTimestamp) return
    const { namespace, name } = object.metadata
    queueMicrotask(() => store.remove(migrations, namespace, name))
  })
}

/** Past all admission: the stage is what others have left behind. */
function putter({ store, kinds, now }: ApiServer): Put {
  return (group, kind, name, { metadata, ...rest } = {}) => {
    const row = kinds.byKind(group, kind)!
    const uid = crypto.randomUUID()
    store.insert(row, {
      metadata: {
        ...(row.namespaced ? { namespace: 'demo' } : {}),
        name,
        uid,
        creationTimestamp: new Date(now()).toISOString().replace(/\.\d+/, ''),
        ...(row.hasGeneration ? { generation: 1 } : {}),
        ...(metadata as object),
      },
      ...rest,
    })
    return uid
  }
}

function vmi(nodeName: string, ipAddress: string): Record<string, unknown> {
  const conditions = ['Ready', 'LiveMigratable'].map((type) => ({ type, status: 'True' }))
  return {
    spec: { evictionStrategy: 'LiveMigrate', domain: { devices: {} } },
    status: {
      phase: 'Running',
      nodeName,
      conditions,
      interfaces: [{ name: 'default', ipAddress }],
      phaseTransitionTimestamps: ['Pending', 'Scheduling', 'Scheduled', 'Running'].map((phase) => ({
        phase,
        phaseTransitionTimestamp: '2026-11-29T10:00:00Z',
      })),
      qosClass: 'Burstable',
      runtimeUser: 107,
      selinuxContext: 'none',
    },
  }
}

function pods(put: Put, vms: Record<string, string>, later: () => void): void {
  const one = (
    name: string,
    vm: string,
    node: string,
    podIP: string,
    phase: 'Running' | 'Succeeded',
    labels: Record<string, string>,
    unpaused = 'True',
  ) =>
    put('', 'Pod', name, {
      metadata: {
        labels: {
          app: vm,
          'kubevirt.io': 'virt-launcher',
          'kubevirt.io/created-by': crypto.randomUUID(),
          'vm.kubevirt.io/name': vm,
          'vmi.kubevirt.io/id': vm,
          ...labels,
        },
        annotations: { 'kubevirt.io/domain': vm },
        ownerReferences: [
          {
            apiVersion: 'kubevirt.io/v1',
            kind: 'VirtualMachineInstance',
            name: vm,
            uid: vms[vm],
            controller: true,
          },
        ],
      },
      spec: {
        nodeName: node,
        containers: [{ name: 'compute' }],
        initContainers: [{ name: 'guest-console-log', restartPolicy: 'Always' }],
        readinessGates: [{ conditionType: 'kubevirt.io/virtual-machine-unpaused' }],
      },
      status: {
        phase,
        podIP,
        conditions: [{ type: 'kubevirt.io/virtual-machine-unpaused', status: unpaused }],
        containerStatuses: [
          phase === 'Running'
            ? { name: 'compute', ready: true, state: { running: {} } }
            : { name: 'compute', ready: false, state: { terminated: { reason: 'Completed' } } },
        ],
      },
    })
  const job = { 'kubevirt.io/migrationJobUID': crypto.randomUUID() }
  const on = (node: string) => ({ 'kubevirt.io/nodeName': node })
  const launcher = 'virt-launcher-vm'
  one(`${launcher}-1-bbbbb`, 'vm-1', 'node-3', '10.244.1.16', 'Running', {
    ...job,
    ...on('node-3'),
  })
  one(`${launcher}-1-ccccc`, 'vm-1', 'node-2', '10.244.1.13', 'Succeeded', on('node-2'))
  one(`${launcher}-2-bbbbb`, 'vm-2', 'node-1', '10.244.1.14', 'Running', on('node-1'))
  one(`${launcher}-3-bbbbb`, 'vm-3', 'node-2', '10.244.1.15', 'Running', on('node-2'))
  later()
  const target = { ...job, ...on('node-1') }
  one(`${launcher}-2-ccccc`, 'vm-2', 'node-3', '10.244.1.17', 'Running', target, 'False')
}

const PHASES = ['Pending', 'Scheduling', 'Scheduled', 'PreparingTarget', 'TargetReady']

function migration(put: Put, name: string, vm: string, phase: string): string {
  const time = '2026-11-29T10:00:00Z'
  const passed = PHASES.slice(0, PHASES.indexOf(phase) + 1)
  return put('kubevirt.io', 'VirtualMachineInstanceMigration', name, {
    metadata: {
      labels: { 'kubevirt.io/vmi-name': vm },
      annotations: {
        'kubevirt.io/latest-observed-api-version': 'v1',
        'kubevirt.io/storage-observed-api-version': 'v1',
      },
      finalizers: phase === 'Succeeded' ? [] : ['kubevirt.io/migrationJobFinalize'],
    },
    spec: { vmiName: vm },
    status: {
      phase,
      migrationState: { sourcePod: `virt-launcher-${vm}-bbbbb` },
      phaseTransitionTimestamps: passed.map((phase) => ({ phase, phaseTransitionTimestamp: time })),
    },
  })
}

function events(put: Put, uids: Record<string, string>, at: (secondsAgo: number) => void): void {
  const one = (number: number, ago: number, on: string, reason: string, message: string) => {
    at(ago)
    const [kind, name] = on.split('/') as [string, string]
    const time = new Date(Date.now() - ago * 1000).toISOString().replace(/\.\d+/, '')
    put('', 'Event', `${name}.${number}`, {
      type: 'Normal',
      reason,
      message,
      count: 1,
      firstTimestamp: time,
      lastTimestamp: time,
      source: { component: 'virtualmachine-controller' },
      involvedObject: {
        apiVersion: 'kubevirt.io/v1',
        kind,
        namespace: 'demo',
        name,
        uid: uids[name],
      },
    })
  }
  const kind = 'VirtualMachineInstanceMigration'
  const created = (vm: string) => `Created migration target pod virt-launcher-${vm}-bbbbb`
  const ready = 'Migration target pod is ready for preparation by virt-handler.'
  one(1, 23, `${kind}/first`, 'SuccessfulCreate', created('vm-1'))
  one(2, 23, `${kind}/first`, 'SuccessfulHandOver', ready)
  one(3, 15, `${kind}/first`, 'SuccessfulMigration', 'Source node reported migration succeeded')
  one(4, 12, `${kind}/second`, 'SuccessfulCreate', created('vm-2'))
  one(5, 12, `${kind}/second`, 'SuccessfulHandOver', ready)
  one(
    6,
    23,
    'VirtualMachineInstance/vm-3',
    'SuccessfulCreate',
    'Created virtual machine pod virt-launcher-vm-3-bbbbb',
  )
}
