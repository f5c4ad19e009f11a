import { ANNOTATION, LABEL } from '../kubevirt/labels.ts'
import type { Container, Migration, Node, Pod, Vmi } from '../kubevirt/types.ts'
import { pinnedImages } from './container-disks.ts'
import { sourceStateOf } from './decentralized.ts'
import {
  awayFromItself,
  awayFromNode,
  hostModelOf,
  isHostModel,
  launcherAffinity,
  NO_HOST_MODEL,
  targetSelector,
} from './launcher-placement.ts'
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

/** The pod that a guest of another cluster arrives in: as if its VM were started here, but for what the source asks (§2.7). */
export function receivingPod(vmi: Vmi, migration: Migration, options: LauncherOptions): TargetPod {
  const base = launcherPod(vmi, options)
  const { node = '', nodeSelectors = {}, selinuxContext = '' } = sourceStateOf(vmi)
  const level = selinuxLevel(selinuxContext, options)
  if (!level.ok) return level
  const model = isHostModel(vmi) ? hostModelOf(nodeSelectors) : {}
  if (!model) return { ok: false, error: NO_HOST_MODEL }
  return asTarget(base, migration, {
    nodeSelector: { ...migration.spec.addedNodeSelector, ...base.spec.nodeSelector, ...model },
    affinity: awayFromNode(launcherAffinity(vmi), node),
    securityContext: { ...base.spec.securityContext, ...level.options },
  })
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
  const level = selinuxLevel(vmi.status?.selinuxContext ?? '', options)
  if (!level.ok) return level
  const selection = targetSelector(
    base.spec.nodeSelector ?? {},
    migration.spec.addedNodeSelector,
    vmi,
    sourceNode,
    sourcePod,
  )
  if (!selection.ok) return selection
  return asTarget(base, migration, {
    nodeSelector: selection.selector,
    affinity: awayFromItself(launcherAffinity(vmi), vmi),
    securityContext: { ...base.spec.securityContext, ...level.options },
  })
}

/** Whose it is, and where it may run. */
function asTarget(
  { metadata, spec, ...base }: PodTemplate,
  migration: Migration,
  placement: Partial<PodTemplate['spec']>,
): TargetPod {
  const { uid = '', name } = migration.metadata
  return {
    ok: true,
    pod: {
      ...base,
      metadata: {
        ...metadata,
        labels: { ...metadata.labels, [LABEL.migrationJobUid]: uid },
        annotations: { ...metadata.annotations, [ANNOTATION.migrationJobName]: name },
      },
      spec: { ...spec, containers: withImage(spec.containers, migration), ...placement },
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
function selinuxLevel(context: string, { kubevirt }: LauncherOptions): Level {
  const migrations = kubevirt?.spec.configuration?.migrations
  if (migrations?.matchSELinuxLevelOnMigration === false) return { ok: true, options: {} }
  if (context === '') return { ok: false, error: 'SELinux context not set on VMI status' }
  if (context === 'none') return { ok: true, options: {} }
  const parts = context.split(':')
  if (parts.length < 3) return { ok: false, error: 'Invalid label' }
  const level = parts.slice(3).join(':')
  return { ok: true, options: level === '' ? {} : { seLinuxOptions: { level } } }
}
