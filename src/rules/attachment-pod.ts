import { ANNOTATION, LABEL } from '../kubevirt/labels.ts'
import type { KubeVirt, Migration, Pod, Quantity, VmiVolume } from '../kubevirt/types.ts'
import { claimOf } from '../kubevirt/volumes.ts'
import { LAUNCHER_IMAGE, type PodTemplate } from './launcher-pod.ts'

type Resources = Record<string, Quantity>

/**
 * The pod that brings hotplugged volumes to a launcher's node: all claims in one, owned by the launcher, on its node
 * (fact sheet control-plane.md §2.7). For the target of a migration it says of which.
 */
export function attachmentPod(
  launcher: Pod,
  volumes: readonly VmiVolume[],
  kubevirt: KubeVirt | undefined,
  migration?: Migration,
): PodTemplate {
  const { namespace, name, uid = '' } = launcher.metadata
  const hostname = {
    key: 'kubernetes.io/hostname',
    operator: 'In',
    values: [launcher.spec.nodeName],
  }
  return {
    metadata: {
      generateName: 'hp-volume-',
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        [LABEL.app]: 'hotplug-disk',
        ...(migration ? { [LABEL.migrationJobUid]: migration.metadata.uid ?? '' } : {}),
      },
      ...(migration
        ? { annotations: { [ANNOTATION.migrationJobName]: migration.metadata.name } }
        : {}),
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Pod', name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: {
      containers: [
        {
          name: 'hotplug-disk',
          image: LAUNCHER_IMAGE,
          command: ['/usr/bin/container-disk', '--copy-path', '/path/hp'],
          resources: resourcesOf(kubevirt),
          securityContext: {
            allowPrivilegeEscalation: false,
            runAsNonRoot: true,
            runAsUser: 107,
            capabilities: { drop: ['ALL'] },
            seccompProfile: { type: 'RuntimeDefault' },
          },
        },
      ],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [hostname] }],
          },
        },
      },
      ...(launcher.spec.tolerations ? { tolerations: launcher.spec.tolerations } : {}),
      terminationGracePeriodSeconds: 0,
      volumes: [
        { name: 'hotplug-disks', emptyDir: {} },
        ...volumes.flatMap((volume) => {
          const claimName = claimOf(volume)
          return claimName ? [{ name: volume.name, persistentVolumeClaim: { claimName } }] : []
        }),
      ],
    },
  }
}

/** Small, unless the cluster says otherwise (`supportContainerResources`). */
function resourcesOf(kubevirt: KubeVirt | undefined): { requests: Resources; limits: Resources } {
  const configured = kubevirt?.spec.configuration?.['supportContainerResources'] as
    | { type: string; resources?: { requests?: Resources; limits?: Resources } }[]
    | undefined
  const own = configured?.find(({ type }) => type === 'hotplug-disk')?.resources
  return {
    requests: { cpu: '10m', memory: '2M', ...own?.requests },
    limits: { cpu: '100m', memory: '80M', ...own?.limits },
  }
}

/** Whether an attachment pod holds just these volumes. */
export function attaches({ spec }: Pod, volumes: readonly VmiVolume[]): boolean {
  const held = (spec.volumes ?? []).filter(
    (volume) => volume['persistentVolumeClaim'] !== undefined,
  )
  return (
    held.length === volumes.length &&
    volumes.every(({ name }) => held.some((volume) => volume.name === name))
  )
}
