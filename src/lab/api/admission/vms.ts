import type { Vm } from '../../../kubevirt/types.ts'
import { admitVm } from '../../../rules/admission-vm.ts'
import { kubevirtOf } from './gates.ts'
import type { AdmissionHook } from './hook.ts'
import { refuseWithAll } from './refuse.ts'

/** KubeVirt's webhook on VMs (rules/admission-vm.ts). */
export const vmAdmission: AdmissionHook = {
  handles: ({ kind, operation, subresource }) =>
    kind.kind === 'VirtualMachine' && operation !== 'DELETE' && subresource === '',
  validate: ({ object, read }) => refuseWithAll(admitVm(object as unknown as Vm, kubevirtOf(read))),
}
