import { ApiError } from '../cluster/api-error.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { create } from '../cluster/objects.ts'
import { MigError } from '../errors.ts'
import { isFinal } from '../kubevirt/migration.ts'
import { MIGRATIONS } from '../kubevirt/resources.ts'
import type { Migration } from '../kubevirt/types.ts'
import { migrationsOf } from './find.ts'

/** A migration before the server has named it. */
export type NewMigration = Omit<Migration, 'metadata'> & {
  metadata: { generateName: string; namespace: string; annotations?: Record<string, string> }
}

export interface NewMigrationOptions {
  addedNodeSelector?: Record<string, string> | undefined
  annotations?: Record<string, string> | undefined
}

const PREFIX = 'kubectl-mig-'

/**
 * The object that starts a migration. Label and finalizer are the webhook's (fact sheet control-plane.md §3.1). The
 * name does not hold the VM's: KubeVirt puts it into labels and into the name of a Job, which hold 63 characters.
 */
export function migrationObject(
  namespace: string,
  vmiName: string,
  { addedNodeSelector, annotations }: NewMigrationOptions = {},
): NewMigration {
  return {
    apiVersion: `${MIGRATIONS.group}/${MIGRATIONS.version}`,
    kind: MIGRATIONS.kind,
    metadata: { generateName: PREFIX, namespace, ...(annotations && { annotations }) },
    spec: { vmiName, ...(addedNodeSelector && { addedNodeSelector }) },
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

/**
 * Creates it, and when no answer comes looks whether it was created all the same: without that nobody would follow it,
 * and a second try would be refused.
 * @param before the VM's migrations as they were
 */
export async function startSurely(
  cluster: Cluster,
  object: NewMigration,
  before: Migration[],
): Promise<Migration> {
  try {
    return await startMigration(cluster, object)
  } catch (err) {
    if (!(err instanceof ApiError) || err.status !== undefined) throw err
    const { namespace } = object.metadata
    const vm = object.spec.vmiName ?? ''
    const known = new Set(before.map(({ metadata }) => metadata.uid))
    const now = await migrationsOf(cluster, vm, { namespace }).catch(() => [])
    const created = now.find(
      (one) =>
        one.metadata.generateName === PREFIX && !known.has(one.metadata.uid) && !isFinal(one),
    )
    if (created) return created
    throw new MigError(err.exit, `${err.message}; whether a migration was created is not known`, {
      hint: `"kubectl mig status vm/${vm} -n ${namespace}" shows whether there is one`,
      cause: err,
    })
  }
}
