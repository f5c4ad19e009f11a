import { sameValue } from '../kubevirt/equality.ts'
import type { Condition, KubeVirt, Vm, VmiSpec } from '../kubevirt/types.ts'
import { isHotpluggable } from '../kubevirt/volumes.ts'
import { rollsOutLive } from './vm-live-update.ts'

/**
 * What of a VM's template a running VM can't take: any change, but for networks and plugged volumes and, where changes
 * are rolled out live, for what may change while it runs. `started` is the template that it was started with.
 */
export function restartRequired(
  started: VmiSpec,
  { template, updateVolumesStrategy }: Vm['spec'],
  kubevirt: KubeVirt | undefined,
): Condition | undefined {
  const live = rollsOutLive(kubevirt)
  const moves = live && updateVolumesStrategy === 'Migration'
  const [before, after] = [started, template?.spec ?? {}].map((spec) =>
    fixedPart(spec, live, moves),
  )
  if (sameValue(before, after)) return undefined
  const message = 'a non-live-updatable field was changed in the template spec'
  return { type: 'RestartRequired', status: 'True', message }
}

/** @param moves whether volumes may get other claims, into which a migration copies them */
function fixedPart(spec: VmiSpec, live: boolean, moves: boolean): unknown {
  const { networks: _networks, domain = {}, volumes = [], ...rest } = spec
  const { interfaces: _interfaces, disks = [], ...devices } = domain.devices ?? {}
  const plugged = volumes.filter(isHotpluggable).map(({ name }) => name)
  const own = volumes.filter(({ name }) => !plugged.includes(name))
  const fixed = {
    ...rest,
    volumes: moves ? own.map(({ name }) => name) : own,
    domain: {
      ...domain,
      devices: { ...devices, disks: disks.filter(({ name }) => !plugged.includes(name)) },
    },
  }
  return live ? withoutLivePart(fixed) : fixed
}

/** Without sockets, memory, and where it may run. */
function withoutLivePart(
  spec: Pick<VmiSpec, 'domain' | 'nodeSelector' | 'affinity' | 'tolerations'>,
) {
  const { nodeSelector: _selector, affinity: _affinity, tolerations: _tolerations, ...rest } = spec
  const { cpu, memory, ...domain } = spec.domain ?? {}
  const { sockets: _sockets, ...otherCpu } = cpu ?? {}
  const { guest: _guest, ...otherMemory } = memory ?? {}
  return { ...rest, domain: { ...domain, cpu: otherCpu, memory: otherMemory } }
}
