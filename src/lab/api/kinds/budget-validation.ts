import type { ApiObject } from '../kind.ts'
import type { FieldError } from '../status.ts'
import { invalid } from './faults.ts'
import { pick } from './fields.ts'
import { selectorFaults } from './selector-validation.ts'

const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"

export function budgetFaults(object: ApiObject): FieldError[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = (pick(
    object,
    'spec',
  ) ?? {}) as Record<string, unknown>
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const inside = {
      MinAvailable: minAvailable,
      Selector: selector ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
    }
    return [invalid('spec', inside, 'minAvailable and maxUnavailable cannot be both set')]
  }
  return [
    ...shareFaults('spec.minAvailable', minAvailable),
    ...shareFaults('spec.maxUnavailable', maxUnavailable),
    ...selectorFaults('spec.selector', selector),
  ]
}

function shareFaults(field: string, share: unknown): FieldError[] {
  if (typeof share === 'number')
    return share < 0 ? [invalid(field, share, 'must be greater than or equal to 0')] : []
  if (typeof share !== 'string') return []
  if (!/^\d+%$/.test(share)) return [invalid(field, share, PERCENT)]
  return Number.parseInt(share, 10) > 100
    ? [invalid(field, share, 'must not be greater than 100%')]
    : []
}
