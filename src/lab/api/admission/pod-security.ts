import type { Namespace } from '../../../kubevirt/types.ts'
import { podSecurityOf } from '../../../rules/pod-security.ts'
import { asPod } from '../kinds/pod.ts'
import { forbidden } from '../status.ts'
import type { AdmissionHook } from './hook.ts'

/** Kubernetes' Pod Security admission, as the namespace's label enforces it (rules/pod-security.ts). */
export const podSecurityAdmission: AdmissionHook = {
  handles: ({ kind, operation }) => kind.kind === 'Pod' && operation === 'CREATE',
  validate({ kind, name, namespace = '', object, read }) {
    const found = read.get({ group: '', plural: 'namespaces' }, undefined, namespace)
    const decision = podSecurityOf(asPod(object!), found as Namespace | undefined)
    if (!decision.admit) throw forbidden(kind, name, decision.message)
  },
}
