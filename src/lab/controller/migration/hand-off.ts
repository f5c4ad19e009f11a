import { ANNOTATION, LABEL } from '../../../kubevirt/labels.ts'
import { conditionOf } from '../../../kubevirt/migration.ts'
import { add, formatQuantity, parseQuantity, unitsOf, ZERO } from '../../../kubevirt/quantity.ts'
import type { Migration, MigrationState, Pod, Vmi } from '../../../kubevirt/types.ts'
import { configurationOf, settingsFor } from '../../../rules/configuration.ts'
import { halfOf } from '../../../rules/decentralized.ts'
import { overheadQuantity } from '../../../rules/launcher-memory.ts'
import { policyFor } from '../../../rules/policy.ts'
import type { PatchOperation } from './actions.ts'
import { receivedState } from './halves.ts'
import type { Situation } from './situation.ts'

/**
 * The VMI's slot, wholly new, and the label of the target node. Policy and settings are resolved here and hold for the
 * whole migration. Fails when the VMI is no longer as it was seen.
 */
export function handOffPatch(situation: Situation, targetPod: Pod): PatchOperation[] {
  const { vmi } = situation
  const { labels } = vmi.metadata
  const before = vmi.status?.migrationState
  const targetNode = targetPod.spec.nodeName ?? ''
  const patch: PatchOperation[] = []
  if (before) patch.push({ op: 'test', path: '/status/migrationState', value: before })
  patch.push({ op: 'add', path: '/status/migrationState', value: newState(situation, targetPod) })
  if (labels) patch.push({ op: 'test', path: '/metadata/labels', value: labels })
  const value = {
    ...labels,
    [LABEL.migrationTargetNode]: targetNode,
    ...hotplugLabels(vmi, targetPod),
  }
  patch.push({ op: 'add', path: '/metadata/labels', value })
  return patch
}

/** What a hotplug that rides on this move may count on: virt-handler reads it from the VMI. */
function hotplugLabels(vmi: Vmi, targetPod: Pod): Record<string, string> {
  const { requests, limits } =
    targetPod.spec.containers.find(({ name }) => name === 'compute')?.resources ?? {}
  const cpus = parseQuantity(limits?.['cpu'])
  const dedicated = vmi.spec.domain?.cpu?.dedicatedCpuPlacement === true
  const memory = ['memory', 'hugepages-2Mi', 'hugepages-1Gi']
    .map((resource) => parseQuantity(requests?.[resource]) ?? ZERO)
    .reduce(add)
  return {
    ...(cpus && dedicated && conditionOf(vmi, 'HotVCPUChange')?.status === 'True'
      ? { [LABEL.podCpuLimits]: String(unitsOf(cpus)) }
      : {}),
    ...(conditionOf(vmi, 'HotMemoryChange')?.status === 'True'
      ? { [LABEL.podMemoryRequests]: formatQuantity(memory) }
      : {}),
  }
}

function newState(situation: Situation, targetPod: Pod): MigrationState {
  const { migration, vmi, sourcePod, attachmentPod, policies, namespace, kubevirt } = situation
  const { winner } = policyFor(policies, vmi.metadata.labels, namespace?.metadata.labels)
  const overhead = Number(targetPod.metadata.annotations?.[ANNOTATION.memoryOverheadBytes])
  const state: MigrationState = {
    ...(migration.metadata.uid ? { migrationUid: migration.metadata.uid } : {}),
    targetNode: targetPod.spec.nodeName ?? '',
    targetPod: targetPod.metadata.name,
    sourceNode: vmi.status?.nodeName ?? '',
    ...(sourcePod ? { sourcePod: sourcePod.metadata.name } : {}),
    ...stateClaims(migration),
    ...(attachmentPod?.metadata.uid ? { targetAttachmentPodUID: attachmentPod.metadata.uid } : {}),
    ...(winner ? { migrationPolicyName: winner.policy.metadata.name } : {}),
    migrationConfiguration: configurationOf(settingsFor(kubevirt, winner?.policy)),
    ...(overhead > 0 ? { targetMemoryOverhead: overheadQuantity(overhead) } : {}),
  }
  return halfOf(migration) === 'target' ? { ...state, ...receivedState(situation, state) } : state
}

/** As they were chosen when the target pod was made. */
function stateClaims({ status }: Migration): MigrationState {
  const { sourcePersistentStatePVCName: source, targetPersistentStatePVCName: target } =
    status?.migrationState ?? {}
  return {
    ...(source ? { sourcePersistentStatePVCName: source } : {}),
    ...(target ? { targetPersistentStatePVCName: target } : {}),
  }
}
