import { ANNOTATION, LABEL } from '../kubevirt/labels.ts'
import type { Container, Migration, Node, Pod, Vmi } from '../kubevirt/types.ts'
import { pinnedImages } from './container-disks.ts'
import { awayFromItself, launcherAffinity, targetSelector } from './launcher-placement.ts'
import { type LauncherOptions, launcherPod, type PodTemplate } from './launcher-pod.ts'

export type TargetPod =
  | { ok: true; pod: PodTemplate }
  /** KubeVirt tries again with growing delays; there is no event, and the migration stays Pending. */
  | { ok: false; error: string }

export interface TargetOptions extends LauncherOptions {
  /** Undefined when the VM's node is not there any more. */
  sourceNode: Node | undefined
  sourcePod: Pod
}

/** The pod that a migration's target launcher runs in: the launcher pod of the VM as it is now, and what a move adds (§2.7). */
export function targetPod(vmi: Vmi, migration: Migration, options: TargetOptions): TargetPod {
  const { sourceNode, sourcePod, kubevirt } = options
  const pinned = pinnedImages(vmi, sourcePod, kubevirt)
  if (!pinned.ok) return pinned
  const base = launcherPod(vmi, { ...options, images: pinned.images })
  if (!sourceNode) {
    const error = `node "${vmi.status?.nodeName ?? ''}" associated with vmi "${vmi.metadata.name}" does not exist`
    return { ok: false, error }
  }
  const level = selinuxLevel(vmi, options)
  if (!level.ok) return level
  const selection = targetSelector(
    base.spec.nodeSelector ?? {},
    migration.spec.addedNodeSelector,
    vmi,
    sourceNode,
    sourcePod,
  )
  if (!selection.ok) return selection
  return {
    ok: true,
    pod: {
      ...base,
      metadata: {
        ...base.metadata,
        labels: { ...base.metadata.labels, [LABEL.migrationJobUid]: migration.metadata.uid ?? '' },
        annotations: {
          ...base.metadata.annotations,
          [ANNOTATION.migrationJobName]: migration.metadata.name,
        },
      },
      spec: {
        ...base.spec,
        containers: withImage(base.spec.containers, migration),
        nodeSelector: selection.selector,
        affinity: awayFromItself(launcherAffinity(vmi), vmi),
        securityContext: { ...base.spec.securityContext, ...level.options },
      },
    },
  }
}

/** KubeVirt's own tests may have the launcher be of another image. */
function withImage(containers: Container[], { metadata }: Migration): Container[] {
  const image = metadata.annotations?.[ANNOTATION.targetImageOverride]
  if (!image) return containers
  return containers.map((one) => (one.name === 'compute' ? { ...one, image } : one))
}

type Level = { ok: true; options: object } | { ok: false; error: string }

/** The target's files must carry the level that the guest's process has on the source. */
function selinuxLevel(vmi: Vmi, { kubevirt }: TargetOptions): Level {
  const migrations = kubevirt?.spec.configuration?.migrations
  if (migrations?.matchSELinuxLevelOnMigration === false) return { ok: true, options: {} }
  const context = vmi.status?.selinuxContext ?? ''
  if (context === '') return { ok: false, error: 'SELinux context not set on VMI status' }
  if (context === 'none') return { ok: true, options: {} }
  const parts = context.split(':')
  if (parts.length < 3) return { ok: false, error: 'Invalid label' }
  const level = parts.slice(3).join(':')
  return { ok: true, options: level === '' ? {} : { seLinuxOptions: { level } } }
}
