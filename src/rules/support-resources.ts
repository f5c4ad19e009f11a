import type { Container, KubeVirt, Quantity, Vmi } from '../kubevirt/types.ts'
import { isGuaranteed } from './launcher-memory.ts'

type Resources = Record<string, Quantity>

/** Of a container that helps a guest: as the cluster has it (`supportContainerResources`), else as KubeVirt does. */
export function supportResources(
  kubevirt: KubeVirt | undefined,
  type: string,
  usual: { requests: Resources; limits: Resources },
): { requests: Resources; limits: Resources } {
  const configured = kubevirt?.spec.configuration?.['supportContainerResources'] as
    | { type: string; resources?: Container['resources'] }[]
    | undefined
  const own = configured?.find((one) => one.type === type)?.resources
  return {
    requests: { ...usual.requests, ...own?.requests },
    limits: { ...usual.limits, ...own?.limits },
  }
}

/** The same in the pod of a guest that has its CPUs and memory for itself: all of it is guaranteed then. */
export function supportResourcesOf(
  vmi: Vmi,
  ...[kubevirt, type, usual]: Parameters<typeof supportResources>
): { requests: Resources; limits: Resources } {
  const { requests, limits } = supportResources(kubevirt, type, usual)
  if (!vmi.spec.domain?.cpu?.dedicatedCpuPlacement && !isGuaranteed(vmi.spec))
    return { requests, limits }
  const { cpu = '0', memory = '0' } = limits
  return { requests: { ...requests, cpu, memory }, limits }
}
