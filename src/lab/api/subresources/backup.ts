import type { Vmi } from '../../../kubevirt/types.ts'
import { type BackupOptions, backupRequest } from '../../../rules/backup.ts'
import type { ApiObject } from '../kind.ts'
import { conflict, internalError } from '../status.ts'
import { update } from '../update.ts'
import { asVirtApi, demandObject, optionsOf, replyEmpty, subresourceRoute } from './route.ts'

const PLURAL = 'virtualmachineinstances'

/** `PUT virtualmachineinstances/NAME/backup`: what virt-controller ends a backup with that is in a migration's way. */
export const backupRoute = subresourceRoute(PLURAL, 'backup', 'PUT', async (api, call) => {
  const { namespace = '', name = '' } = call.info
  const options = await optionsOf<BackupOptions>(call)
  demandObject(api, PLURAL, namespace, name)
  update(
    api,
    api.kinds.find('kubevirt.io', PLURAL)!,
    { namespace, name, subresource: '' },
    (current) => {
      const asked = backupRequest(current as unknown as Vmi, options, api.now())
      if (asked.ok) return { ...structuredClone(current), status: asked.status } as ApiObject
      const { code, message } = asked
      const resource = { group: 'kubevirt.io', plural: 'virtualmachineinstance' }
      throw code === 409 ? conflict(resource, name, message) : internalError(message)
    },
    asVirtApi(call, false),
  )
  replyEmpty(call, 200)
})
