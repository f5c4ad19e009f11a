import { sameValue } from '../../../kubevirt/equality.ts'
import { NODE_LABEL } from '../../../kubevirt/node-labels.ts'
import type { MigrationState } from '../../../kubevirt/types.ts'
import { sourceStateOf, targetStateOf } from '../../../rules/decentralized.ts'
import type { Action } from './actions.ts'
import type { Situation } from './situation.ts'

/**
 * Migrations between clusters: what the halves write into their VMIs for virt-synchronization-controller to carry across
 * (fact sheet control-plane.md §2.5, §2.15).
 */
export function synchronizing(situation: Situation): Action[] {
  const { migration, vmi } = situation
  const { uid = '' } = migration.metadata
  const { sourceState, targetState, ...state } = startingState(situation)
  return stateActions(situation, {
    ...state,
    sourceState: { ...sourceState, migrationUID: uid, virtualMachineInstanceUID: vmi.metadata.uid },
    targetState: { ...targetState, syncAddress: migration.spec.sendTo?.connectURL },
  })
}

export function waitingForSync(situation: Situation): Action[] {
  const { migration } = situation
  const { uid = '' } = migration.metadata
  const { targetState, ...state } = startingState(situation)
  const place = {
    ...(state.targetPod ? { pod: state.targetPod } : {}),
    ...(state.targetNode ? { node: state.targetNode } : {}),
  }
  return stateActions(situation, {
    ...state,
    targetState: { ...targetState, ...place, migrationUID: uid },
  })
}

/** Where the guest runs, and what its node is: the target's pod is made by that. */
export function sourceTold(situation: Situation): Action[] {
  const { migration, vmi, sourceNode } = situation
  const { uid = '' } = migration.metadata
  if (vmi.status?.phase !== 'Running') return []
  const { nodeName = '', selinuxContext, migrationState } = vmi.status
  const pod = migration.status?.migrationState?.sourcePod ?? ''
  const nodeSelectors = Object.fromEntries(
    Object.entries(sourceNode?.metadata.labels ?? {}).filter(
      ([key]) =>
        key.startsWith(NODE_LABEL.hostModelCpu) || key.startsWith(NODE_LABEL.hostModelFeatures),
    ),
  )
  return stateActions(situation, {
    ...migrationState,
    migrationUid: uid,
    sourceNode: nodeName,
    sourcePod: pod,
    sourceState: {
      ...sourceStateOf(vmi),
      node: nodeName,
      pod,
      nodeSelectors,
      ...(selinuxContext ? { selinuxContext } : {}),
    },
  })
}

/** At hand-off, beside what every target gets. */
export function receivedState({ vmi, migration }: Situation, target: MigrationState): object {
  return {
    sourceNode: sourceStateOf(vmi).node ?? '',
    sourceState: sourceStateOf(vmi),
    targetState: {
      ...targetStateOf(vmi),
      migrationUID: migration.metadata.uid,
      node: target.targetNode,
      pod: target.targetPod,
      virtualMachineInstanceUID: vmi.metadata.uid,
      domainNamespace: vmi.metadata.namespace,
      domainName: vmi.metadata.name,
    },
  }
}

/** The slot as it is, unless an earlier migration has ended in it. */
function startingState({ vmi }: Situation): MigrationState {
  const state = vmi.status?.migrationState
  return state && !state.completed ? state : {}
}

function stateActions({ vmi }: Situation, value: object): Action[] {
  const before = vmi.status?.migrationState
  if (sameValue(before, value)) return []
  const path = '/status/migrationState'
  const test = before ? [{ op: 'test' as const, path, value: before }] : []
  return [{ do: 'patch-vmi', patch: [...test, { op: 'add', path, value }] }]
}
