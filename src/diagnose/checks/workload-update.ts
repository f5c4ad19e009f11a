import { conditionOf } from '../../kubevirt/migration.ts'
import type { Vmi } from '../../kubevirt/types.ts'
import { migratabilityOf } from '../../rules/migratability.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import { settingRemedy } from '../owner.ts'
import type { Subject, World } from '../subject.ts'
import { listing, shell } from '../words.ts'

/** Changes that only a migration carries out (control-plane.md §4.3). */
const CHANGES = ['VolumesChange', 'HotVCPUChange', 'HotMemoryChange', 'MigrationRequired']

/** A change waits for an automatic migration that nobody starts. */
export const workloadUpdate: Check = {
  name: 'automatic migrations for changes',
  when: ({ kind, vmi }) => kind === 'vmi' && pendingChanges(vmi).length > 0,
  needs: ['VirtualMachineInstance', 'KubeVirt'],
  judge(subject, world) {
    const { kubevirt } = world
    const methods = kubevirt?.spec.workloadUpdateStrategy?.workloadUpdateMethods ?? []
    const changes = pendingChanges(subject.vmi)
    const ref = `vmi/${subject.namespace}/${subject.name}`
    if (methods.includes('LiveMigrate')) return [updaterWaits(subject, world, changes)]
    return [
      finding({
        code: 'MIG2011',
        title: `${subject.name} waits for a migration (${listing(changes)}) that nobody creates: workloadUpdateMethods ${methods.length === 0 ? 'is empty' : `lacks LiveMigrate (it is ${methods.join(', ')})`}`,
        objects: [
          ref,
          `kubevirt/${kubevirt?.metadata.namespace ?? ''}/${kubevirt?.metadata.name ?? ''}`,
        ],
        evidence: [
          ...changes.map((type) => ({
            source: ref,
            field: `condition ${type}`,
            value: conditionOf(subject.vmi, type)?.message || 'True',
          })),
          {
            source: 'kubevirt',
            field: 'spec.workloadUpdateStrategy.workloadUpdateMethods',
            value: JSON.stringify(methods),
          },
        ],
        cause:
          'The workload updater migrates VMs with pending changes only if workloadUpdateMethods contains LiveMigrate',
        remedy: [
          settingRemedy(
            'Set workloadUpdateStrategy.workloadUpdateMethods to [LiveMigrate]',
            { workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate'] } },
            world,
          ),
          {
            text: 'Or migrate the VM by hand',
            command: shell`kubectl mig migrate -n ${subject.namespace} ${subject.name}`,
          },
        ],
        endsByItself: 'no',
      }),
    ]
  },
}

/** The updater may act, and has not: it waits for KubeVirt, for free slots, or for the VM to be migratable. */
function updaterWaits(subject: Subject, { kubevirt }: World, changes: string[]): Finding {
  const ref = `vmi/${subject.namespace}/${subject.name}`
  const migratable = migratabilityOf(subject.vmi!)
  const why =
    migratable.migratable === false
      ? `the VM is not live-migratable (${migratable.reason})`
      : kubevirt?.status?.phase !== undefined && kubevirt.status.phase !== 'Deployed'
        ? `KubeVirt is ${kubevirt.status.phase}, and the updater works only while it is Deployed`
        : 'it makes as many migrations as there are free slots; see virt-controller'
  return finding({
    code: 'MIG2011',
    title: `${subject.name} waits for a migration (${listing(changes)}) that the workload updater has not created yet`,
    status: migratable.migratable === false ? 'fail' : 'warn',
    objects: [ref],
    evidence: changes.map((type) => ({
      source: ref,
      field: `condition ${type}`,
      value: conditionOf(subject.vmi, type)?.message || 'True',
    })),
    cause: `workloadUpdateMethods contains LiveMigrate; ${why}`,
    confidence: migratable.migratable === false ? 'likely' : 'possible',
    remedy: [
      {
        text: 'Mend what is named, or migrate the VM by hand',
        command: shell`kubectl mig migrate -n ${subject.namespace} ${subject.name}`,
      },
    ],
    endsByItself: 'unknown',
  })
}

/** A volume change that KubeVirt does not carry out by migration. */
export const volumeChange: Check = {
  name: 'volume migration',
  when: ({ vmi, vm }) =>
    vmi !== undefined &&
    (conditionOf(vmi, 'VolumesChange')?.status === 'False' ||
      conditionOf(vm, 'RestartRequired')?.status === 'True'),
  needs: ['VirtualMachineInstance'],
  judge(subject) {
    const change = conditionOf(subject.vmi, 'VolumesChange')
    const restart = conditionOf(subject.vm, 'RestartRequired')
    const message =
      change?.status === 'False' && change.reason !== 'VolumesChangeCancellation'
        ? change.message
        : undefined
    const refused =
      /volumes? (?:to update|.*not included)|cannot migrate the (?:VM|volumes)|DV storage class|destination volumes/i
    const text = message ?? (refused.test(restart?.message ?? '') ? restart?.message : undefined)
    if (!text) return []
    return [
      finding({
        code: 'MIG1018',
        title: `The volume change of ${subject.name} is not done by migration: ${text}`,
        objects: [`vm/${subject.namespace}/${subject.name}`],
        evidence: [
          {
            source: `vm/${subject.namespace}/${subject.name}`,
            field: message ? 'condition VolumesChange' : 'condition RestartRequired',
            value: text,
          },
        ],
        cause: 'KubeVirt refuses these volumes for a volume migration (updateVolumesStrategy)',
        remedy: [
          { text: 'Change what the message names, or restart the VM to take the change over' },
        ],
        endsByItself: 'no',
      }),
    ]
  },
}

function pendingChanges(vmi: Vmi | undefined): string[] {
  return CHANGES.filter((type) => conditionOf(vmi, type)?.status === 'True')
}
