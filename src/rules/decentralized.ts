import { ANNOTATION, LABEL } from '../kubevirt/labels.ts'
import type { Migration, Vm, Vmi } from '../kubevirt/types.ts'
import { isDecentralized } from './admission.ts'

/** A migration between clusters has two halves, one in each: the one that sends its VM, and the one that receives it. */
export type Half = 'source' | 'target'

/** Undefined for a migration within the cluster (fact sheet control-plane.md §1.2). */
export function halfOf({ spec }: Pick<Migration, 'spec'>): Half | undefined {
  if (!isDecentralized(spec)) return undefined
  return spec.sendTo ? 'source' : 'target'
}

/** What virt-synchronization-controller carries from the source's VMI to the target's. */
interface SourceState {
  migrationUID?: string
  node?: string
  pod?: string
  nodeSelectors?: Record<string, string>
  selinuxContext?: string
}

/** And what it brings back. */
interface TargetState {
  migrationUID?: string
  node?: string
  pod?: string
  nodeAddress?: string
}

export function sourceStateOf(vmi: Vmi | undefined): SourceState {
  return (vmi?.status?.migrationState?.sourceState ?? {}) as SourceState
}

export function targetStateOf(vmi: Vmi | undefined): TargetState {
  return (vmi?.status?.migrationState?.targetState ?? {}) as TargetState
}

/** Each half knows of the other; within a cluster there is nothing to know but the slot. */
export function isSynchronized(migration: Migration, vmi: Vmi | undefined): boolean {
  if (!vmi?.status?.migrationState) return false
  if (halfOf(migration) === undefined) return true
  return Boolean(sourceStateOf(vmi).migrationUID && targetStateOf(vmi).migrationUID)
}

/** The source has told where its guest runs, and what that asks of a node. */
export function isSourceKnown(vmi: Vmi | undefined): boolean {
  const { migrationUID, node, pod, nodeSelectors } = sourceStateOf(vmi)
  return Boolean(migrationUID && node && pod && Object.keys(nodeSelectors ?? {}).length > 0)
}

/** A VMI that was made to receive a guest, and has not been told of one yet (§2.15): it has no pod of its own making. */
export function awaitsSource({ metadata }: Vmi): boolean {
  const isReceiver = metadata.annotations?.[ANNOTATION.receiver] === 'true'
  return isReceiver && metadata.labels?.[LABEL.migrationTargetNode] === undefined
}

/** Its guest has left for another cluster, or come from one. */
export function hasCrossed({ status }: Vmi): boolean {
  const { sourceState, completed, failed } = status?.migrationState ?? {}
  return sourceState !== undefined && completed === true && failed !== true
}

/** How a VM is to run once its guest has crossed: where it left, not at all; where it arrived, as it is to be there. */
export function strategyAfterCrossing(vm: Vm, vmi: Vmi | undefined): string | undefined {
  if (!vmi || !hasCrossed(vmi)) return undefined
  const { phase } = vmi.status ?? {}
  if (vm.spec.runStrategy !== 'WaitAsReceiver') return phase === 'Succeeded' ? 'Halted' : undefined
  return phase === 'Running' ? vm.metadata.annotations?.[ANNOTATION.restoreStrategy] : undefined
}
