import { hasPersistentState } from '../../kubevirt/backend-storage.ts'
import { timeOf } from '../../kubevirt/migration.ts'
import type { Condition, KubeObject } from '../../kubevirt/types.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { age, shell, short } from '../words.ts'

interface Job extends KubeObject {
  status?: { succeeded?: number; failed?: number; active?: number; conditions?: Condition[] }
}

/** The Job that decides which PVC of the persistent state is valid after an interruption (control-plane.md §2.4). */
export const recovery: Check = {
  name: 'recovery of the persistent state',
  when: ({ migration, phase, vmi }) =>
    migration !== undefined && !['Succeeded', 'Failed'].includes(phase) && hasPersistentState(vmi),
  needs: ['Job'],
  judge(subject, world) {
    const name = `recover-${subject.migration!.metadata.name}`
    const job = world.evidence.objects.get<Job>('Job', subject.namespace, name)
    if (!job || (job.status?.succeeded ?? 0) > 0) return []
    const failed = job.status?.conditions?.find(
      ({ type, status }) => type === 'Failed' && status === 'True',
    )
    const born = timeOf(job.metadata.creationTimestamp)
    return [
      finding({
        code: 'MIG4024',
        title: `${subject.name} waits for the Job ${name}, which looks which PVC of its TPM or EFI state is the valid one${failed ? ': it failed' : ''}`,
        status: failed ? 'fail' : 'warn',
        objects: [`job/${subject.namespace}/${name}`, subject.ref],
        evidence: [
          {
            source: `job/${subject.namespace}/${name}`,
            field: 'status',
            value: failed
              ? short(`${failed.reason ?? 'Failed'} ${failed.message ?? ''}`)
              : `active${born !== undefined ? ` for ${age(world.now - born)}` : ''}`,
          },
        ],
        cause:
          'The migration was interrupted; only when the Job has ended is it marked Failed or Succeeded. Failed Jobs are tried again',
        confidence: 'likely',
        remedy: [
          {
            text: 'See the pod of the Job: can it mount the PVC?',
            command: shell`kubectl -n ${subject.namespace} describe pod -l job-name=${name}`,
          },
        ],
        endsByItself: failed ? 'unknown' : 'yes',
      }),
    ]
  },
}
