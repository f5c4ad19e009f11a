import { componentOf } from '../kubevirt/accounts.ts'
import { sameValue } from '../kubevirt/equality.ts'
import { LABEL, MIGRATION_FINALIZER } from '../kubevirt/labels.ts'
import { conditionOf, isFinal } from '../kubevirt/migration.ts'
import type { Migration, Vmi } from '../kubevirt/types.ts'
import { type Admission, admissionOf, badRequest, invalid, type Refusal } from './refusal.ts'

const CREATE = 'migration-create-validator.kubevirt.io'
const UPDATE = 'migration-update-validator.kubevirt.io'

export interface MigrationCreation {
  /** The namespace is the request's. */
  namespace: string
  spec: Migration['spec']
  /** Undefined when there is none of that name. */
  vmi: Vmi | undefined
  /** All migrations of the namespace. */
  migrations: readonly Migration[]
  /** Who asks, as the API server names them. */
  userName: string
  /** Gate `DecentralizedLiveMigration`: off by default in 1.9. */
  decentralized?: boolean
}

/**
 * May this migration be created? In the order of KubeVirt's webhook (fact sheet control-plane.md §3.1). Capacity, quota
 * and whether the VM runs at all are no matter of admission.
 */
export function admitMigration(request: MigrationCreation): Admission {
  const { spec, vmi, namespace } = request
  if (!spec.vmiName)
    return admissionOf([invalid('vmi-name-missing', CREATE, 'vmiName is missing', 'spec.vmiName')])
  const missing = `the VMI "${namespace}/${spec.vmiName}" does not exist`
  return admissionOf([
    ...priorityBlockers(request),
    ...(vmi ? vmiBlockers(request, vmi) : [badRequest('vmi-missing', CREATE, missing)]),
    ...decentralizedBlockers(request),
  ])
}

function priorityBlockers({ spec, userName }: MigrationCreation): Refusal[] {
  if (!spec.priority || componentOf(userName) === 'kubevirt-controller') return []
  const message = 'Migration priority queue, only virt-controller is allowed to set priority field'
  return [invalid('priority-reserved', CREATE, message, 'spec.migrationPriority')]
}

function vmiBlockers({ spec, migrations }: MigrationCreation, vmi: Vmi): Refusal[] {
  const blockers: Refusal[] = []
  const phase = vmi.status?.phase
  if (phase === 'Succeeded' || phase === 'Failed')
    blockers.push(badRequest('vmi-final', CREATE, 'Cannot migrate VMI in finalized state.'))

  const migratable = conditionOf(vmi, 'LiveMigratable')
  const tolerated = isDecentralized(spec) && migratable?.reason === 'DisksNotLiveMigratable'
  if (migratable?.status === 'False' && !tolerated) {
    const why = `Reason: ${migratable.reason ?? ''}, Message: ${migratable.message ?? ''}`
    blockers.push(badRequest('not-migratable', CREATE, `Cannot migrate VMI, ${why}`))
  }

  const active = inFlight(migrations, vmi)
  if (active) {
    const message = `in-flight migration detected. Active migration job (${active.metadata.uid}) is currently already in progress for VMI ${vmi.metadata.name}.`
    blockers.push(badRequest('in-flight', CREATE, message))
  }
  return blockers
}

/** The webhook goes by the label, and a migration that is being deleted still counts. */
export function inFlight(migrations: readonly Migration[], vmi: Vmi): Migration | undefined {
  return migrations.find(
    (other) =>
      other.metadata.namespace === vmi.metadata.namespace &&
      other.metadata.labels?.[LABEL.vmiName] === vmi.metadata.name &&
      !isFinal(other),
  )
}

function decentralizedBlockers({ spec, decentralized }: MigrationCreation): Refusal[] {
  const { sendTo, receive } = spec
  const blockers: Refusal[] = []
  if ((sendTo || receive) && !decentralized) {
    const message = 'DecentralizedLiveMigration feature gate is not enabled in kubevirt resource'
    blockers.push(invalid('decentralized-gate', CREATE, message, 'spec'))
  }
  if (sendTo && receive && sendTo.migrationID !== receive.migrationID) {
    const message = `sendTo migrationID ${sendTo.migrationID} does not match receive migrationID ${receive.migrationID}`
    blockers.push(invalid('migration-ids-differ', CREATE, message, 'spec'))
  }
  return blockers
}

/** May it be changed so (§3.2)? Annotations are free, and once it is final so are the labels. */
export function admitMigrationUpdate(old: Migration, changed: Migration): Admission {
  const blockers: Refusal[] = []
  if (!sameValue(old.spec, changed.spec)) {
    const message = "update of Migration object's spec is restricted"
    blockers.push(invalid('spec-changed', UPDATE, message, 'spec'))
  }
  const selector = old.metadata.labels?.[LABEL.vmiName]
  if (selector !== undefined && !isFinal(old)) {
    const labels = changed.metadata.labels ?? {}
    const message =
      Object.keys(labels).length === 0
        ? "selector label can't be removed from an in-flight migration"
        : "selector label can't be modified on an in-flight migration"
    if (labels[LABEL.vmiName] !== selector)
      blockers.push(invalid('selector-changed', UPDATE, message, 'metadata.labels'))
  }
  return admissionOf(blockers)
}

/** What the mutating webhook makes of a new migration: the selector label and the finalizer. */
export function withMigrationDefaults(migration: Migration): Migration {
  const { labels, finalizers = [] } = migration.metadata
  return {
    ...migration,
    metadata: {
      ...migration.metadata,
      labels: { ...labels, [LABEL.vmiName]: migration.spec.vmiName ?? '' },
      finalizers: finalizers.includes(MIGRATION_FINALIZER)
        ? finalizers
        : [...finalizers, MIGRATION_FINALIZER],
    },
  }
}

/** Exactly one of the two makes it half of a migration between clusters (§1.2). */
export function isDecentralized(spec: Migration['spec']): boolean {
  return (spec.sendTo === undefined) !== (spec.receive === undefined)
}
