import type { Migration, Vmi } from '../../../kubevirt/types.ts'
import {
  admitMigration,
  admitMigrationUpdate,
  withMigrationDefaults,
} from '../../../rules/admission.ts'
import type { ApiObject } from '../kind.ts'
import { gateOn } from './gates.ts'
import type { AdmissionHook } from './hook.ts'
import { refuse } from './refuse.ts'

const GROUP = 'kubevirt.io'

/** KubeVirt's webhooks on migrations (rules/admission.ts). */
export const migrationAdmission: AdmissionHook = {
  handles: ({ kind, subresource }) =>
    kind.kind === 'VirtualMachineInstanceMigration' && subresource === '',
  mutate({ operation, object }) {
    if (operation !== 'CREATE') return object
    return withMigrationDefaults(object as unknown as Migration) as unknown as ApiObject
  },
  validate({ operation, object, oldObject, namespace = '', user, read }) {
    if (operation === 'DELETE') return
    const migration = object as unknown as Migration
    if (operation === 'UPDATE') {
      const old = oldObject as unknown as Migration
      refuse(admitMigrationUpdate(old, migration), { namesField: false })
      return
    }
    const list = (plural: string) => read.list({ group: GROUP, plural }, namespace)
    const name = migration.spec.vmiName ?? ''
    const vmi = read.get({ group: GROUP, plural: 'virtualmachineinstances' }, namespace, name)
    const decision = admitMigration({
      namespace,
      spec: migration.spec,
      vmi: vmi as unknown as Vmi | undefined,
      migrations: list('virtualmachineinstancemigrations') as unknown as Migration[],
      userName: user.name,
      decentralized: gateOn(read, 'DecentralizedLiveMigration'),
    })
    refuse(decision, { namesField: true })
  },
}
