import type { Vmi } from '../../../kubevirt/types.ts'
import { create } from '../create.ts'
import type { ApiObject } from '../kind.ts'
import { conflict, internalError } from '../status.ts'
import { asVirtApi, demandObject, optionsOf, replyEmpty, subresourceRoute } from './route.ts'

interface MigrateOptions {
  dryRun?: string[]
  addedNodeSelector?: Record<string, string>
}

/**
 * `PUT virtualmachines/NAME/migrate`: creates a migration, and does not say its name. Whatever refuses it is a 500
 * (fact sheet control-plane.md §1.8).
 */
export const migrateRoute = subresourceRoute(
  'virtualmachines',
  'migrate',
  'PUT',
  async (api, call) => {
    const { namespace = '', name = '' } = call.info
    const { dryRun = [], addedNodeSelector } = await optionsOf<MigrateOptions>(call)
    demandObject(api, 'virtualmachines', namespace, name)
    const vmi = demandObject(api, 'virtualmachineinstances', namespace, name) as unknown as Vmi
    if (vmi.status?.phase !== 'Running')
      throw conflict({ group: 'kubevirt.io', plural: 'virtualmachine' }, name, 'VM is not running')
    const migration = {
      metadata: { generateName: 'kubevirt-migrate-vm-' },
      spec: { vmiName: name, ...(addedNodeSelector ? { addedNodeSelector } : {}) },
    } as unknown as ApiObject
    try {
      const kind = api.kinds.find('kubevirt.io', 'virtualmachineinstancemigrations')!
      create(api, kind, namespace, migration, asVirtApi(call, dryRun.includes('All')))
    } catch (err) {
      throw internalError((err as Error).message)
    }
    replyEmpty(call, 202)
  },
)
