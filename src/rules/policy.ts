import { ownValue } from '../kubevirt/own-value.ts'
import type { MigrationPolicy } from '../kubevirt/types.ts'

export interface PolicyMatch {
  policy: MigrationPolicy
  /** How many pairs of its selectors are on the VMI, and how many on the namespace. */
  vmiLabels: number
  namespaceLabels: number
}

/** All that match, the winner first. None is no error: the cluster's settings hold. */
export interface PolicyDecision {
  winner: PolicyMatch | undefined
  matches: PolicyMatch[]
}

type Labels = Record<string, string> | undefined

/**
 * Which policy holds for this VM? Most matched pairs win, then the most of them on the VMI, then the smallest name. It is
 * resolved once, at hand-off (fact sheet control-plane.md §1.7).
 */
export function policyFor(
  policies: readonly MigrationPolicy[],
  vmiLabels: Labels,
  namespaceLabels: Labels,
): PolicyDecision {
  const matches = policies
    .flatMap((policy) => matchOf(policy, vmiLabels, namespaceLabels) ?? [])
    .sort(byRank)
  return { winner: matches[0], matches }
}

/** Undefined where a selector does not fit; a policy without selectors never does. */
function matchOf(
  policy: MigrationPolicy,
  vmiLabels: Labels,
  namespaceLabels: Labels,
): PolicyMatch | undefined {
  const { selectors } = policy.spec
  if (!selectors) return undefined
  const wanted = Object.entries(selectors.virtualMachineInstanceSelector ?? {})
  const around = Object.entries(selectors.namespaceSelector ?? {})
  // KubeVirt looks at neither selector when the VMI has no labels at all.
  if (vmiLabels) {
    if (!wanted.every(([key, value]) => vmiLabels[key] === value)) return undefined
    if (!around.every(([key, value]) => namespaceLabels?.[key] === value)) return undefined
  }
  return { policy, vmiLabels: wanted.length, namespaceLabels: around.length }
}

function byRank(a: PolicyMatch, b: PolicyMatch): number {
  return (
    b.vmiLabels + b.namespaceLabels - (a.vmiLabels + a.namespaceLabels) ||
    b.vmiLabels - a.vmiLabels ||
    (a.policy.metadata.name < b.policy.metadata.name ? -1 : 1)
  )
}

/** A pair of a selector that does not hold. */
export interface PolicyMismatch {
  on: 'vmi' | 'namespace'
  key: string
  wants: string
  has: string | undefined
}

/** Why a policy does not match; empty where it does, and where it has no selectors. */
export function mismatchesOf(
  { spec: { selectors } }: MigrationPolicy,
  vmiLabels: Labels,
  namespaceLabels: Labels,
): PolicyMismatch[] {
  if (!vmiLabels) return []
  const missing = (on: PolicyMismatch['on'], selector: Labels, labels: Labels) =>
    Object.entries(selector ?? {})
      .map(([key, wants]) => ({ on, key, wants, has: ownValue(labels, key) }))
      .filter(({ wants, has }) => wants !== has)
  return [
    ...missing('vmi', selectors?.virtualMachineInstanceSelector, vmiLabels),
    ...missing('namespace', selectors?.namespaceSelector, namespaceLabels),
  ]
}
