import { conditionOf } from '../../kubevirt/migration.ts'
import { podInterfaceName, secondaryNetworks } from '../../kubevirt/multus.ts'
import { timestamp } from '../../kubevirt/time.ts'
import type { Condition, KubeVirt, Node, Vmi } from '../../kubevirt/types.ts'
import { methodOf, obstaclesOf } from '../../rules/migratability.ts'

/** Reason of the condition Paused while the launcher has suspended the guest to let its copy end. */
export const PAUSED_BY_MONITOR = 'PausedByMigrationMonitor'

/** The user that QEMU runs as in a launcher. */
const QEMU_USER = 107

/**
 * What virt-handler writes into a VMI whose domain has come up on its node: it runs, and whether and how it could move
 * (fact sheet control-plane.md §1.4, §5). Changes the draft.
 */
export function reportRunning(
  draft: Vmi,
  at: { now: number; podIP: string; node: Node | undefined; kubevirt: KubeVirt | undefined },
): void {
  const now = timestamp(at.now)
  const status = draft.status ?? {}
  draft.status = status
  status.phase = 'Running'
  status.phaseTransitionTimestamps = [
    ...(status.phaseTransitionTimestamps ?? []),
    { phase: 'Running', phaseTransitionTimestamp: now },
  ]
  status.migrationTransport = 'Unix'
  status.selinuxContext = 'none'
  status.runtimeUser = QEMU_USER
  status.machine = { type: machineType(draft, at.node) }
  status.interfaces = interfacesOf(draft, at.podIP)
  judge(draft, at)
}

/**
 * Whether and how the VM could move now: its claims may change while it runs. Changes the draft where it says otherwise.
 * @returns what keeps it from moving, if that is new
 */
export function judge(
  draft: Vmi,
  at: { node: Node | undefined; kubevirt: KubeVirt | undefined },
): Condition | undefined {
  const status = draft.status ?? {}
  draft.status = status
  status.migrationMethod = methodOf(draft)
  const news = migratableConditions(draft, at.node, at.kubevirt).filter(
    ({ type, status: is, reason, message }) => {
      const before = conditionOf(draft, type)
      return before?.status !== is || before.reason !== reason || before.message !== message
    },
  )
  if (news.length === 0) return undefined
  const kept = (status.conditions ?? []).filter(
    ({ type }) => !news.some((one) => one.type === type),
  )
  status.conditions = [...kept, ...news]
  return news.find(({ type, status: is }) => type === 'LiveMigratable' && is === 'False')
}

/**
 * The guest's interfaces as its domain has them: the primary one with the address of the pod that it runs in, the others
 * as the VMI wants them. One that is to go is not in a domain that was started since.
 */
export function interfacesOf({ spec, status }: Vmi, podIP: string) {
  const secondary = new Set(secondaryNetworks(spec).map(({ name }) => name))
  const present = (spec.domain?.devices?.interfaces ?? []).filter(
    (one) => one['state'] !== 'absent',
  )
  return present.map(({ name }) => {
    const known = status?.interfaces?.find((one) => one.name === name)
    const isAttached = String(known?.['infoSource'] ?? '').includes('multus-status')
    return {
      ...known,
      name,
      ...(secondary.has(name)
        ? {
            infoSource: isAttached ? 'domain, multus-status' : 'domain',
            podInterfaceName: podInterfaceName(name),
          }
        : {
            ipAddress: podIP,
            ipAddresses: [podIP],
            infoSource: 'domain',
            podInterfaceName: 'eth0',
          }),
      queueCount: 1,
    }
  })
}

/**
 * A running guest gives up an interface that is to go; what Multus has attached to its pod stays, until the VM has moved
 * (fact sheet control-plane.md §4.4). Changes the draft.
 */
export function unplug({ spec, status }: Vmi): void {
  if (!status?.interfaces) return
  const going = (spec.domain?.devices?.interfaces ?? []).filter((one) => one['state'] === 'absent')
  status.interfaces = status.interfaces.flatMap((one) => {
    if (!going.some(({ name }) => name === one.name)) return [one]
    const sources = String(one['infoSource'] ?? '').split(', ')
    const infoSource = sources.filter((source) => source !== 'domain').join(', ')
    return infoSource === '' ? [] : [{ ...one, infoSource }]
  })
}

function migratableConditions(
  vmi: Vmi,
  node: Node | undefined,
  kubevirt: KubeVirt | undefined,
): Condition[] {
  const obstacles = obstaclesOf(vmi, node, kubevirt)
  const [first] = obstacles
  const others = obstacles.filter(({ reason }) => reason !== 'DisksNotLiveMigratable')
  return [
    condition('LiveMigratable', first && { reason: first.reason, message: first.message }),
    condition(
      'StorageLiveMigratable',
      others.length > 0
        ? {
            reason: 'NotMigratable',
            message: others.map(({ reason, message }) => `${reason}: ${message}`).join(', '),
          }
        : undefined,
    ),
  ]
}

function condition(
  type: string,
  obstacle: { reason: string; message: string } | undefined,
): Condition {
  const times = { lastProbeTime: null, lastTransitionTime: null }
  return obstacle
    ? { type, status: 'False', ...obstacle, ...times }
    : { type, status: 'True', ...times }
}

/** q35 is an alias; QEMU says which version of the machine it has started. */
function machineType(vmi: Vmi, node: Node | undefined): string {
  const wanted = vmi.spec.domain?.machine?.type ?? 'q35'
  if (wanted !== 'q35') return wanted
  const prefix = 'machine-type.node.kubevirt.io/'
  const label = Object.keys(node?.metadata.labels ?? {}).find((l) =>
    l.startsWith(`${prefix}pc-q35-`),
  )
  return label?.slice(prefix.length) ?? wanted
}
