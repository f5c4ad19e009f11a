import { stateClaimOf } from '../../kubevirt/backend-storage.ts'
import { isAtLeast } from '../../kubevirt/defaults.ts'
import { NODE_LABEL } from '../../kubevirt/node-labels.ts'
import type { KubeObject, Node, Vmi } from '../../kubevirt/types.ts'
import { evictionStrategyOf } from '../../rules/eviction.ts'
import { migratabilityOf, type Obstacle, obstaclesOf } from '../../rules/migratability.ts'
import type { Code } from '../catalogue.ts'
import type { Check } from '../check.ts'
import { type Finding, finding, type Remedy } from '../finding.ts'
import { settingRemedy } from '../owner.ts'
import type { Subject, World } from '../subject.ts'
import { listing, short } from '../words.ts'

interface Details {
  cause: string
  objects: string[]
  remedy: Remedy[]
}

interface Claim extends KubeObject {
  spec: {
    accessModes?: string[]
    volumeMode?: string
    storageClassName?: string
    volumeName?: string
  }
}

const CODES: Record<string, Code> = {
  InterfaceNotLiveMigratable: 'MIG1001',
  DisksNotLiveMigratable: 'MIG1002',
  CPUModeLiveMigratable: 'MIG1003',
  HostDeviceNotLiveMigratable: 'MIG1004',
  SEVNotLiveMigratable: 'MIG1005',
  TDXNotLiveMigratable: 'MIG1005',
  SecureExecutionNotLiveMigratable: 'MIG1005',
  NoTSCFrequencyNotLiveMigratable: 'MIG1006',
  HypervPassthroughNotLiveMigratable: 'MIG1007',
  VirtIOFSNotLiveMigratable: 'MIG1008',
  HotplugNotLiveMigratable: 'MIG1008',
  PersistentReservationNotLiveMigratable: 'MIG1008',
}

/** Everything that forbids the VM to migrate, all at once, each with its remedy; or that nothing does. */
export const migratability: Check = {
  name: 'migratability of the VM',
  when: ({ vmi, phase }) => vmi !== undefined && !isOver(vmi) && phase !== 'Succeeded',
  needs: ['VirtualMachineInstance'],
  judge(subject, world) {
    const vmi = subject.vmi!
    const said = migratabilityOf(vmi)
    if (said.migratable === 'unknown') return []
    if (said.migratable) return [...persistentState(subject, world), migratable(subject)]

    const node = world.nodes.find(({ metadata }) => metadata.name === vmi.status?.nodeName)
    const obstacles = allObstacles(said, vmi, node, world)
    return [...Map.groupBy(obstacles, ({ reason }) => CODES[reason] ?? 'MIG1009')].map(
      ([code, some]) => blocker(code, some, subject, world),
    )
  },
}

/** virt-handler names one reason in the condition; the others are in StorageLiveMigratable or in the spec itself. */
function allObstacles(said: Obstacle, vmi: Vmi, node: Node | undefined, world: World): Obstacle[] {
  const own = obstaclesOf(vmi, node, world.kubevirt).filter(
    ({ reason, message }) =>
      reason !== said.reason &&
      !/Unable to determine if PVC/.test(message) &&
      (reason !== 'CPUModeLiveMigratable' || isLabelled(node)),
  )
  return [{ reason: said.reason, message: said.message }, ...own]
}

/** Only where the node labeller has been at work does a missing label mean anything. */
function isLabelled(node: Node | undefined): boolean {
  return Object.keys(node?.metadata.labels ?? {}).some((key) => key.startsWith(NODE_LABEL.cpuModel))
}

function blocker(code: Code, obstacles: Obstacle[], subject: Subject, world: World): Finding {
  const { reason } = obstacles[0]!
  const vmi = subject.vmi!
  const draining =
    evictionStrategyOf(vmi, world.kubevirt) === 'LiveMigrate' && isDraining(subject, world)
  // A migration that was created may still run: the condition is looked at only when it is created.
  const wanted = ((subject.troubled || subject.asked) && subject.kind === 'vmi') || draining
  const details = /backend storage/i.test(obstacles[0]!.message)
    ? backendStorage(subject, world)
    : detailsOf(reason, vmi, world)
  return finding({
    code,
    title: `${subject.name} cannot be live-migrated: ${reason}`,
    status: wanted ? 'fail' : 'info',
    objects: [`vmi/${subject.namespace}/${subject.name}`, ...details.objects],
    evidence: [
      ...obstacles.slice(0, 2).map(({ message }) => ({
        source: `vmi/${subject.namespace}/${subject.name}`,
        field: 'condition LiveMigratable=False',
        value: short(message),
      })),
      ...subject.said
        .filter(({ hit, quote }) => hit && quote.includes(reason))
        .slice(0, 1)
        .map(({ source, quote }) => ({ source, value: quote })),
    ],
    cause: details.cause || short(obstacles[0]!.message),
    remedy: details.remedy,
  })
}

/** What in the VM's definition the reason means, and what can be done about it. */
function detailsOf(reason: string, vmi: Vmi, world: World): Details {
  switch (reason) {
    case 'InterfaceNotLiveMigratable':
      return {
        cause: interfaceCause(vmi),
        objects: [],
        remedy: [
          { text: 'Bind the pod network with masquerade in the VM template and restart the VM' },
          {
            text: 'Or annotate the VM template with kubevirt.io/allow-pod-bridge-network-live-migration, if the network plugin lets an address move',
          },
        ],
      }
    case 'DisksNotLiveMigratable':
      return diskDetails(vmi, world)
    case 'CPUModeLiveMigratable':
      return {
        cause: `The CPU is host-model, and node ${vmi.status?.nodeName ?? ''} has no label host-model-cpu.node.kubevirt.io/…`,
        objects: [],
        remedy: [
          {
            text: 'Name a CPU model in spec.domain.cpu.model and restart the VM, or see why the node labeller of virt-handler finds none',
          },
        ],
      }
    case 'HostDeviceNotLiveMigratable':
      return {
        cause: 'The VM has passed-through devices (hostDevices or gpus)',
        objects: [],
        remedy: [{ text: 'Detach the devices, or move the VM by restarting it on another node' }],
      }
    case 'HypervPassthroughNotLiveMigratable':
      return {
        cause: 'hypervPassthrough shows the guest what only this host has',
        objects: [],
        remedy: [{ text: 'Name the HyperV features one by one instead, and restart the VM' }],
      }
    default:
      return {
        cause: '',
        objects: [],
        remedy: [
          {
            text: 'Change what the message names, and restart the VM; or move the VM by restarting it',
          },
        ],
      }
  }
}

/** Up to v1.3 the PVC of persistent TPM or EFI had to be shared. */
function backendStorage(subject: Subject, world: World): Details {
  const claim = stateClaim(subject, world)
  const modes = claim?.spec.accessModes?.join(', ')
  return {
    cause: `The PVC of its persistent TPM or EFI state${claim ? ` (${claim.metadata.name}, ${modes})` : ''} is not ReadWriteMany, which releases up to v1.3 demand; from v1.4 on it may be ReadWriteOnce`,
    objects: claim ? [`pvc/${subject.namespace}/${claim.metadata.name}`] : [],
    remedy: [
      settingRemedy(
        'Set vmStateStorageClass to a class that offers ReadWriteMany (new VMs use it)',
        { configuration: { vmStateStorageClass: 'CLASS' } },
        world,
      ),
      { text: 'Or upgrade KubeVirt to v1.4 or newer' },
    ],
  }
}

function interfaceCause({ spec }: Vmi): string {
  const podNetwork = spec.networks?.find(({ pod }) => pod !== undefined)?.name
  const bound = (spec.domain?.devices?.interfaces ?? []).find(({ name }) => name === podNetwork)
  const how = ['bridge', 'slirp', 'macvtap', 'sriov'].find(
    (binding) => bound?.[binding] !== undefined,
  )
  return `Interface ${bound?.name ?? podNetwork ?? 'of the pod network'} is bound by ${how ?? 'something other than masquerade'}; migration needs masquerade, passt or a plugin that registers it`
}

function diskDetails(vmi: Vmi, world: World): Details {
  const namespace = vmi.metadata.namespace ?? ''
  const claims = (vmi.spec.volumes ?? []).flatMap((volume) => {
    const name = volume.persistentVolumeClaim?.claimName ?? volume.dataVolume?.name
    if (!name) return []
    const pvc = world.evidence.objects.get<Claim>('PersistentVolumeClaim', namespace, name)
    const info = vmi.status?.volumeStatus?.find((status) => status.name === volume.name)
    const modes = info?.persistentVolumeClaimInfo?.accessModes ?? pvc?.spec.accessModes
    return !modes || modes.includes('ReadWriteMany') ? [] : [{ name, modes, pvc }]
  })
  const hostDisks = (vmi.spec.volumes ?? []).filter(
    ({ hostDisk }) => hostDisk && hostDisk.shared !== true,
  )
  const parts = claims.map(({ name, modes, pvc }) => {
    const storage = world.evidence.objects.get<KubeObject & { provisioner?: string }>(
      'StorageClass',
      undefined,
      pvc?.spec.storageClassName ?? '',
    )
    const on = storage?.provisioner ?? pvc?.spec.storageClassName
    const mode = pvc?.spec.volumeMode ? `, volumeMode ${pvc.spec.volumeMode}` : ''
    return `PVC ${name} is ${modes.join(', ')}${mode}${on ? ` on ${on}` : ''}`
  })
  parts.push(...hostDisks.map(({ name }) => `hostDisk ${name} is not shared`))
  const block = claims.some(({ pvc }) => pvc?.spec.volumeMode !== 'Block')
  return {
    cause: parts.length > 0 ? `${listing(parts)}; migration needs ReadWriteMany` : '',
    objects: claims.map(({ name }) => `pvc/${namespace}/${name}`),
    remedy: [
      {
        text: `Move the disk to a ReadWriteMany volume: clone it, or a volume migration (updateVolumesStrategy: Migration). Access modes of a PVC cannot be edited${block ? '; many block drivers (RBD, iSCSI) offer ReadWriteMany only with volumeMode Block' : ''}`,
      },
    ],
  }
}

/** Up to v1.3 the PVC of persistent TPM or EFI had to be shared; it is still believed to. */
function persistentState(subject: Subject, world: World): Finding[] {
  const claim = stateClaim(subject, world)
  if (!claim || claim.spec.accessModes?.includes('ReadWriteMany')) return []
  const version = world.kubevirt?.status?.observedKubeVirtVersion
  if (world.release && !isAtLeast(world.release, 1, 4)) return []
  return [
    finding({
      code: 'MIG1016',
      title: `${subject.name} is live-migratable (LiveMigratable=True); PVC ${claim.metadata.name} is ${claim.spec.accessModes?.join(', ') ?? 'not shared'}, which is not a blocker`,
      status: 'info',
      objects: [`pvc/${subject.namespace}/${claim.metadata.name}`],
      evidence: version
        ? [{ source: 'kubevirt', field: 'status.observedKubeVirtVersion', value: version }]
        : [],
      cause:
        'It holds the persistent state of TPM or EFI; from v1.4 on each migration makes a second PVC for it. Up to v1.3 it had to be ReadWriteMany',
    }),
  ]
}

function stateClaim(subject: Subject, { evidence }: World): Claim | undefined {
  return stateClaimOf(subject, evidence.objects.list<Claim>('PersistentVolumeClaim'))
}

function migratable(subject: Subject): Finding {
  return finding({
    code: 'MIG1000',
    title: `Nothing blocks a migration of ${subject.name}: LiveMigratable is True`,
    status: 'pass',
    objects: [`vmi/${subject.namespace}/${subject.name}`],
  })
}

function isDraining(subject: Subject, world: World): boolean {
  const node = world.nodes.find(({ metadata }) => metadata.name === subject.vmi?.status?.nodeName)
  return node?.spec.unschedulable === true
}

function isOver(vmi: Vmi): boolean {
  return vmi.status?.phase === 'Succeeded' || vmi.status?.phase === 'Failed'
}
