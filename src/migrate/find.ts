import type { Cluster } from '../cluster/cluster.ts'
import { getIfExists, list } from '../cluster/objects.ts'
import { together } from '../cluster/together.ts'
import { EXIT, MigError } from '../errors.ts'
import { LABEL } from '../kubevirt/labels.ts'
import { isFinal, timeOf } from '../kubevirt/migration.ts'
import type { Reference } from '../kubevirt/reference.ts'
import { MIGRATIONS, VMIS, VMS } from '../kubevirt/resources.ts'
import type { Migration, Vm, Vmi } from '../kubevirt/types.ts'
import { byNumber } from './by-number.ts'

/** What a reference means on a cluster. A VM and its VMI have the same name. */
export interface Subject {
  namespace: string
  /** Of the VM. */
  name: string
  vm: Vm | undefined
  vmi: Vmi | undefined
  /** The one that was named, or else the VM's latest; undefined when it has none. */
  migration: Migration | undefined
}

export interface Lookup {
  namespace: string
  signal?: AbortSignal | undefined
}

/**
 * Finds a VM by name: `vm/NAME`, `vmi/NAME` or a bare NAME.
 * @throws MigError (9) when there is neither a VM nor a VMI
 */
export async function findVm(
  cluster: Cluster,
  { kind, name }: Reference,
  { namespace, signal }: Lookup,
): Promise<{ vm: Vm | undefined; vmi: Vmi | undefined }> {
  const at = { namespace, name }
  const [vmi, vm] = await together([
    getIfExists<Vmi>(cluster, VMIS, at, { signal }),
    kind === 'vmi' ? undefined : getIfExists<Vm>(cluster, VMS, at, { signal }).catch(asUnknown),
  ])
  if (!vm && !vmi) throw notFound(kind === 'vmi' ? 'VMI' : 'VM', name, namespace)
  return { vm, vmi }
}

/**
 * Finds a migration, by its own name or as the latest of a VM; a bare NAME is a VM or VMI, then a migration.
 * @throws MigError (9) when there is nothing of that name
 */
export async function findSubject(
  cluster: Cluster,
  reference: Reference,
  { namespace, signal }: Lookup,
): Promise<Subject> {
  const { kind, name } = reference
  if (kind !== 'vmim') {
    try {
      const found = await findVm(cluster, reference, { namespace, signal })
      const migrations = await migrationsOf(cluster, name, { namespace, signal })
      return { namespace, name, ...found, migration: migrations[0] }
    } catch (err) {
      if (kind || !(err instanceof MigError) || err.code !== NOT_FOUND) throw err
    }
  }
  const migration = await getIfExists<Migration>(
    cluster,
    MIGRATIONS,
    { namespace, name },
    { signal },
  )
  if (!migration) throw notFound(kind ? 'migration' : 'VM or migration', name, namespace)
  const vmi = await getIfExists<Vmi>(
    cluster,
    VMIS,
    { namespace, name: migration.spec.vmiName ?? '' },
    { signal },
  )
  return { namespace, name: migration.spec.vmiName ?? name, vm: undefined, vmi, migration }
}

/** A VM's migrations: one in flight first, then the newest. Evacuations are found too: the webhook labels all. */
export async function migrationsOf(
  cluster: Cluster,
  vm: string,
  { namespace, signal }: Lookup,
): Promise<Migration[]> {
  // A label holds at most 63 characters; longer names are compared here.
  const labelSelector = vm.length <= 63 ? `${LABEL.vmiName}=${vm}` : undefined
  const { items } = await list<Migration>(cluster, MIGRATIONS, { namespace, signal, labelSelector })
  return items.filter(({ spec }) => spec.vmiName === vm).sort(latestFirst)
}

export function latestFirst(a: Migration, b: Migration): number {
  return (
    Number(isFinal(a)) - Number(isFinal(b)) ||
    (timeOf(b.metadata.creationTimestamp) ?? 0) - (timeOf(a.metadata.creationTimestamp) ?? 0) ||
    byNumber(a.spec.vmiName ?? '', b.spec.vmiName ?? '') ||
    (a.metadata.name < b.metadata.name ? -1 : 1)
  )
}

const NOT_FOUND = 'NotFound'

function notFound(what: string, name: string, namespace: string): MigError {
  return new MigError(EXIT.notFound, `no ${what} "${name}" in namespace "${namespace}"`, {
    code: NOT_FOUND,
    hint: 'is it another namespace? -n NAME looks in that',
  })
}

/** Whoever may read VMIs need not be allowed to read VMs: the VMI is enough. */
function asUnknown(err: unknown): undefined {
  if (err instanceof MigError && err.exit === EXIT.refused) return undefined
  throw err
}
