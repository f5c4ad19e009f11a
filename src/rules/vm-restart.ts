import { sameValue } from '../kubevirt/equality.ts'
import type { Condition, KubeVirt, VmiSpec } from '../kubevirt/types.ts'
import { rollsOutLive } from './vm-live-update.ts'

/**
 * What of a VM's template a running VM can't take: any change, but for what may change while it runs where changes are
 * rolled out live. `started` is the template that it was started with.
 */
export function restartRequired(
  started: VmiSpec,
  template: VmiSpec,
  kubevirt: KubeVirt | undefined,
): Condition | undefined {
  const live = rollsOutLive(kubevirt)
  const [before, after] = [started, template].map((spec) => fixedPart(spec, live))
  if (sameValue(before, after)) return undefined
  const message = 'a non-live-updatable field was changed in the template spec'
  return { type: 'RestartRequired', status: 'True', message }
}

/** Whether a volume's claim may change is looked at apart (volume-migration.ts); networks come and go either way. */
function fixedPart(spec: VmiSpec, live: boolean): unknown {
  const { networks: _networks, domain = {}, ...rest } = spec
  const { interfaces: _interfaces, ...devices } = domain.devices ?? {}
  const fixed = { ...rest, domain: { ...domain, devices } }
  if (!live) return fixed
  const {
    nodeSelector: _selector,
    affinity: _affinity,
    tolerations: _tolerations,
    ...placed
  } = rest
  const { volumes: _volumes, ...others } = placed
  const { disks: _disks, ...otherDevices } = devices
  const { cpu, memory, ...otherDomain } = domain
  const { sockets: _sockets, ...otherCpu } = cpu ?? {}
  const { guest: _guest, ...otherMemory } = memory ?? {}
  return {
    ...others,
    domain: { ...otherDomain, cpu: otherCpu, memory: otherMemory, devices: otherDevices },
  }
}
