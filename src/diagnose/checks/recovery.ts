import { hasPersistentState } from '../../kubevirt/backend-storage.ts'
import { timeOf } from '../../kubevirt/migration.ts'
import type { Job } from '../../rules/job.ts'
import { type Recovery, recoveryJobName, recoveryOf } from '../../rules/recovery-job.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { age, shell, short } from '../words.ts'

/** The Job that decides which PVC of the persistent state is valid after an interruption (control-plane.md §2.4). */
export const recovery: Check = {
  name: 'recovery of the persistent state',
  when: ({ migration, phase, vmi }) =>
    migration !== undefined && !['Succeeded', 'Failed'].includes(phase) && hasPersistentState(vmi),
  needs: ['Job'],
  judge(subject, world) {
    const name = recoveryJobName(subject.migration!.metadata.name)
    const job = world.evidence.objects.get<Job>('Job', subject.namespace, name)
    const recovery = job && recoveryOf(job)
    if (!job || !recovery || recovery.found === 'target') return []
    const broken = recovery.found === 'error'
    const { state, next } = stateOf(job, recovery, world.now)
    return [
      finding({
        code: 'MIG4024',
        title: `${subject.name} waits for the Job ${name}, which looks which PVC of its TPM or EFI state is the valid one${broken ? ': it failed' : ''}`,
        status: broken ? 'fail' : 'warn',
        objects: [`job/${subject.namespace}/${name}`, subject.ref],
        evidence: [{ source: `job/${subject.namespace}/${name}`, field: 'status', value: state }],
        cause: `The migration was interrupted; only when the Job has ended is it marked Failed or Succeeded. ${next}`,
        confidence: 'likely',
        remedy: [
          {
            text: 'See the pod of the Job: can it mount the PVC?',
            command: shell`kubectl -n ${subject.namespace} describe pod -l job-name=${name}`,
          },
        ],
        endsByItself: broken ? 'unknown' : 'yes',
      }),
    ]
  },
}

function stateOf(job: Job, recovery: Recovery, now: number): { state: string; next: string } {
  const born = timeOf(job.metadata.creationTimestamp)
  switch (recovery.found) {
    case 'error':
      return { state: short(`Failed ${recovery.message}`), next: 'Failed Jobs are tried again' }
    case 'source':
      return {
        state: 'Failed PodFailurePolicy: there is no marker in the PVC of the source',
        next: 'The guest had not gone over: it ends as Failed, and the PVC of the target is deleted',
      }
    default:
      return {
        state: `active${born !== undefined ? ` for ${age(now - born)}` : ''}`,
        next: 'Failed Jobs are tried again',
      }
  }
}
