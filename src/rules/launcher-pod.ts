import { STATE_VOLUME } from '../kubevirt/backend-storage.ts'
import { ASSUMED_RELEASE, type Release } from '../kubevirt/defaults.ts'
import { ANNOTATION } from '../kubevirt/labels.ts'
import type { Container, KubeVirt, Pod, Vmi } from '../kubevirt/types.ts'
import type { AutomaticLimits } from './automatic-limits.ts'
import { type ImageIds, imageContainers, imageVolumes } from './container-disks.ts'
import { launcherOverhead } from './launcher-memory.ts'
import { hostnameOf, launcherAnnotations, launcherLabels } from './launcher-metadata.ts'
import { architectureOf, launcherAffinity, launcherSelector } from './launcher-placement.ts'
import { computeResources } from './launcher-resources.ts'
import { sideContainers } from './side-containers.ts'
import { supportResourcesOf } from './support-resources.ts'

/** A pod that is to be created: its name is the server's to make. */
export type PodTemplate = Omit<Pod, 'metadata' | 'status'> & {
  metadata: Omit<Pod['metadata'], 'name'>
}

export interface LauncherOptions {
  kubevirt: KubeVirt | undefined
  release?: Release
  image?: string
  limits?: AutomaticLimits
  /** Of the guest's disks, where they are pinned. */
  images?: ImageIds
  /** The claim of its TPM and EFI, where they are kept. */
  stateClaim?: string | undefined
}

/** What the lab's KubeVirt runs guests in. */
export const LAUNCHER_IMAGE = 'registry/virt-launcher:v1.9.0'

const NON_ROOT = 107
/** Seconds that a launcher has beyond its guest's own grace. */
const GRACE_MARGIN = 30

/** The first launcher pod of a VM, as virt-controller renders it (fact sheet control-plane.md §2.7). */
export function launcherPod(vmi: Vmi, options: LauncherOptions): PodTemplate {
  const { kubevirt, release = ASSUMED_RELEASE, image = LAUNCHER_IMAGE, images = {} } = options
  const { spec, metadata } = vmi
  const overhead = launcherOverhead(vmi, kubevirt, release, architectureOf(vmi, kubevirt))
  const disks = imageContainers(vmi, kubevirt, images)
  const initContainers = [...consoleLog(vmi, kubevirt, image), ...disks.initContainers]
  const affinity = launcherAffinity(vmi)
  const compute: Container = {
    name: 'compute',
    image,
    command: [
      '/usr/bin/virt-launcher-monitor',
      '--name',
      metadata.name,
      '--namespace',
      metadata.namespace ?? '',
      '--uid',
      metadata.uid ?? '',
    ],
    resources: computeResources(vmi, kubevirt, overhead, options.limits),
    securityContext: {
      ...nonRoot(),
      runAsGroup: NON_ROOT,
      capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] },
    },
  }
  return {
    metadata: {
      generateName: `virt-launcher-${metadata.name}-`,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels: launcherLabels(vmi),
      annotations: {
        ...launcherAnnotations(vmi),
        [ANNOTATION.memoryOverheadBytes]: String(overhead.bytes),
      },
      ownerReferences: [
        {
          apiVersion: 'kubevirt.io/v1',
          kind: 'VirtualMachineInstance',
          name: metadata.name,
          uid: metadata.uid ?? '',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      restartPolicy: 'Never',
      containers: [compute, ...disks.containers, ...sideContainers(vmi, kubevirt, image)],
      ...(initContainers.length > 0 ? { initContainers } : {}),
      nodeSelector: launcherSelector(vmi, kubevirt),
      ...(affinity ? { affinity } : {}),
      ...(spec.tolerations ? { tolerations: spec.tolerations } : {}),
      ...(spec.schedulerName ? { schedulerName: spec.schedulerName } : {}),
      ...(spec.priorityClassName ? { priorityClassName: spec.priorityClassName } : {}),
      ...(spec.topologySpreadConstraints
        ? { topologySpreadConstraints: spec.topologySpreadConstraints }
        : {}),
      hostname: hostnameOf(vmi),
      ...(spec.subdomain ? { subdomain: spec.subdomain } : {}),
      readinessGates: [{ conditionType: 'kubevirt.io/virtual-machine-unpaused' }],
      terminationGracePeriodSeconds: (spec.terminationGracePeriodSeconds ?? 30) + GRACE_MARGIN,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsUser: NON_ROOT,
        runAsGroup: NON_ROOT,
        runAsNonRoot: true,
        fsGroup: NON_ROOT,
      },
      volumes: [
        ...launcherVolumes(vmi),
        ...stateVolume(options.stateClaim),
        ...imageVolumes(vmi, kubevirt, images),
      ],
    },
  }
}

function hasConsoleLog({ spec }: Vmi, kubevirt: KubeVirt | undefined): boolean {
  const options = kubevirt?.spec.configuration?.['virtualMachineOptions'] as
    | { disableSerialConsoleLog?: unknown }
    | undefined
  const { logSerialConsole: asked, autoattachSerialConsole } = spec.domain?.devices ?? {}
  if (autoattachSerialConsole === false) return false
  return asked ?? options?.disableSerialConsoleLog === undefined
}

/** A restartable init container: it goes on beside the others, and counts like them. */
function consoleLog(vmi: Vmi, kubevirt: KubeVirt | undefined, image: string): Container[] {
  if (!hasConsoleLog(vmi, kubevirt)) return []
  const container: Container = {
    name: 'guest-console-log',
    image,
    restartPolicy: 'Always',
    command: ['/usr/bin/virt-tail'],
    resources: supportResourcesOf(vmi, kubevirt, 'guest-console-log', {
      requests: { cpu: '5m', memory: '35M' },
      limits: { cpu: '15m', memory: '60M' },
    }),
    securityContext: { ...nonRoot(), capabilities: { drop: ['ALL'] } },
  }
  return [container]
}

function nonRoot() {
  return { runAsUser: NON_ROOT, runAsNonRoot: true, allowPrivilegeEscalation: false }
}

/** Claims by name, so that what they need is seen; the guest's other disks live in the launcher's own folders. */
function launcherVolumes({ spec }: Vmi): NonNullable<Pod['spec']['volumes']> {
  const claims = (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, dataVolume }) => {
    const claimName = persistentVolumeClaim?.claimName ?? dataVolume?.name
    const hotplugged = persistentVolumeClaim?.hotpluggable ?? dataVolume?.hotpluggable ?? false
    return claimName && !hotplugged ? [{ name, persistentVolumeClaim: { claimName } }] : []
  })
  const folders = [
    'private',
    'public',
    'sockets',
    'virt-bin-share-dir',
    'libvirt-runtime',
    'ephemeral-disks',
    'container-disks',
    'hotplug-disks',
  ]
  return [...folders.map((name) => ({ name, emptyDir: {} })), ...claims]
}

function stateVolume(claimName: string | undefined): NonNullable<Pod['spec']['volumes']> {
  return claimName === undefined
    ? []
    : [{ name: STATE_VOLUME, persistentVolumeClaim: { claimName } }]
}
