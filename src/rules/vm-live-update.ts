import { sameValue } from '../kubevirt/equality.ts'
import { conditionOf } from '../kubevirt/migration.ts'
import {
  type Amount,
  add,
  compare,
  formatQuantity,
  larger,
  milliAmount,
  parseQuantity,
  subtract,
} from '../kubevirt/quantity.ts'
import type { Condition, KubeVirt, Quantity, Vm, Vmi, VmiSpec } from '../kubevirt/types.ts'
import { isMigrating } from './evacuation.ts'
import { vcpusOf } from './launcher-memory.ts'
import type { VmRequest } from './vm-failure.ts'
import { type Change, networkChanges } from './vm-network-update.ts'
import { volumeChanges } from './vm-volume-update.ts'

/** What a change of a VM's template does to the VM that runs. */
export type LiveUpdate =
  | { kind: 'nothing' }
  /** Goes into the running VMI; a migration then brings it into a new launcher. */
  | { kind: 'apply'; changes: Change[] }
  /** Only a restart can bring it. */
  | { kind: 'restart'; condition: Condition }
  /** Not now: tried again. */
  | { kind: 'refused'; request: VmRequest; message: string }

const NOTHING: LiveUpdate = { kind: 'nothing' }

/**
 * CPU sockets, guest memory, tolerations and where the VM may run can change while it runs, unless the cluster stages
 * changes until a restart (fact sheet control-plane.md §3.3, §4.3).
 */
export function liveUpdateOf(
  vm: Vm,
  vmi: Vmi,
  kubevirt: KubeVirt | undefined,
  now: number,
): LiveUpdate {
  const template = vm.spec.template?.spec
  if (!template) return NOTHING
  const moving = isMigrating(vmi, now)
  // Networks and plugged volumes are brought by whatever strategy.
  const volumes = volumeChanges(template, vmi)
  const plugged = [...networkChanges(template, vmi.spec), ...volumes]
  if (moving && volumes.length > 0) {
    const message = 'Cannot handle volume requests while VMI migration is in progress'
    return refused('hotplug', message)
  }
  // Once it takes a restart, all else waits for that too.
  if (!rollsOutLive(kubevirt) || conditionOf(vm, 'RestartRequired')) return applying(plugged)
  const updates = [
    cpuUpdate(template, vmi, kubevirt, moving),
    placementUpdate(template, vmi.spec, moving),
    tolerationUpdate(template, vmi.spec, moving),
    memoryUpdate(template, vmi, moving),
  ]
  const stop = updates.find(({ kind }) => kind === 'refused' || kind === 'restart')
  if (stop) return stop
  const changes = updates.flatMap((update) => (update.kind === 'apply' ? update.changes : []))
  return applying([...changes, ...plugged])
}

function applying(changes: Change[]): LiveUpdate {
  return changes.length > 0 ? { kind: 'apply', changes } : NOTHING
}

/** KubeVirt's default; `Stage` keeps changes for the next start. */
export function rollsOutLive(kubevirt: KubeVirt | undefined): boolean {
  return kubevirt?.spec.configuration?.['vmRolloutStrategy'] !== 'Stage'
}

function cpuUpdate(
  template: VmiSpec,
  vmi: Vmi,
  kubevirt: KubeVirt | undefined,
  moving: boolean,
): LiveUpdate {
  const { spec } = vmi
  const wanted = template.domain?.cpu?.sockets
  const current = spec.domain?.cpu?.sockets
  if (wanted === undefined || current === undefined || wanted === current) return NOTHING
  if (conditionOf(vmi, 'HotVCPUChange')?.status === 'True')
    return refused('cpu', 'another CPU hotplug is in progress')
  if (moving) return refused('cpu', 'CPU hotplug is not allowed while VMI is migrating')
  if (wanted > Number(spec.domain?.cpu?.['maxSockets'] ?? 0))
    return restart("CPU sockets updated in template spec to a value higher than what's available")
  if (wanted < current) return restart('Reduction of CPU socket count requires a restart')
  if (template.domain?.devices?.['networkInterfaceMultiqueue'] === true)
    return restart(
      'Changes to CPU sockets require a restart when NetworkInterfaceMultiQueue is enabled',
    )
  const before = vcpusOf(spec)
  const after = vcpusOf({
    domain: { ...spec.domain, cpu: { ...spec.domain?.cpu, sockets: wanted } },
  })
  const ratio = Number(kubevirt?.spec.configuration?.developerConfiguration?.cpuAllocationRatio)
  const more = milliAmount((after - before) * Math.trunc(1000 / (ratio > 0 ? ratio : 10)))
  return {
    kind: 'apply',
    changes: [
      { path: '/spec/domain/cpu/sockets', old: current, value: wanted },
      ...resourceChanges(template, spec, 'cpu', (amount) => add(amount, more)),
    ],
  }
}

function memoryUpdate(template: VmiSpec, vmi: Vmi, moving: boolean): LiveUpdate {
  const { spec, status } = vmi
  const text = template.domain?.memory?.guest
  const wanted = parseQuantity(text)
  const current = parseQuantity(spec.domain?.memory?.guest)
  const memory = status?.['memory'] as
    | { guestAtBoot?: Quantity; guestCurrent?: Quantity }
    | undefined
  if (!text || !wanted || !current || !memory?.guestCurrent) return NOTHING
  const hotplug = conditionOf(vmi, 'HotMemoryChange')?.status
  const unavailable = 'memory updated in template spec. Memory-hotplug'
  if (hotplug === 'False')
    return restart(`${unavailable} failed and is not available for this VM configuration`)
  if (compare(wanted, current) === 0) return NOTHING
  if (conditionOf(vmi, 'LiveMigratable')?.status !== 'True')
    return restart(`${unavailable} is only available for migratable VMs`)
  const most = parseQuantity(spec.domain?.memory?.['maxGuest'] as Quantity | undefined)
  if (!most) return restart(`${unavailable} is not available for this VM configuration`)
  if (hotplug === 'True') return refused('memory', 'another memory hotplug is in progress')
  if (moving) return refused('memory', 'memory hotplug is not allowed while VMI is migrating')
  const boot = parseQuantity(memory.guestAtBoot)
  if (boot && compare(wanted, boot) < 0)
    return restart('memory updated in template spec to a value lower than what the VM started with')
  if (compare(wanted, most) > 0)
    return restart("memory updated in template spec to a value higher than what's available")
  const more = subtract(wanted, parseQuantity(memory.guestCurrent) ?? current)
  return {
    kind: 'apply',
    changes: [
      { path: '/spec/domain/memory/guest', old: spec.domain?.memory?.guest, value: text },
      // Not less than the guest: what was plugged out before may not all have been given back.
      ...resourceChanges(template, spec, 'memory', (amount) => larger(add(amount, more), wanted)),
    ],
  }
}

/** Requests and limits that the VM names itself grow with it. */
function resourceChanges(
  template: VmiSpec,
  { domain }: VmiSpec,
  resource: 'cpu' | 'memory',
  grow: (amount: Amount) => Amount,
): Change[] {
  return (['requests', 'limits'] as const).flatMap((kind) => {
    const old = domain?.resources?.[kind]?.[resource]
    const amount = parseQuantity(old)
    if (!amount || template.domain?.resources?.[kind]?.[resource] === undefined) return []
    const path = `/spec/domain/resources/${kind}/${resource}`
    return [{ path, old, value: formatQuantity(grow(amount)) }]
  })
}

function placementUpdate(template: VmiSpec, spec: VmiSpec, moving: boolean): LiveUpdate {
  const changes = (['affinity', 'nodeSelector'] as const).flatMap((field) =>
    sameValue(template[field], spec[field])
      ? []
      : [{ path: `/spec/${field}`, old: spec[field], value: template[field] }],
  )
  if (changes.length === 0) return NOTHING
  return moving
    ? refused('affinity', 'Node affinity should not be changed during VMI migration')
    : { kind: 'apply', changes }
}

function tolerationUpdate(template: VmiSpec, spec: VmiSpec, moving: boolean): LiveUpdate {
  if (sameValue(template.tolerations, spec.tolerations)) return NOTHING
  if (moving)
    return refused('tolerations', 'tolerations should not be changed during VMI migration')
  const change = { path: '/spec/tolerations', old: spec.tolerations, value: template.tolerations }
  return { kind: 'apply', changes: [change] }
}

function refused(request: VmRequest, message: string): LiveUpdate {
  return { kind: 'refused', request, message }
}

function restart(message: string): LiveUpdate {
  return { kind: 'restart', condition: { type: 'RestartRequired', status: 'True', message } }
}
