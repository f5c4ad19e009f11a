import { ANNOTATION, LABEL, MIGRATION_FINALIZER, VMI_FINALIZER } from '../../src/kubevirt/labels.ts'
import type { Condition, Migration, MigrationState, Pod, Vmi } from '../../src/kubevirt/types.ts'
import { launcherPod } from '../../src/rules/launcher-pod.ts'

/** How big a cluster is. */
export interface Size {
  vmis: number
  nodes: number
  namespaces: number
}

/** A cluster of so many VMs: a hundred on a node, two hundred in a namespace. */
export function sizeOf(vmis: number): Size {
  return { vmis, nodes: Math.ceil(vmis / 100), namespaces: Math.ceil(vmis / 200) }
}

/** One VM, and its migrations, oldest first. */
export interface Inhabitant {
  vmi: Vmi
  migrations: Migration[]
  /** @param uid of the VMI as it was stored */
  launcher(uid: string): Pod
  /** Of the last migration, while it copies. */
  target: ((uid: string, migration: Migration) => Pod) | undefined
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How the last migration of a VM that has moved before stands. */
type Course = 'moved' | 'moved lately' | 'failed' | 'waits' | 'copies' | 'is to move'

/**
 * A lived-in cluster. Of every two hundred VMs eight have moved before, five times each, which is as much as KubeVirt
 * keeps: a migration for every five VMs. The cluster's five slots are taken by copies that have run for two hours.
 */
function courseOf(number: number): Course | undefined {
  if (number < 50) return number % 10 === 0 ? 'copies' : undefined
  return COURSES.get(number % 200)
}

const COURSES = new Map<number, Course>([
  [60, 'is to move'],
  [70, 'waits'],
  [80, 'failed'],
  [90, 'failed'],
  [100, 'moved lately'],
  [110, 'moved lately'],
  [120, 'moved'],
  [130, 'moved'],
])

const LAST: Record<Course, { phase: string; age: number }> = {
  moved: { phase: 'Succeeded', age: 2 * DAY },
  'moved lately': { phase: 'Succeeded', age: 5 * MINUTE },
  failed: { phase: 'Failed', age: 5 * MINUTE },
  waits: { phase: 'Pending', age: 3 * MINUTE },
  copies: { phase: 'Running', age: 2 * HOUR },
  'is to move': { phase: 'Succeeded', age: 2 * DAY },
}

/** What must be found there: the subjects of `diagnose -A`, the rows of `status -A`. */
export function expectedOf({ vmis }: Size): { subjects: number; rows: number } {
  const courses = Array.from({ length: vmis }, (_, number) => courseOf(number))
  const count = (...wanted: Course[]) => courses.filter((c) => c && wanted.includes(c)).length
  return {
    subjects: count('failed', 'waits', 'copies', 'is to move'),
    rows: count('failed', 'waits', 'copies', 'moved lately'),
  }
}

/** The VM of that number. @param now ms */
export function inhabitant(number: number, { nodes, namespaces }: Size, now: number): Inhabitant {
  const course = courseOf(number)
  const place: Place = {
    name: `vm-${String(number).padStart(5, '0')}`,
    namespace: `tenant-${number % namespaces}`,
    node: `node-${(number % nodes) + 1}`,
    next: `node-${((number + 1) % nodes) + 1}`,
  }
  const last = course && LAST[course]
  const past = (ago: number) => new Date(now - ago).toISOString().replace(/\.\d+/, '')
  const vmi = vmiOf(place, past(90 * DAY), course === 'is to move')
  return {
    vmi,
    migrations: last
      ? [
          ...[60, 40, 20, 10].map((days, i) =>
            migrationOf(place, i + 1, 'Succeeded', past(days * DAY)),
          ),
          migrationOf(place, 5, last.phase, past(last.age)),
        ]
      : [],
    launcher: (uid) => podOf(vmi, uid, place.node, past(90 * DAY)),
    target:
      course === 'copies'
        ? (uid, migration) => targetOf(podOf(vmi, uid, place.next, past(2 * HOUR)), migration)
        : undefined,
  }
}

interface Place {
  name: string
  namespace: string
  node: string
  next: string
}

const SUCCESS = [
  'Pending',
  'Scheduling',
  'Scheduled',
  'PreparingTarget',
  'TargetReady',
  'Running',
  'Succeeded',
]

function migrationOf(place: Place, nth: number, phase: string, at: string): Migration {
  const { name, namespace, node, next } = place
  const passed = SUCCESS.includes(phase) ? SUCCESS.slice(0, SUCCESS.indexOf(phase) + 1) : SUCCESS
  const phases = phase === 'Failed' ? [...SUCCESS.slice(0, -1), 'Failed'] : passed
  const state: MigrationState = {
    startTimestamp: at,
    sourceNode: node,
    sourcePod: `virt-launcher-${name}-abcde`,
    targetNode: next,
    targetPod: `virt-launcher-${name}-fghij`,
    targetNodeAddress: '10.244.3.17',
    targetNodeDomainDetected: true,
    targetDirectMigrationNodePorts: { 40231: 0, 36715: 49152 },
    migrationConfiguration: CONFIGURATION,
    ...(phase !== 'Running' && { endTimestamp: at, completed: true, mode: 'PreCopy' }),
    ...(phase === 'Failed' && {
      failed: true,
      failureReason:
        'Live migration failed: operation failed: migration out job: unexpectedly failed',
    }),
  }
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: {
      name: `${name}-${nth}`,
      namespace,
      creationTimestamp: at,
      labels: { [LABEL.vmiName]: name },
      annotations: {
        [ANNOTATION.latestApiVersion]: 'v1',
        [ANNOTATION.storageApiVersion]: 'v1',
      },
      ...(!['Succeeded', 'Failed'].includes(phase) && { finalizers: [MIGRATION_FINALIZER] }),
    },
    spec: { vmiName: name },
    status: {
      phase,
      phaseTransitionTimestamps: phases.map((entered) => ({
        phase: entered,
        phaseTransitionTimestamp: at,
      })),
      ...(phase !== 'Pending' && { migrationState: state }),
    },
  }
}

const CONFIGURATION = {
  nodeDrainTaintKey: 'kubevirt.io/drain',
  parallelOutboundMigrationsPerNode: 2,
  parallelMigrationsPerCluster: 5,
  allowAutoConverge: false,
  bandwidthPerMigration: '0',
  completionTimeoutPerGiB: 150,
  progressTimeout: 150,
  unsafeMigrationOverride: false,
  allowPostCopy: false,
  allowWorkloadDisruption: false,
  disableTLS: false,
  matchSELinuxLevelOnMigration: false,
}

function vmiOf({ name, namespace, node }: Place, since: string, isToMove: boolean): Vmi {
  const volumes = ['rootdisk', 'data-1', 'data-2', 'data-3']
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: {
      name,
      namespace,
      creationTimestamp: since,
      labels: {
        [LABEL.nodeName]: node,
        'app.kubernetes.io/part-of': 'bench',
        'vm.kubevirt.io/template': 'rhel9-server-medium',
        'vm.kubevirt.io/os': 'rhel9',
        'vm.kubevirt.io/workload': 'server',
      },
      annotations: {
        [ANNOTATION.latestApiVersion]: 'v1',
        [ANNOTATION.storageApiVersion]: 'v1',
        [ANNOTATION.vmGeneration]: '2',
        'vm.kubevirt.io/flavor': 'medium',
        'vm.kubevirt.io/validations': JSON.stringify([VALIDATION, VALIDATION]),
      },
      finalizers: ['kubevirt.io/virtualMachineControllerFinalize', VMI_FINALIZER],
      ownerReferences: [
        {
          apiVersion: 'kubevirt.io/v1',
          kind: 'VirtualMachine',
          name,
          uid: '6a2f3c1e-52d5-4d3a-9df1-0f6f3f2f8f11',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      evictionStrategy: 'LiveMigrate',
      terminationGracePeriodSeconds: 180,
      domain: {
        cpu: { cores: 1, sockets: 2, threads: 1, maxSockets: 8, model: 'host-model' },
        memory: { guest: '4Gi', maxGuest: '16Gi' },
        machine: { type: 'pc-q35-rhel9.6.0' },
        resources: { requests: { memory: '4Gi' } },
        firmware: { uuid: 'd1d5c5a5-3a0b-5c2e-9f0e-2f8f2f0f1d11', serial: 'a1b2c3' },
        features: { acpi: { enabled: true }, smm: { enabled: true } },
        devices: {
          disks: volumes.map((disk, i) => ({
            name: disk,
            disk: { bus: 'virtio' },
            ...(i === 0 && { bootOrder: 1 }),
          })),
          interfaces: [
            { name: 'default', masquerade: {}, macAddress: '02:00:00:0a:0b:0c', model: 'virtio' },
            { name: 'storage', bridge: {}, macAddress: '02:00:00:0a:0b:0d', model: 'virtio' },
          ],
          networkInterfaceMultiqueue: true,
          rng: {},
        },
      },
      networks: [
        { name: 'default', pod: {} },
        { name: 'storage', multus: { networkName: `${namespace}/storage` } },
      ],
      volumes: volumes.map((disk) => ({ name: disk, dataVolume: { name: `${name}-${disk}` } })),
    },
    status: {
      phase: 'Running',
      nodeName: node,
      migrationMethod: 'LiveMigration',
      migrationTransport: 'Unix',
      qosClass: 'Burstable',
      runtimeUser: 107,
      selinuxContext: 'system_u:object_r:container_file_t:s0:c12,c345',
      launcherContainerImageVersion: `registry/virt-launcher@sha256:${'0a'.repeat(32)}`,
      activePods: { '7f6a1d5e-11aa-4f01-8d1f-0a0b0c0d0e0f': node },
      machine: { type: 'pc-q35-rhel9.6.0' },
      currentCPUTopology: { cores: 1, sockets: 2, threads: 1 },
      memory: { guestAtBoot: '4Gi', guestCurrent: '4Gi', guestRequested: '4Gi' },
      guestOSInfo: {
        id: 'rhel',
        name: 'Red Hat Enterprise Linux',
        prettyName: 'Red Hat Enterprise Linux 9.6 (Plow)',
        version: '9.6',
        kernelRelease: '5.14.0-570.12.1.el9_6.x86_64',
        machine: 'x86_64',
      },
      conditions: ['Ready', 'LiveMigratable', 'StorageLiveMigratable', 'AgentConnected'].map(
        (type) => condition(type, since),
      ),
      phaseTransitionTimestamps: ['Pending', 'Scheduling', 'Scheduled', 'Running'].map((phase) => ({
        phase,
        phaseTransitionTimestamp: since,
      })),
      interfaces: ['default', 'storage'].map((network, i) => ({
        name: network,
        interfaceName: `enp${i + 1}s0`,
        podInterfaceName: i === 0 ? 'eth0' : 'pod37a8eec1ce1',
        infoSource: 'domain, guest-agent, multus-status',
        ipAddress: `10.244.${i}.17`,
        ipAddresses: [`10.244.${i}.17`, `fe80::858:aff:fef4:${i}11`],
        linkState: 'up',
        mac: `02:00:00:0a:0b:0${i}`,
        queueCount: 2,
      })),
      volumeStatus: volumes.map((disk, i) => ({
        name: disk,
        target: `vd${'abcd'[i]}`,
        persistentVolumeClaimInfo: {
          accessModes: ['ReadWriteMany'],
          capacity: { storage: '30Gi' },
          claimName: `${name}-${disk}`,
          filesystemOverhead: '0',
          requests: { storage: '32212254720' },
          volumeMode: 'Block',
        },
      })),
      ...(isToMove && { evacuationNodeName: node }),
    },
  }
}

const VALIDATION = {
  name: 'minimal-required-memory',
  path: 'jsonpath::.spec.domain.memory.guest',
  rule: 'integer',
  message: 'This VM requires more memory.',
  min: 1610612736,
}

function condition(type: string, lastTransitionTime: string): Condition {
  return { type, status: 'True', lastProbeTime: null, lastTransitionTime }
}

/** The launcher as virt-controller renders it, with what scheduler and kubelet add. */
function podOf(vmi: Vmi, uid: string, node: string, since: string): Pod {
  const { metadata, spec } = launcherPod(
    { ...vmi, metadata: { ...vmi.metadata, uid } },
    { kubevirt: undefined },
  )
  const { generateName = '', ...rest } = metadata
  const names = [...(spec.initContainers ?? []), ...spec.containers].map((c) => c.name)
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...rest, generateName, name: `${generateName}abcde`, creationTimestamp: since },
    spec: { ...spec, nodeName: node },
    status: {
      phase: 'Running',
      podIP: '10.244.0.17',
      podIPs: [{ ip: '10.244.0.17' }],
      startTime: since,
      qosClass: 'Burstable',
      conditions: [
        'kubevirt.io/virtual-machine-unpaused',
        'PodReadyToStartContainers',
        'Initialized',
        'Ready',
        'ContainersReady',
        'PodScheduled',
      ].map((type) => condition(type, since)),
      containerStatuses: names.map((name) => ({
        name,
        image: 'registry/virt-launcher:v1.9.0',
        imageID: `registry/virt-launcher@sha256:${'0a'.repeat(32)}`,
        containerID: `cri-o://${'1b'.repeat(32)}`,
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt: since } },
      })),
    },
  }
}

function targetOf(pod: Pod, { metadata }: Migration): Pod {
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      name: `${pod.metadata.generateName}fghij`,
      labels: { ...pod.metadata.labels, [LABEL.migrationJobUid]: metadata.uid ?? '' },
      annotations: {
        ...pod.metadata.annotations,
        [ANNOTATION.migrationJobName]: metadata.name,
      },
    },
  }
}
