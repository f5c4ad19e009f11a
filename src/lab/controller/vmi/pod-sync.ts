import { LABEL } from '../../../kubevirt/labels.ts'
import { conditionOf } from '../../../kubevirt/migration.ts'
import { NETWORKS_ANNOTATION } from '../../../kubevirt/multus.ts'
import { isPodReady } from '../../../kubevirt/pods.ts'
import { timestamp } from '../../../kubevirt/time.ts'
import type { Condition, Pod, Vmi } from '../../../kubevirt/types.ts'
import { multusUpdate } from '../../../rules/launcher-metadata.ts'
import { type PatchOperation, pointer } from '../migration/actions.ts'

/** Labels of the VMI that follow it onto the pod it runs in, and only onto that. */
const FOLLOWING = [LABEL.nodeName, LABEL.outdatedLauncherImage]
const EVICTING = 'descheduler.alpha.kubernetes.io/eviction-in-progress'

/** What the VMI's current pod lacks: labels, networks to be attached, and word of an eviction that is under way. */
export function podPatch(vmi: Vmi, pod: Pod): PatchOperation[] {
  const { metadata } = pod
  const before = metadata.labels ?? {}
  const labels = { ...before }
  for (const key of FOLLOWING) {
    const value = vmi.metadata.labels?.[key]
    if (value === undefined) delete labels[key]
    else labels[key] = value
  }
  const patch: PatchOperation[] = []
  if (FOLLOWING.some((key) => labels[key] !== before[key]))
    patch.push(
      { op: 'test', path: '/metadata/labels', value: before },
      { op: 'replace', path: '/metadata/labels', value: labels },
    )
  if (!isPodReady(pod)) return patch
  const networks = multusUpdate(vmi, pod)
  if (networks !== undefined) {
    const at = pointer('metadata', 'annotations', NETWORKS_ANNOTATION)
    patch.push({ op: 'add', path: at, value: networks })
  }
  const evicting = Boolean(vmi.status?.evacuationNodeName)
  const path = pointer('metadata', 'annotations', EVICTING)
  const marked = metadata.annotations?.[EVICTING] !== undefined
  if (evicting && !marked) patch.push({ op: 'add', path, value: 'true' })
  if (!evicting && marked) patch.push({ op: 'remove', path })
  return patch
}

const GATE = 'kubevirt.io/virtual-machine-unpaused'

/** The pod's readiness gate: undefined when it says already what is so. */
export function unpausedCondition(vmi: Vmi, pod: Pod, now: number): Condition | undefined {
  const paused = conditionOf(vmi, 'Paused')?.status === 'True'
  const status = paused ? 'False' : 'True'
  const before = conditionOf(pod, GATE)?.status
  // The pod of a guest that came paused has no such condition until it goes on.
  if (before === status || (paused && before !== 'True')) return undefined
  const time = timestamp(now)
  return {
    type: GATE,
    status,
    reason: paused ? 'Paused' : 'NotPaused',
    message: paused ? 'the virtual machine is paused' : 'the virtual machine is not paused',
    lastProbeTime: time,
    lastTransitionTime: time,
  }
}
