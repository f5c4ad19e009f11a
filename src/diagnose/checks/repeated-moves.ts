import { phaseOf, timeOf } from '../../kubevirt/migration.ts'
import type { Migration } from '../../kubevirt/types.ts'
import { isAutomatic } from '../../rules/backoff.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { age, plural } from '../words.ts'

const HOUR = 3_600_000

const MANY = 4

/** Evacuations or workload updates of one VM that succeed one after the other: something asks for them without end. */
export const movedAgain: Check = {
  name: 'repeated moves of the VM',
  when: ({ kind, earlier }) => kind === 'migration' && earlier.length >= MANY - 1,
  needs: ['VirtualMachineInstanceMigration'],
  judge(subject) {
    const moves = [subject.migration!, ...subject.earlier].filter(
      (m) => isAutomatic(m) && phaseOf(m) !== 'Failed',
    )
    const times = moves.flatMap((m) => timeOf(m.metadata.creationTimestamp) ?? [])
    const span = Math.max(...times) - Math.min(...times)
    if (moves.length < MANY || span > HOUR || subject.earlier.some((m) => phaseOf(m) === 'Failed'))
      return []
    const evacuations = moves.filter(isEvacuation)
    return [
      finding({
        code: 'MIG2016',
        title: `${subject.name} is moved again and again: ${plural(moves.length, 'automatic migration')} within ${age(span)}`,
        status: 'warn',
        objects: moves
          .slice(0, 4)
          .map(({ metadata }) => `vmim/${metadata.namespace ?? ''}/${metadata.name}`),
        cause:
          evacuations.length * 2 > moves.length
            ? 'Evacuations: the descheduler, or drain taints on several nodes, keep evicting it'
            : 'Workload updates: its launcher image or a change stays outdated after each move',
        confidence: 'possible',
        remedy: [
          {
            text:
              evacuations.length * 2 > moves.length
                ? 'See the descheduler’s policies and the nodes’ cordons and taints'
                : 'Compare launcherContainerImageVersion with the image of KubeVirt, and the VMI’s pending changes',
          },
        ],
        endsByItself: 'no',
      }),
    ]
  },
}

function isEvacuation({ metadata }: Migration): boolean {
  return metadata.annotations?.['kubevirt.io/evacuationMigration'] !== undefined
}
