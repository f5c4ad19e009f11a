import { labelKeyFaults, labelValueFaults } from '../formats.ts'
import type { FieldError } from '../status.ts'
import { forbidden, invalid, required, wellFormed } from './faults.ts'

interface Selector {
  matchLabels?: Record<string, string>
  matchExpressions?: { key?: string; operator?: string; values?: string[] }[]
}

/** What is wrong with a selector of labels, of whatever kind. */
export function selectorFaults(field: string, selector: unknown): FieldError[] {
  const { matchLabels = {}, matchExpressions = [] } = (selector ?? {}) as Selector
  return [
    ...Object.entries(matchLabels).flatMap(([key, value]) => [
      ...wellFormed(`${field}.matchLabels`, key, labelKeyFaults),
      ...wellFormed(`${field}.matchLabels`, value, labelValueFaults),
    ]),
    ...matchExpressions.flatMap(({ key = '', operator = '', values = [] }, i) => {
      const at = `${field}.matchExpressions[${i}]`
      return [
        ...operatorFaults(at, operator, values),
        ...labelKeyFaults(key).map((why) => invalid(`${at}.key`, key, why)),
      ]
    }),
  ]
}

function operatorFaults(at: string, operator: string, values: string[]): FieldError[] {
  if (operator === 'In' || operator === 'NotIn')
    return values.length > 0
      ? []
      : [
          {
            ...required(`${at}.values`),
            message: "Required value: must be specified when `operator` is 'In' or 'NotIn'",
          },
        ]
  if (operator === 'Exists' || operator === 'DoesNotExist')
    return values.length === 0
      ? []
      : [
          forbidden(
            `${at}.values`,
            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
          ),
        ]
  return [invalid(`${at}.operator`, operator, 'not a valid selector operator')]
}
