import { isFinal } from '../../kubevirt/migration.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { listing, plural, shell } from '../words.ts'

/** A migration gets one target pod; where it has a second, the first ended before the hand-off and says why. */
export const failedTargets: Check = {
  name: 'earlier target pods of the migration',
  when: ({ migration, targetPods }) =>
    migration !== undefined && !isFinal(migration) && targetPods.length > 1,
  needs: ['Pod'],
  judge(subject) {
    const failed = subject.targetPods.filter((pod) => pod.status?.phase === 'Failed')
    if (failed.length === 0) return []
    const last = failed.at(-1)!
    const nodes = [...new Set(failed.flatMap(({ spec }) => spec.nodeName ?? []))]
    return [
      finding({
        code: 'MIG3044',
        title: `${plural(failed.length, 'target pod')} of ${subject.migration!.metadata.name} failed already${nodes.length > 0 ? `, on ${listing(nodes)}` : ''}, and another was made`,
        status: 'warn',
        objects: [
          subject.ref,
          ...failed.map(({ metadata }) => `pod/${subject.namespace}/${metadata.name}`),
        ],
        evidence: failed.slice(-3).map(({ metadata, spec, status }) => ({
          source: `pod/${subject.namespace}/${metadata.name}`,
          field: 'status.phase',
          value: `Failed on ${spec.nodeName ?? 'no node'}${status?.reason ? `: ${status.reason}` : ''}`,
        })),
        cause:
          'Each target pod ended before the migration was handed off, and virt-controller made the next: it may go on so. Why they ended is in their logs and events',
        confidence: 'likely',
        remedy: [
          {
            text: 'See why the last one ended',
            command: shell`kubectl -n ${subject.namespace} logs ${last.metadata.name} -c compute`,
          },
          {
            text: 'Cancel the migration',
            command: shell`kubectl mig cancel -n ${subject.namespace} vmim/${subject.migration!.metadata.name}`,
            risk: 'the attempt ends',
          },
        ],
      }),
    ]
  },
}
