import { parseQuantity } from '../kubevirt/quantity.ts'
import type { Condition, KubeVirt, Vm, Vmi } from '../kubevirt/types.ts'
import { isMigrating } from './evacuation.ts'

/** What a change of a VM's template does to the VM that runs. */
export type LiveUpdate =
  | { kind: 'nothing' }
  /** Goes into the running VMI; a migration then brings it into a new launcher. */
  | { kind: 'apply'; patch: { path: string; value: unknown; old: unknown }[] }
  /** Only a restart can bring it. */
  | { kind: 'restart'; condition: Condition }
  /** Not now: tried again. */
  | { kind: 'refused'; message: string }

/**
 * CPU sockets and guest memory can be raised while the VM runs, where the cluster rolls changes out live
 * (fact sheet control-plane.md §3.3, §4.3).
 */
export function liveUpdateOf(
  vm: Vm,
  vmi: Vmi,
  kubevirt: KubeVirt | undefined,
  now: number,
): LiveUpdate {
  const template = vm.spec.template?.spec
  if (kubevirt?.spec.configuration?.['vmRolloutStrategy'] !== 'LiveUpdate' || !template)
    return { kind: 'nothing' }
  const migrating = isMigrating(vmi, now)
  const updates = [cpuUpdate(template, vmi, migrating), memoryUpdate(template, vmi, migrating)]
  return (
    updates.find(({ kind }) => kind === 'refused') ??
    updates.find(({ kind }) => kind === 'restart') ??
    merge(updates)
  )
}

function merge(updates: LiveUpdate[]): LiveUpdate {
  const patch = updates.flatMap((update) => (update.kind === 'apply' ? update.patch : []))
  return patch.length > 0 ? { kind: 'apply', patch } : { kind: 'nothing' }
}

type Spec = Vmi['spec']

function cpuUpdate(template: Spec, { spec }: Vmi, migrating: boolean): LiveUpdate {
  const wanted = template.domain?.cpu?.sockets
  const current = spec.domain?.cpu?.sockets
  if (wanted === undefined || current === undefined || wanted === current)
    return { kind: 'nothing' }
  const most = Number(spec.domain?.cpu?.['maxSockets'] ?? 0)
  if (wanted > most)
    return restart("CPU sockets updated in template spec to a value higher than what's available")
  if (wanted < current) return restart('Reduction of CPU socket count requires a restart')
  if (migrating)
    return { kind: 'refused', message: 'CPU hotplug is not allowed while VMI is migrating' }
  return {
    kind: 'apply',
    patch: [{ path: '/spec/domain/cpu/sockets', value: wanted, old: current }],
  }
}

function memoryUpdate(template: Spec, { spec }: Vmi, migrating: boolean): LiveUpdate {
  const wanted = parseQuantity(template.domain?.memory?.guest)
  const current = parseQuantity(spec.domain?.memory?.guest)
  if (!wanted || !current || wanted.nano === current.nano) return { kind: 'nothing' }
  const most = parseQuantity(spec.domain?.memory?.['maxGuest'] as string | undefined)
  if (!most) return { kind: 'nothing' }
  if (wanted.nano > most.nano)
    return restart("memory updated in template spec to a value higher than what's available")
  if (wanted.nano < current.nano)
    return restart('memory updated in template spec to a value lower than what the VM started with')
  if (migrating)
    return { kind: 'refused', message: 'memory hotplug is not allowed while VMI is migrating' }
  return {
    kind: 'apply',
    patch: [
      {
        path: '/spec/domain/memory/guest',
        value: template.domain?.memory?.guest,
        old: spec.domain?.memory?.guest,
      },
    ],
  }
}

function restart(message: string): LiveUpdate {
  return { kind: 'restart', condition: { type: 'RestartRequired', status: 'True', message } }
}
