import { ANNOTATION } from '../kubevirt/labels.ts'
import type { Container, KubeVirt, Vmi } from '../kubevirt/types.ts'
import { isGuaranteed } from './launcher-memory.ts'
import { supportResourcesOf } from './support-resources.ts'

/** What runs a script as a hook where the VM names no image. */
const SHIM_IMAGE = 'registry/sidecar-shim:v1.9.0'
const NON_ROOT = 107

interface Hook {
  image?: string
  imagePullPolicy?: string
  command?: string[]
  args?: string[]
}

/**
 * Containers that a guest has beside its own: one for each shared filesystem and one for each hook. Unlike the guest's, each
 * must be Ready before a target pod is (fact sheet control-plane.md §2.4); names and resources are known from public code.
 */
export function sideContainers(
  vmi: Vmi,
  kubevirt: KubeVirt | undefined,
  image: string,
): Container[] {
  const filesystems = sharedFilesystems(vmi).map((name) => ({
    name: `virtiofs-${name}`,
    image,
    command: ['/usr/libexec/virtiofsd'],
    resources: supportResourcesOf(vmi, kubevirt, 'virtiofs', {
      requests: { cpu: '10m', memory: '1M' },
      limits: { cpu: '100m', memory: '80M' },
    }),
  }))
  const { cpu } = vmi.spec.domain ?? {}
  const own = cpu?.dedicatedCpuPlacement || isGuaranteed(vmi.spec)
  const hooks = hooksOf(vmi).map((hook, index) => ({
    name: `hook-sidecar-${index}`,
    image: hook.image || SHIM_IMAGE,
    ...(hook.imagePullPolicy ? { imagePullPolicy: hook.imagePullPolicy } : {}),
    ...(hook.command ? { command: hook.command } : {}),
    ...(hook.args ? { args: hook.args } : {}),
    resources: supportResourcesOf(vmi, kubevirt, 'sidecar', {
      requests: {},
      limits: own ? { cpu: '200m', memory: '64M' } : {},
    }),
  }))
  const securityContext = {
    runAsUser: NON_ROOT,
    runAsNonRoot: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  }
  return [...filesystems, ...hooks].map((container) => ({ ...container, securityContext }))
}

/** Volumes that the guest sees as filesystems, in the order of the volumes. */
function sharedFilesystems({ spec }: Vmi): string[] {
  const filesystems = (spec.domain?.devices?.['filesystems'] ?? []) as { name: string }[]
  return (spec.volumes ?? [])
    .map(({ name }) => name)
    .filter((name) => filesystems.some((filesystem) => filesystem.name === name))
}

/** KubeVirt refuses to render what is no list; here it has no hooks. */
function hooksOf({ metadata }: Vmi): Hook[] {
  try {
    const hooks: unknown = JSON.parse(metadata.annotations?.[ANNOTATION.hookSidecars] ?? '[]')
    return Array.isArray(hooks) ? (hooks as Hook[]) : []
  } catch {
    return []
  }
}
