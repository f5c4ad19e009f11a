import { type Column, defineKind, type Kind, type KindRow } from '../kind.ts'

const AGE: Column = { name: 'Age', type: 'date', cell: 'metadata.creationTimestamp' }

/** A custom resource: generation counts, an update must name its resourceVersion. */
function custom(row: KindRow): Kind {
  return defineKind({ builtIn: false, columns: [AGE], ...row })
}

function kubevirt(
  plural: string,
  kind: string,
  shortNames: string[],
  row: Partial<Kind> = {},
): Kind {
  return custom({
    group: 'kubevirt.io',
    version: 'v1',
    deprecatedVersions: ['v1alpha3'],
    deprecation: (version) =>
      version === 'v1alpha3'
        ? 'kubevirt.io/v1alpha3 is now deprecated and will be removed in a future release.'
        : undefined,
    plural,
    kind,
    type: `kv.${kind}`,
    shortNames,
    categories: ['all'],
    ...row,
  })
}

const READY = conditionColumn('Ready', 'Ready', 0)

/** KubeVirt 1.9's kinds that bear on a migration (fact sheet control-plane.md §1.1). */
export const KUBEVIRT_KINDS: Kind[] = [
  kubevirt('kubevirts', 'KubeVirt', ['kv', 'kvs'], {
    hasStatus: true,
    columns: [AGE, { name: 'Phase', cell: 'status.phase' }],
  }),
  kubevirt(
    'virtualmachineinstancemigrations',
    'VirtualMachineInstanceMigration',
    ['vmim', 'vmims'],
    {
      hasStatus: true,
      schemaWebhook: 'migrations-mutator.kubevirt.io',
      columns: [
        { name: 'Phase', cell: 'status.phase' },
        { name: 'VMI', cell: 'spec.vmiName' },
      ],
    },
  ),
  // No status subresource: whoever runs the VMI writes its status by ordinary updates.
  kubevirt('virtualmachineinstances', 'VirtualMachineInstance', ['vmi', 'vmis'], {
    schemaWebhook: 'virtualmachineinstances-mutator.kubevirt.io',
    columns: [
      AGE,
      { name: 'Phase', cell: 'status.phase' },
      {
        name: 'IP',
        cell: (o) => firstInterface(o)?.ipAddress ?? null,
        jsonPath: '.status.interfaces[0].ipAddress',
      },
      { name: 'NodeName', cell: 'status.nodeName' },
      READY,
      conditionColumn('Live-Migratable', 'LiveMigratable', 1),
      conditionColumn('Paused', 'Paused', 1),
    ],
  }),
  kubevirt('virtualmachines', 'VirtualMachine', ['vm', 'vms'], {
    hasStatus: true,
    schemaWebhook: 'virtualmachines-mutator.kubevirt.io',
    columns: [AGE, { name: 'Status', cell: 'status.printableStatus' }, READY],
  }),
  kubevirt(
    'virtualmachineinstancepresets',
    'VirtualMachineInstancePreset',
    ['vmipreset', 'vmipresets'],
    {
      deprecation: (version) =>
        `kubevirt.io/${version} VirtualMachineInstancePresets is now deprecated and will be removed in v2.`,
    },
  ),
  kubevirt(
    'virtualmachineinstancereplicasets',
    'VirtualMachineInstanceReplicaSet',
    ['vmirs', 'vmirss'],
    {
      hasStatus: true,
      columns: [
        { name: 'Desired', type: 'integer', cell: 'spec.replicas' },
        { name: 'Current', type: 'integer', cell: 'status.replicas' },
        { name: 'Ready', type: 'integer', cell: 'status.readyReplicas' },
        AGE,
      ],
    },
  ),
  custom({
    group: 'migrations.kubevirt.io',
    version: 'v1alpha1',
    plural: 'migrationpolicies',
    kind: 'MigrationPolicy',
    type: 'kv.MigrationPolicy',
    namespaced: false,
    hasStatus: true,
  }),
]

function conditionColumn(name: string, type: string, priority: 0 | 1): Column {
  const jsonPath = `.status.conditions[?(@.type=='${type}')].status`
  return { name, priority, cell: (object) => condition(object, type), jsonPath }
}

function condition(object: object, type: string): string | null {
  const { status } = object as { status?: { conditions?: { type: string; status: string }[] } }
  return status?.conditions?.find((c) => c.type === type)?.status ?? null
}

function firstInterface(object: object): { ipAddress?: string } | undefined {
  return (object as { status?: { interfaces?: { ipAddress?: string }[] } }).status?.interfaces?.[0]
}
