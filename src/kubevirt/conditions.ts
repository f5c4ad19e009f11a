import type { Condition } from './types.ts'

/**
 * The conditions with this one. One that says the same stays as it is, its message and times too: KubeVirt looks at status
 * and reason only (fact sheet control-plane.md §1.3).
 */
export function withCondition(conditions: readonly Condition[], condition: Condition): Condition[] {
  const before = conditions.find(({ type }) => type === condition.type)
  if (!before) return [...conditions, condition]
  if (before.status === condition.status && (before.reason ?? '') === (condition.reason ?? ''))
    return [...conditions]
  return conditions.map((current) => (current === before ? condition : current))
}

export function withoutCondition(conditions: readonly Condition[], type: string): Condition[] {
  return conditions.filter((condition) => condition.type !== type)
}
