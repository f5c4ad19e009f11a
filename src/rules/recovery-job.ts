import { conditionOf } from '../kubevirt/migration.ts'
import type { Migration } from '../kubevirt/types.ts'
import type { Job } from './job.ts'

/** The source's launcher has written it when the guest has gone over. */
export const MIGRATED = 'migrated'
/** Where the part of the claim that it is in is mounted in the Job's pod, and what that part is called. */
export const META = 'meta'
/** The marker is not there. */
const NOT_MIGRATED = 42

const NON_ROOT = 107

/**
 * The Job that looks which of two claims holds the state that counts, after a migration was interrupted (fact sheet
 * control-plane.md §2.4; the rest of its spec as in KubeVirt's public code).
 */
export function recoveryJob({ metadata }: Migration, claimName: string, image: string): Job {
  const name = recoveryJobName(metadata.name)
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ownerReferences: [
        {
          apiVersion: 'kubevirt.io/v1',
          kind: 'VirtualMachineInstanceMigration',
          name: metadata.name,
          uid: metadata.uid ?? '',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      activeDeadlineSeconds: 30,
      backoffLimit: 0,
      ttlSecondsAfterFinished: 30,
      podFailurePolicy: {
        rules: [
          {
            action: 'FailJob',
            onExitCodes: { containerName: 'container', operator: 'In', values: [NOT_MIGRATED] },
          },
        ],
      },
      template: {
        spec: {
          restartPolicy: 'Never',
          securityContext: {
            runAsNonRoot: true,
            runAsUser: NON_ROOT,
            runAsGroup: NON_ROOT,
            fsGroup: NON_ROOT,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              name: 'container',
              image,
              command: ['bash'],
              args: ['-c', `ls /${META}/${MIGRATED} || exit ${NOT_MIGRATED}`],
              securityContext: {
                allowPrivilegeEscalation: false,
                capabilities: { drop: ['ALL'] },
              },
              volumeMounts: [{ name: 'backend-storage', mountPath: `/${META}`, subPath: META }],
            },
          ],
          volumes: [{ name: 'backend-storage', persistentVolumeClaim: { claimName } }],
        },
      },
    },
  }
}

export function recoveryJobName(migration: string): string {
  return `recover-${migration}`
}

/** What the Job has found: the target's claim counts, the source's does, nothing yet; or it could not look. */
export type Recovery =
  | { found: 'target' }
  | { found: 'source' }
  | { found: 'nothing-yet' }
  | { found: 'error'; message: string }

export function recoveryOf(job: Job): Recovery {
  const is = (type: string) => conditionOf(job, type)?.status === 'True'
  if (is('Complete')) return { found: 'target' }
  if (!is('Failed')) return { found: 'nothing-yet' }
  const { reason, message = '' } = conditionOf(job, 'Failed') ?? {}
  return reason === 'PodFailurePolicy' ? { found: 'source' } : { found: 'error', message }
}
