import {
  admitByLimitRange,
  type LimitRange,
  withLimitRangeDefaults,
} from '../../../rules/limit-range.ts'
import type { ApiObject } from '../kind.ts'
import { asPod } from '../kinds/pod.ts'
import { forbidden } from '../status.ts'
import type { AdmissionHook, AdmissionRequest } from './hook.ts'

/** Kubernetes' LimitRanger: defaults of containers, and what they may ask for (rules/limit-range.ts). */
export const limitRangeAdmission: AdmissionHook = {
  handles: ({ kind, operation }) => kind.kind === 'Pod' && operation === 'CREATE',
  mutate: (request) =>
    withLimitRangeDefaults(asPod(request.object), rangesOf(request)) as unknown as ApiObject,
  validate(request) {
    const { kind, name, object } = request
    const decision = admitByLimitRange(asPod(object!), rangesOf(request))
    if (!decision.admit) throw forbidden(kind, name, decision.message)
  },
}

function rangesOf({ read, namespace }: AdmissionRequest): LimitRange[] {
  return read.list({ group: '', plural: 'limitranges' }, namespace) as unknown as LimitRange[]
}
