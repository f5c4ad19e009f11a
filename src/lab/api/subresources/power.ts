import type { Vm, Vmi } from '../../../kubevirt/types.ts'
import { type PowerOptions, powerOf, withPower } from '../../../rules/vm-power.ts'
import type { ApiObject } from '../kind.ts'
import { badRequest, conflict, internalError } from '../status.ts'
import { update } from '../update.ts'
import { asVirtApi, demandObject, optionsOf, replyEmpty, subresourceRoute } from './route.ts'

/** `PUT virtualmachines/NAME/start`, `stop` and `restart`: virt-api says how it shall be, virt-controller does it. */
export const powerRoutes = (['start', 'stop', 'restart'] as const).map((verb) =>
  subresourceRoute('virtualmachines', verb, 'PUT', async (api, call) => {
    const { namespace = '', name = '' } = call.info
    const options = await optionsOf<PowerOptions & { dryRun?: string[] }>(call)
    const vm = demandObject(api, 'virtualmachines', namespace, name) as unknown as Vm
    const vms = api.kinds.find('kubevirt.io', 'virtualmachines')!
    const vmis = api.kinds.find('kubevirt.io', 'virtualmachineinstances')!
    const vmi = api.store.get(vmis, namespace, name) as unknown as Vmi | undefined
    const answer = powerOf(verb, vm, vmi, options)
    if (!answer.ok) {
      const { code, message } = answer
      if (code === 400) throw badRequest(message)
      if (code === 500) throw internalError(message)
      throw conflict({ group: 'kubevirt.io', plural: vms.singular }, name, message)
    }
    const write = asVirtApi(call, (options.dryRun ?? []).includes('All'))
    const { grace } = answer
    if (grace !== undefined)
      update(api, vmis, { namespace, name, subresource: '' }, withGrace(grace), write)
    const subresource = 'requests' in answer ? 'status' : ''
    const change = (current: ApiObject) =>
      withPower(structuredClone(current) as unknown as Vm, answer) as unknown as ApiObject
    update(api, vms, { namespace, name, subresource }, change, write)
    replyEmpty(call, 202)
  }),
)

function withGrace(seconds: number): (current: ApiObject) => ApiObject {
  return (current) => {
    const vmi = structuredClone(current) as unknown as Vmi
    const spec = { ...vmi.spec, terminationGracePeriodSeconds: seconds }
    return { ...vmi, spec } as unknown as ApiObject
  }
}
