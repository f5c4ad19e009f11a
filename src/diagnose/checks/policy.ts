import type { MigrationPolicy, Namespace } from '../../kubevirt/types.ts'
import { policyFor } from '../../rules/policy.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { listing } from '../words.ts'

/** Whether the policy that matches is the one that was resolved at hand-off; and if none matches, what is in the way. */
export const policy: Check = {
  name: 'migration policy',
  when: ({ state, vmi }) => state !== undefined && vmi !== undefined,
  needs: ['MigrationPolicy', 'VirtualMachineInstance'],
  judge(subject, { evidence: { objects } }) {
    const policies = objects.list<MigrationPolicy>('MigrationPolicy')
    const namespace = objects.get<Namespace>('Namespace', undefined, subject.namespace)
    const labels = {
      ...namespace?.metadata.labels,
      'kubernetes.io/metadata.name': subject.namespace,
    }
    const { winner } = policyFor(policies, subject.vmi?.metadata.labels ?? {}, labels)
    const applied = subject.state?.migrationPolicyName
    const matching = winner?.policy.metadata.name
    if (applied === matching || policies.length === 0) return []
    const near = policies.map(
      (candidate) =>
        `${candidate.metadata.name} wants ${listing(unmet(candidate, subject.vmi?.metadata.labels ?? {}, labels))}`,
    )
    return [
      finding({
        code: 'MIG2008',
        title:
          matching === undefined
            ? `The migration of ${subject.name} went by policy ${applied}, which no longer matches`
            : `Policy ${matching} matches ${subject.name} now, but the migration goes by ${applied ?? 'none'}`,
        status: 'info',
        objects: [subject.ref, ...(matching ? [`migrationpolicy/${matching}`] : [])],
        evidence: [
          {
            source: `vmi/${subject.namespace}/${subject.name}`,
            field: 'status.migrationState.migrationPolicyName',
            value: applied ?? 'absent',
          },
        ],
        cause: `A policy is resolved once, at hand-off: labels or policies were changed since${matching === undefined && near.length > 0 ? `; ${listing(near, 3)}` : ''}`,
        confidence: 'likely',
        remedy: [{ text: 'Migrate again to have it applied' }],
      }),
    ]
  },
}

/** The pairs of a policy's selectors that VM and namespace do not have. */
function unmet(
  { spec: { selectors } }: MigrationPolicy,
  vmi: Record<string, string>,
  namespace: Record<string, string>,
): string[] {
  const lacking = (
    wanted: Record<string, string> | undefined,
    has: Record<string, string>,
    whose: string,
  ) =>
    Object.entries(wanted ?? {}).flatMap(([key, value]) =>
      has[key] === value ? [] : [`${key}=${value} on the ${whose}`],
    )
  return [
    ...lacking(selectors?.virtualMachineInstanceSelector, vmi, 'VMI'),
    ...lacking(selectors?.namespaceSelector, namespace, 'namespace'),
  ]
}
