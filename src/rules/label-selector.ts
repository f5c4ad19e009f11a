import { ownValue } from '../kubevirt/own-value.ts'

/** A `metav1.LabelSelector`: all its parts must hold. */
export interface LabelSelector {
  matchLabels?: Record<string, string>
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}

/** An absent selector selects nothing, an empty one everything, as Kubernetes has it for the terms of an affinity. */
export function selects(
  selector: LabelSelector | null | undefined,
  labels: Record<string, string> = {},
): boolean {
  if (!selector) return false
  const pairs = Object.entries(selector.matchLabels ?? {})
  return (
    pairs.every(([key, value]) => ownValue(labels, key) === value) &&
    (selector.matchExpressions ?? []).every((requirement) => holds(requirement, labels))
  )
}

/**
 * One requirement of a label or node selector. Gt and Lt exist for nodes only and compare whole numbers;
 * an operator of a newer release holds for nothing.
 */
export function holds(
  { key, operator, values = [] }: { key: string; operator: string; values?: string[] },
  labels: Record<string, string>,
): boolean {
  const value = ownValue(labels, key)
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0])
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0])
    default:
      return false
  }
}
