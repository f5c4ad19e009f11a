import { isGateOn } from '../kubevirt/defaults.ts'
import { ownValue } from '../kubevirt/own-value.ts'
import type { Container, KubeVirt, Pod, Vmi } from '../kubevirt/types.ts'
import { supportResourcesOf } from './support-resources.ts'

type PodVolumes = NonNullable<Pod['spec']['volumes']>

const KERNEL_BOOT = 'kernel-boot-volume'
const DIGEST = '@sha256:'
const NON_ROOT = 107

interface Disk {
  name: string
  image: string
  imagePullPolicy?: string
}

/** Where the images of a guest's disks come from: by the disk's volume, with a digest once one is known. */
export type ImageIds = Record<string, string>

export type PinnedImages =
  | { ok: true; images: ImageIds }
  /** KubeVirt tries again with growing delays, without an event. */
  | { ok: false; error: string }

/**
 * The images that a target pod must have: those that the source pod runs, by digest. A tag may have been moved since
 * (fact sheet control-plane.md §2.7).
 */
export function pinnedImages(
  vmi: Vmi,
  { spec, status }: Pod,
  kubevirt: KubeVirt | undefined,
): PinnedImages {
  const images: ImageIds = Object.fromEntries(disksOf(vmi).map(({ name, image }) => [name, image]))
  const statuses = [...(status?.containerStatuses ?? [])]
  if (isGateOn(kubevirt, 'ImageVolume')) {
    statuses.push(...(status?.initContainerStatuses ?? []))
    for (const volume of spec.volumes ?? []) {
      const reference = (volume['image'] as { reference?: string } | undefined)?.reference
      if (images[volume.name] !== undefined && reference?.includes(DIGEST))
        images[volume.name] = reference
    }
  }
  for (const { name, imageID = '' } of statuses) {
    const volume = name.startsWith('volume') ? name.slice('volume'.length) : ''
    const image = images[volume]
    if (image === undefined) continue
    const digest = /sha256:([a-zA-Z0-9]+)/.exec(imageID)?.[1]
    if (digest === undefined) {
      const error = `can not proceed with the migration when no reproducible image digest can be detected: failed to identify image digest for container "${image}" with id "${imageID}"`
      return { ok: false, error }
    }
    images[volume] = `${withoutTag(image)}${DIGEST}${digest}`
  }
  return { ok: true, images }
}

/** As long as its digest is not known, each image has a container that only makes the kubelet tell it. */
export function imageContainers(
  vmi: Vmi,
  kubevirt: KubeVirt | undefined,
  images: ImageIds,
): { containers: Container[]; initContainers: Container[] } {
  const asVolumes = isGateOn(kubevirt, 'ImageVolume')
  const made = disksOf(vmi)
    .filter(({ name }) => !asVolumes || !ownValue(images, name)?.includes(DIGEST))
    .map((disk) => imageContainer(disk, vmi, kubevirt, images))
  // Before image volumes the disk came out of that container, which ran beside the guest.
  return asVolumes
    ? { containers: [], initContainers: made }
    : { containers: made, initContainers: [] }
}

/** Each image as a volume of the pod. */
export function imageVolumes(
  vmi: Vmi,
  kubevirt: KubeVirt | undefined,
  images: ImageIds,
): PodVolumes {
  if (!isGateOn(kubevirt, 'ImageVolume')) return []
  return disksOf(vmi).map(({ name, image, imagePullPolicy }) => ({
    name,
    image: {
      reference: ownValue(images, name) ?? image,
      ...(imagePullPolicy ? { pullPolicy: imagePullPolicy } : {}),
    },
  }))
}

function disksOf({ spec }: Vmi): Disk[] {
  const disks = (spec.volumes ?? []).flatMap(({ name, containerDisk }) =>
    containerDisk ? [{ ...(containerDisk as Omit<Disk, 'name'>), name }] : [],
  )
  const { firmware } = (spec.domain ?? {}) as {
    firmware?: { kernelBoot?: { container?: Omit<Disk, 'name'> } }
  }
  const kernel = firmware?.kernelBoot?.container
  return kernel?.image ? [...disks, { ...kernel, name: KERNEL_BOOT }] : disks
}

function imageContainer(
  { name, image, imagePullPolicy }: Disk,
  vmi: Vmi,
  kubevirt: KubeVirt | undefined,
  images: ImageIds,
): Container {
  return {
    name: `volume${name}`,
    image: ownValue(images, name) ?? image,
    ...(imagePullPolicy ? { imagePullPolicy } : {}),
    command: ['/usr/bin/container-disk'],
    args: ['--no-op'],
    resources: supportResourcesOf(vmi, kubevirt, 'container-disk', {
      requests: { cpu: '1m', memory: '1M', 'ephemeral-storage': '50M' },
      limits: { cpu: '10m', memory: '40M' },
    }),
    securityContext: {
      runAsUser: NON_ROOT,
      runAsNonRoot: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    },
  }
}

function withoutTag(image: string): string {
  const digest = image.indexOf(DIGEST)
  if (digest >= 0) return image.slice(0, digest)
  const colon = image.lastIndexOf(':')
  return colon > image.lastIndexOf('/') ? image.slice(0, colon) : image
}
