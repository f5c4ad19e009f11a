import { parseQuantity, unitsOf, ZERO } from '../../kubevirt/quantity.ts'
import type { MigrationPolicy, Namespace, Quantity } from '../../kubevirt/types.ts'
import { policyFor } from '../../rules/policy.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import type { Subject } from '../subject.ts'
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
    // It would have let the copy go on, or faster: then that it did not apply is what failed it.
    const missed = winner !== undefined && ranOut(subject) && isKinder(winner.policy, subject)
    return [
      finding({
        code: 'MIG2008',
        title:
          matching === undefined
            ? `The migration of ${subject.name} went by policy ${applied}, which no longer matches`
            : missed
              ? `Policy ${matching} matches ${subject.name} now, but the migration that ran out of time went by ${applied ?? 'none'}`
              : `Policy ${matching} matches ${subject.name} now, but the migration goes by ${applied ?? 'none'}`,
        status: missed ? 'fail' : 'info',
        // Above what ended it: the same copy goes well by the policy.
        ...(missed && { weight: 50 }),
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

/** It failed because the copy did not end in time. */
function ranOut({ phase, said }: Subject): boolean {
  return phase === 'Failed' && said.some(({ row }) => /^MIG80(08|09|10|11)$/.test(row.code))
}

/** It gives the copy more time or speed, or a way to end, than what was in force. */
function isKinder({ spec }: MigrationPolicy, { state }: Subject): boolean {
  const had = state?.migrationConfiguration ?? {}
  const rate = (quantity: Quantity | undefined) => {
    const value = unitsOf(parseQuantity(quantity) ?? ZERO)
    return value > 0 ? value : Number.POSITIVE_INFINITY
  }
  return (
    (spec.bandwidthPerMigration !== undefined &&
      rate(spec.bandwidthPerMigration) > rate(had.bandwidthPerMigration)) ||
    Number(spec.completionTimeoutPerGiB ?? 0) > Number(had.completionTimeoutPerGiB ?? 0) ||
    (spec.allowPostCopy === true && !had.allowPostCopy) ||
    (spec.allowAutoConverge === true && !had.allowAutoConverge) ||
    (spec.allowWorkloadDisruption === true && !had.allowWorkloadDisruption)
  )
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
