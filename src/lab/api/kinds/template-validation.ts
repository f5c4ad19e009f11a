import type { ApiObject } from '../kind.ts'
import type { FieldError } from '../status.ts'
import { oneOf, required, unsupported } from './faults.ts'
import { pick, text } from './fields.ts'
import { podFaults } from './pod-validation.ts'

/** What is wrong with the pods of a template. @param policy of restarting that they must have */
export function templateFaults(object: ApiObject, policy: 'Always' | 'ends'): FieldError[] {
  const template = (pick(object, 'spec.template') ?? {}) as ApiObject
  const restart = text(template, 'spec.restartPolicy')
  const spec = (pick(template, 'spec') ?? {}) as object
  const pod = { metadata: { name: '' }, spec } as unknown as ApiObject
  const own = podFaults(pod, undefined).map((fault) => ({
    ...fault,
    field: `spec.template.${fault.field}`,
  }))
  if (policy === 'Always')
    return [...own, ...oneOf('spec.template.spec.restartPolicy', restart, ['Always'])]
  const field = 'spec.template.spec.restartPolicy'
  if (restart === '')
    return [
      ...own,
      { ...required(field), message: 'Required value: valid values: "OnFailure", "Never"' },
    ]
  return restart === 'Always' ? [...own, unsupported(field, restart, ['OnFailure', 'Never'])] : own
}
