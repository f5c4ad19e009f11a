import { conditionOf } from '../../kubevirt/migration.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import type { Subject } from '../subject.ts'
import { listing, shell, short } from '../words.ts'

/** Conditions by which KubeVirt itself says that something holds the migration. */
export const blockedConditions: Check = {
  name: 'conditions that hold the migration',
  when: ({ migration, phase }) =>
    migration !== undefined && !['Succeeded', 'Failed'].includes(phase),
  needs: ['VirtualMachineInstanceMigration'],
  judge(subject) {
    const rows = [
      [
        'migrationBlockedByUtilityVolumes',
        'MIG2006',
        'Let the backup or dump that uses the volume end, or detach it',
      ],
      [
        'migrationBlockedByBackup',
        'MIG2007',
        'Wait for the backup to end, or abort it; the target pod that waits with it gives up after 4 to 6 minutes',
      ],
      [
        'decentralizedMigrationBlocked',
        'MIG4009',
        'Compare the migrationIDs and addresses of both halves, and see the synchronization controllers',
      ],
    ] as const
    return rows.flatMap(([type, code, text]) => {
      const condition = conditionOf(subject.migration, type)
      if (condition?.status !== 'True') return []
      // The target's half says so while it waits for the source: that is no fault.
      if (/waiting for incoming synchronization/.test(condition.message ?? '')) return []
      return [
        finding({
          code,
          title: `${subject.name} is held: ${short(condition.message ?? type, 160)}`,
          status: code === 'MIG4009' ? 'fail' : 'warn',
          objects: [subject.ref],
          evidence: [
            {
              source: subject.ref,
              field: `condition ${type}`,
              value: short(`${condition.reason ?? ''} ${condition.message ?? ''}`),
            },
          ],
          cause: volumesOf(subject, type),
          remedy: [{ text }],
          endsByItself: code === 'MIG2006' ? 'yes' : 'unknown',
        }),
      ]
    })
  },
}

function volumesOf({ vmi }: Subject, type: string): string {
  if (type !== 'migrationBlockedByUtilityVolumes') return ''
  const names = (vmi?.spec.utilityVolumes ?? []).map(({ name }) => name)
  return names.length > 0
    ? `Utility volumes: ${listing(names)}; it fails when utilityVolumesTimeout (150 s) is over`
    : ''
}

/** A migration was created for a VM that does not run (yet). */
export const vmNotRunning: Check = {
  name: 'the VM runs',
  when: ({ migration, phase, vmi }) =>
    ['', 'Pending'].includes(phase) && migration !== undefined && vmi !== undefined,
  needs: ['VirtualMachineInstance'],
  judge(subject) {
    const phase = subject.vmi?.status?.phase ?? ''
    if (['Running', 'Succeeded', 'Failed', 'WaitingForSync'].includes(phase)) return []
    const pod = subject.launchers.at(-1)
    const states = [
      ...(pod?.status?.initContainerStatuses ?? []),
      ...(pod?.status?.containerStatuses ?? []),
    ].flatMap(({ name, state }) =>
      state?.waiting?.reason ? [`${name}: ${state.waiting.reason}`] : [],
    )
    const events = subject.events
      .filter(
        ({ involvedObject }) =>
          involvedObject.kind === 'Pod' && involvedObject.name === pod?.metadata.name,
      )
      .filter(({ reason }) => reason !== 'Scheduled')
    const last = events.at(-1)
    const unscheduled = conditionOf(pod, 'PodScheduled')
    const why =
      unscheduled?.status === 'False'
        ? short(unscheduled.message ?? '')
        : listing([...states, ...(last?.message ? [short(last.message, 120)] : [])])
    return [
      finding({
        code: 'MIG1015',
        title: `${subject.name} does not run yet: its VMI is ${phase || 'without a phase'}`,
        status: 'warn',
        objects: [
          `vmi/${subject.namespace}/${subject.name}`,
          ...(pod ? [`pod/${subject.namespace}/${pod.metadata.name}`] : []),
        ],
        evidence: [
          {
            source: `vmi/${subject.namespace}/${subject.name}`,
            field: 'status.phase',
            value: phase,
          },
          ...(pod
            ? [
                {
                  source: `pod/${subject.namespace}/${pod.metadata.name}`,
                  field: 'status',
                  value: `${pod.status?.phase ?? ''} ${why}`.trim(),
                },
              ]
            : []),
        ],
        cause: `The migration waits in Pending until the VM runs, silently and without time-out.${pod ? ` Its own launcher pod ${pod.metadata.name} is ${pod.status?.phase ?? 'not there'}: ${why}` : ''}`,
        remedy: [
          {
            text: 'See why the VM does not start',
            command: shell`kubectl -n ${subject.namespace} describe pod ${pod?.metadata.name ?? `-l vm.kubevirt.io/name=${subject.name}`}`,
          },
        ],
        endsByItself: 'unknown',
      }),
    ]
  },
}
