import { EXIT, MigError } from '../../errors.ts'
import { isFinal, timeOf } from '../../kubevirt/migration.ts'
import type { Reference } from '../../kubevirt/reference.ts'
import { MIGRATIONS, VMIS, VMS } from '../../kubevirt/resources.ts'
import type { Migration, Vm, Vmi } from '../../kubevirt/types.ts'
import type { Reader } from './reader.ts'

/** What was asked about. A VM, its VMI and its migrations; a VM has the name of its VMI. */
export interface Found {
  namespace: string
  name: string
  vmi: Vmi | undefined
  vm: Vm | undefined
  /** Those to be told: the one that was named, else those in flight, else the newest. */
  migrations: Migration[]
  /** The one that was named. */
  named: Migration | undefined
}

/**
 * Finds the VM or migration that a person named. Of all migrations of the cluster those are kept that are not over, which
 * hold slots, and those of this VM. A bare NAME is a VM or VMI, then a migration.
 * @throws MigError: there is no such thing (9), or nobody may say whether there is (8)
 */
export async function findSubject(
  reader: Reader,
  { kind, name }: Reference,
  namespace: string,
): Promise<Found> {
  const inCluster = readMigrations(reader, namespace, (m) => m.spec.vmiName === name)
  let [vmi, vm, all] = await Promise.all([
    kind === 'vmim' ? undefined : reader.get<Vmi>(VMIS, { namespace, name }),
    kind === 'vmim' || kind === 'vmi' ? undefined : reader.get<Vm>(VMS, { namespace, name }),
    inCluster,
  ])
  let named: Migration | undefined
  if (!vmi && !vm && kind !== 'vm' && kind !== 'vmi')
    named = await reader.get<Migration>(MIGRATIONS, { namespace, name })
  const owner = named?.spec.vmiName ?? name
  if (named) {
    const at = { namespace, name: owner }
    ;[vmi, vm] = await Promise.all([reader.get<Vmi>(VMIS, at), reader.get<Vm>(VMS, at)])
    all ??= [named]
  }
  const own = (all ?? []).filter(
    ({ metadata, spec }) => metadata.namespace === namespace && spec.vmiName === owner,
  )
  if (!vmi && !vm && !named && own.length === 0) throw missing(reader, kind, name, namespace)
  const open = own.filter((migration) => !isFinal(migration))
  const newest = own.sort(newestFirst).slice(0, 1)
  const migrations = named ? [named] : open.length > 0 ? open : newest
  return { namespace, name: owner, vmi, vm, migrations, named }
}

/** All namespaces where that is permitted: limits count over all. Else those of the one. */
async function readMigrations(
  reader: Reader,
  namespace: string,
  isOwn: (migration: Migration) => boolean,
): Promise<Migration[] | undefined> {
  const keep = (migration: Migration) =>
    !isFinal(migration) || (migration.metadata.namespace === namespace && isOwn(migration))
  const others = `${MIGRATIONS.kind} of other namespaces`
  return (
    (await reader.list<Migration>(MIGRATIONS, { keep }, others)) ??
    reader.list<Migration>(MIGRATIONS, { namespace, keep })
  )
}

export function newestFirst(a: Migration, b: Migration): number {
  return (
    (timeOf(b.metadata.creationTimestamp) ?? 0) - (timeOf(a.metadata.creationTimestamp) ?? 0) ||
    (a.metadata.name < b.metadata.name ? 1 : -1)
  )
}

function missing(
  { gaps }: Reader,
  kind: Reference['kind'],
  name: string,
  namespace: string,
): MigError {
  const unread = gaps.find(({ what }) => [VMIS.kind, MIGRATIONS.kind].includes(what))
  if (unread?.why === 'forbidden')
    return new MigError(EXIT.refused, `${name} could not be read: ${unread.detail}`, {
      hint: 'ClusterRole kubevirt.io:view grants reading VMs, VMIs and migrations',
    })
  if (unread) return new MigError(EXIT.error, `${name} could not be read: ${unread.detail}`)
  const what = kind === 'vmim' ? 'migration' : (kind?.toUpperCase() ?? 'VM or migration')
  return new MigError(EXIT.notFound, `no ${what} "${name}" in namespace "${namespace}"`, {
    hint: 'is it another namespace? -n NAME looks in that',
  })
}
