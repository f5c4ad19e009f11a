import { timeOf } from '../../kubevirt/migration.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { listing, shell } from '../words.ts'

/** A deletion that is not acted on: only before hand-off and in Running is a cancel carried out. */
export const deferredCancel: Check = {
  name: 'cancel of the migration',
  when: ({ migration }) => migration?.metadata.deletionTimestamp !== undefined,
  needs: ['VirtualMachineInstanceMigration'],
  judge(subject, world) {
    const { phase, migration, vmi, state } = subject
    const over = phase === 'Succeeded' || phase === 'Failed'
    const since = timeOf(migration!.metadata.deletionTimestamp)
    const base = {
      objects: [subject.ref],
      evidence: [
        {
          source: subject.ref,
          field: 'metadata.deletionTimestamp',
          value: migration!.metadata.deletionTimestamp!,
        },
      ],
      endsByItself: 'unknown' as const,
    }
    const held = (migration!.metadata.finalizers ?? []).length > 0
    const late = since !== undefined && world.now - since > 60_000
    if (held && (over ? late : !vmi && phase !== 'Running'))
      return [
        finding({
          ...base,
          code: 'MIG9007',
          title: over
            ? `${migration!.metadata.name} is over (${phase}) and hangs in Terminating: ${listing(migration!.metadata.finalizers ?? [])}`
            : `${migration!.metadata.name} hangs in Terminating: its VMI ${subject.name} is gone, its finalizer is not`,
          cause: over
            ? 'Whoever set the finalizer has not taken it off: virt-controller, or for migrations between clusters the synchronization controller'
            : 'virt-controller drops the finalizer only of a migration whose VMI it can see',
          confidence: world.vmis.length > 0 ? 'likely' : 'possible',
          remedy: [
            {
              text: 'Remove the finalizer by hand, once the VM is surely not being moved',
              command: shell`kubectl -n ${subject.namespace} patch vmim ${migration!.metadata.name} --type merge -p '{"metadata":{"finalizers":null}}'`,
              risk: 'KubeVirt does not clean up after it',
            },
          ],
          endsByItself: 'no',
        }),
      ]
    if (over) return []
    if (phase === 'Running' && state?.abortStatus === 'Failed')
      return [
        finding({
          ...base,
          code: 'MIG8020',
          title: `The cancel of ${subject.name}’s migration failed (abortStatus Failed): the copy goes on`,
          cause: 'The job could not be aborted: post-copy, already finished, or libvirt hangs',
          remedy: [{ text: 'Let it finish; it may still succeed' }],
        }),
      ]
    if (phase !== 'PreparingTarget' && phase !== 'TargetReady') return []
    return [
      finding({
        ...base,
        code: 'MIG4010',
        title: `The cancel of ${subject.name}’s migration waits: in ${phase} a deletion is not acted on`,
        cause:
          'KubeVirt carries a cancel out before hand-off and while the copy runs; in between it only notes it (migrationAbortRequested)',
        remedy: [
          { text: 'Wait until it runs' },
          {
            text: 'Or delete the target pod, which fails the migration',
            command: shell`kubectl -n ${subject.namespace} delete pod ${subject.targetPod?.metadata.name ?? 'TARGET'}`,
            risk: 'the attempt ends at once',
          },
        ],
      }),
    ]
  },
}
