import type { Vmi } from '../../../kubevirt/types.ts'
import {
  admitVmi,
  admitVmiUpdate,
  withoutForeignStatus,
  withVmiDefaults,
} from '../../../rules/admission-vmi.ts'
import type { ApiObject } from '../kind.ts'
import { gateOn, kubevirtOf } from './gates.ts'
import type { AdmissionHook } from './hook.ts'
import { refuse, refuseWithAll } from './refuse.ts'

/** KubeVirt's webhooks on VMIs (rules/admission-vmi.ts): defaults, who may change what, whose status counts. */
export const vmiAdmission: AdmissionHook = {
  handles: ({ kind }) => kind.kind === 'VirtualMachineInstance',
  mutate({ operation, object, oldObject, user }) {
    const vmi = object as unknown as Vmi
    const next =
      operation === 'CREATE'
        ? withVmiDefaults(vmi)
        : withoutForeignStatus(oldObject as unknown as Vmi, vmi, user.name)
    return next as unknown as ApiObject
  },
  validate({ operation, object, oldObject, user, read }) {
    if (operation === 'CREATE')
      return refuseWithAll(admitVmi(object as unknown as Vmi, kubevirtOf(read)))
    if (operation !== 'UPDATE') return
    const requester = {
      userName: user.name,
      ...(user.extra ? { extra: user.extra } : {}),
      restrictsNodes: gateOn(read, 'NodeRestriction'),
    }
    const decision = admitVmiUpdate(
      oldObject as unknown as Vmi,
      object as unknown as Vmi,
      requester,
    )
    refuse(decision, { namesField: false })
  },
}
