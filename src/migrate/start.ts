import type { Cluster } from '../cluster/cluster.ts'
import { create } from '../cluster/objects.ts'
import { MIGRATIONS } from '../kubevirt/resources.ts'
import type { Migration } from '../kubevirt/types.ts'

/** A migration before the server has named it. */
export type NewMigration = Omit<Migration, 'metadata'> & {
  metadata: { generateName: string; namespace: string }
}

/**
 * The object that starts a migration. Label and finalizer are the webhook's (fact sheet control-plane.md §3.1). The
 * name does not hold the VM's: KubeVirt puts it into labels and into the name of a Job, which hold 63 characters.
 */
export function migrationObject(namespace: string, vmiName: string): NewMigration {
  return {
    apiVersion: `${MIGRATIONS.group}/${MIGRATIONS.version}`,
    kind: MIGRATIONS.kind,
    metadata: { generateName: 'kubectl-mig-', namespace },
    spec: { vmiName },
  }
}

/**
 * Creates it. Not to be interrupted on the way: whether it exists would be unknown.
 * @throws MigError: refused by a webhook (9), not permitted (8), unreachable (1)
 */
export function startMigration(
  cluster: Cluster,
  object: NewMigration,
  { dryRun = false } = {},
): Promise<Migration> {
  return create<Migration>(cluster, MIGRATIONS, object, {
    namespace: object.metadata.namespace,
    fieldValidation: 'Strict',
    fieldManager: 'kubectl-mig',
    dryRun,
  })
}
