import type { Vm, Vmi } from '../../../kubevirt/types.ts'
import { type AddVolumeOptions, changeVolumes } from '../../../rules/volume-request.ts'
import type { ApiObject } from '../kind.ts'
import { badRequest, conflict } from '../status.ts'
import { update } from '../update.ts'
import { asVirtApi, demandObject, optionsOf, replyEmpty, subresourceRoute } from './route.ts'

/**
 * `PUT …/NAME/addvolume` and `removevolume`: of a VMI until it ends, of a VM in its template, from which the VMI gets it.
 */
export const volumeRoutes = (['addvolume', 'removevolume'] as const).flatMap((change) =>
  (['virtualmachines', 'virtualmachineinstances'] as const).map((plural) =>
    subresourceRoute(plural, change, 'PUT', async (api, call) => {
      const { namespace = '', name = '' } = call.info
      const options = await optionsOf<AddVolumeOptions & { dryRun?: string[] }>(call)
      const found = demandObject(api, plural, namespace, name) as unknown as Vm | Vmi
      const kind = api.kinds.find('kubevirt.io', plural)!
      const resource = { group: 'kubevirt.io', plural: kind.singular }
      if (plural === 'virtualmachineinstances' && (found as Vmi).status?.phase !== 'Running')
        throw conflict(resource, name, 'VMI is not running')
      const apply = (current: ApiObject): ApiObject => {
        const copy = structuredClone(current) as unknown as Vm | Vmi
        const changed = changeVolumes(copy, change, options)
        if (changed.ok) return changed.object as unknown as ApiObject
        const { code, message } = changed
        throw code === 400 ? badRequest(message) : conflict(resource, name, message)
      }
      const write = asVirtApi(call, (options.dryRun ?? []).includes('All'))
      update(api, kind, { namespace, name, subresource: '' }, apply, write)
      replyEmpty(call, 202)
    }),
  ),
)
