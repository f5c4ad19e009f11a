import { LABEL } from '../../../kubevirt/labels.ts'
import { conditionOf } from '../../../kubevirt/migration.ts'
import { timestamp } from '../../../kubevirt/time.ts'
import type { Condition, Pod, Vmi } from '../../../kubevirt/types.ts'
import { type PatchOperation, pointer } from '../migration/actions.ts'

/** Labels of the VMI that follow it onto the pod it runs in, and only onto that. */
const FOLLOWING = [LABEL.nodeName, LABEL.outdatedLauncherImage]
const EVICTING = 'descheduler.alpha.kubernetes.io/eviction-in-progress'

/** What the VMI's current pod lacks: labels, and word of an eviction that is under way. */
export function podPatch(vmi: Vmi, { metadata }: Pod): PatchOperation[] {
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
  if (conditionOf(pod, GATE)?.status === status) return undefined
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
