import { sameValue } from '../kubevirt/equality.ts'
import { ANNOTATION, LABEL } from '../kubevirt/labels.ts'
import type { KubeVirt, Migration, Pod, Toleration, VmiVolume } from '../kubevirt/types.ts'
import { claimOf } from '../kubevirt/volumes.ts'
import { LAUNCHER_IMAGE, type PodTemplate } from './launcher-pod.ts'
import { supportResources } from './support-resources.ts'

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
          resources: supportResources(kubevirt, 'hotplug-disk', {
            requests: { cpu: '10m', memory: '2M' },
            limits: { cpu: '100m', memory: '80M' },
          }),
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
      tolerations: tolerations(launcher),
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

/** A node on which no other pod may start now: the launcher is there already. */
function tolerations(launcher: Pod): Toleration[] {
  const kinds = [
    'unschedulable',
    'network-unavailable',
    'disk-pressure',
    'memory-pressure',
    'pid-pressure',
  ]
  const own = kinds.map((kind) => ({
    key: `node.kubernetes.io/${kind}`,
    operator: 'Exists',
    effect: 'NoSchedule',
  }))
  const others = (launcher.spec.tolerations ?? []).filter(
    (one) => !own.some((known) => sameValue(known, one)),
  )
  return [...own, ...others].sort((a, b) => (a.key ?? '').localeCompare(b.key ?? ''))
}

export interface AttachmentPlan {
  /** The pod that holds just these volumes, if there is one. */
  current: Pod | undefined
  create: boolean
  remove: Pod[]
}

/**
 * What becomes of a launcher's attachment pods when these volumes are plugged in: one pod holds them all, and the newest
 * of those that hold anything else stays until that one runs.
 */
export function attachments(
  present: readonly Pod[],
  volumes: readonly VmiVolume[],
): AttachmentPlan {
  const current = present.find((pod) => attaches(pod, volumes))
  const old = present.filter((pod) => !attaches(pod, volumes)).sort(newestFirst)
  const starting = old.some(
    ({ status }) => !['Running', 'Succeeded', 'Failed'].includes(status?.phase ?? ''),
  )
  const needed = volumes.length > 0 && current?.status?.phase !== 'Running'
  const kept = needed
    ? old.find(({ status, metadata }) => status?.phase === 'Running' && !metadata.deletionTimestamp)
    : undefined
  return {
    current,
    create: volumes.length > 0 && !current && !starting,
    remove: old.filter((pod) => pod !== kept),
  }
}

function attaches({ spec }: Pod, volumes: readonly VmiVolume[]): boolean {
  const held = (spec.volumes ?? []).filter(
    (volume) => volume['persistentVolumeClaim'] !== undefined,
  )
  return (
    held.length === volumes.length &&
    volumes.every(({ name }) => held.some((volume) => volume.name === name))
  )
}

function newestFirst(a: Pod, b: Pod): number {
  return (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? '')
}
