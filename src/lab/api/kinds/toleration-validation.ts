import type { Taint, Toleration } from '../../../kubevirt/types.ts'
import { labelKeyFaults, labelValueFaults } from '../formats.ts'
import type { FieldError } from '../status.ts'
import { invalid, oneOf, required, wellFormed } from './faults.ts'

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

export function tolerationFaults(at: string, toleration: Toleration): FieldError[] {
  const { key = '', operator = 'Equal', value = '', effect = '', tolerationSeconds } = toleration
  const faults = wellFormed(`${at}.key`, key, labelKeyFaults)
  if (key === '' && operator !== 'Exists')
    faults.push(
      invalid(
        `${at}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    )
  if (tolerationSeconds !== undefined && effect !== 'NoExecute')
    faults.push(
      invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"),
    )
  if (operator === 'Equal') faults.push(...wellFormed(`${at}.operator`, value, labelValueFaults))
  else if (operator === 'Exists' && value !== '')
    faults.push(invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"))
  faults.push(...oneOf(`${at}.operator`, operator, ['Equal', 'Exists']))
  faults.push(...oneOf(`${at}.effect`, effect, EFFECTS))
  return faults
}

/** Of a node, whose taints Kubernetes looks for in its metadata when it complains of them. */
export function taintFaults(taints: readonly Taint[]): FieldError[] {
  const seen = new Set<string>()
  return taints.flatMap(({ key, value = '', effect = '' }, i) => {
    const at = `metadata.taints[${i}]`
    const faults = key ? wellFormed(`${at}.key`, key, labelKeyFaults) : [required(`${at}.key`)]
    faults.push(...wellFormed(`${at}.value`, value, labelValueFaults))
    if (effect === '') faults.push(required(`${at}.effect`))
    faults.push(...oneOf(`${at}.effect`, effect, EFFECTS))
    const pair = JSON.stringify([key, effect])
    if (seen.has(pair)) {
      const taint = JSON.stringify({ Key: key, Value: value, Effect: effect, TimeAdded: null })
      const message = `Duplicate value: ${taint}: taints must be unique by key and effect pair`
      faults.push({ field: at, reason: 'FieldValueDuplicate', message })
    }
    seen.add(pair)
    return faults
  })
}
