import { ANNOTATION } from '../../kubevirt/labels.ts'
import { phaseOf } from '../../kubevirt/migration.ts'
import { backoffOf } from '../../rules/backoff.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { plural, short } from '../words.ts'
import { isWaiting, refOf } from './capacity.ts'
import { evidenceOf } from './texts.ts'

/** An evacuation or workload update that is held back because the ones before it failed. */
export const backoff: Check = {
  name: 'back-off after failures',
  when: isWaiting,
  needs: ['VirtualMachineInstanceMigration'],
  judge(subject, world) {
    const { migration } = subject
    const decision = backoffOf(migration!, world.migrations, world.now)
    const said = subject.said.filter(({ row }) => row.code === 'MIG2003')
    if (!decision.wait && said.length === 0) return []
    const failures = decision.wait
      ? decision.failures
      : subject.earlier.filter((m) => phaseOf(m) === 'Failed')
    const reason = failures
      .map((m) => m.status?.migrationState?.failureReason)
      .find((text) => !!text)
    const evacuation =
      migration?.metadata.annotations?.[ANNOTATION.evacuationMigration] !== undefined
    const kind = `failed ${evacuation ? 'evacuation' : 'workload update'} migration`
    return [
      finding({
        code: 'MIG2003',
        title: `Held in back-off: ${failures.length > 0 ? plural(failures.length, kind) : `${kind}s`} of ${subject.name} before it`,
        // What it was started for does not get on, and somebody has to mend why.
        status: failures.length > 0 ? 'fail' : 'warn',
        objects: [subject.ref, ...failures.slice(0, 4).map(refOf)],
        evidence: [
          ...evidenceOf(said, 1),
          ...(reason
            ? [
                {
                  source: refOf(failures[0]!),
                  field: 'status.migrationState.failureReason',
                  value: short(reason),
                },
              ]
            : []),
        ],
        cause: `KubeVirt waits 20 s after the first failure, doubled by each. ${reason ? `What to mend is why they failed: ${short(reason, 200)}` : 'Why they failed is not in what was read'}`,
        remedy: [
          {
            text: 'Mend the reason of the failures; once this one is gone, a migration started by hand is not held back',
          },
        ],
        endsByItself: 'yes',
        ...(decision.wait && { deadline: decision.until }),
      }),
    ]
  },
}
