import { timeOf } from '../../kubevirt/migration.ts'
import { capacityFor } from '../../rules/capacity.ts'
import { admitByLimitRange, type LimitRange } from '../../rules/limit-range.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { listing, shell } from '../words.ts'

/** Events last an hour; so long KubeVirt may take until it has tried to make the pod. */
const TRIED_MS = 30_000

/**
 * Whether the namespace's LimitRanges let the target pod in, for when no event says it. The target asks for what the
 * source does, unless the VM was hot-plugged; a range that came after the source pod refuses only the target.
 */
export const limitRange: Check = {
  name: 'LimitRange of the target pod',
  when: ({ phase, targetPods, migration, sourcePod, said }) =>
    migration !== undefined &&
    phase === 'Pending' &&
    targetPods.length === 0 &&
    sourcePod !== undefined &&
    !said.some(({ row }) => /^MIG300[1-4]/.test(row.code)),
  needs: ['LimitRange'],
  judge(subject, world) {
    const { namespace, sourcePod, migration, vmi } = subject
    const born = timeOf(migration?.metadata.creationTimestamp)
    if (born !== undefined && world.now - born < TRIED_MS) return []
    const around = {
      migrations: world.migrations,
      vmis: world.vmis,
      pods: world.pods,
      kubevirt: world.kubevirt,
    }
    if (!capacityFor(around, vmi?.status?.nodeName).admit) return []
    const ranges = world.evidence.objects
      .list<LimitRange>('LimitRange')
      .filter(
        ({ metadata, spec }) => metadata.namespace === namespace && Array.isArray(spec.limits),
      )
    const decision = admitByLimitRange(sourcePod!, ranges)
    if (decision.admit) return []
    const names = ranges.map(({ metadata }) => metadata.name)
    return [
      finding({
        code: 'MIG3002',
        title: `A LimitRange of the namespace forbids the target pod: ${decision.violations[0]}`,
        objects: [...names.map((name) => `limitrange/${namespace}/${name}`), subject.ref],
        evidence: names.map((name) => ({
          source: `limitrange/${namespace}/${name}`,
          field: 'spec.limits',
          value: listing(decision.violations, 3),
        })),
        cause:
          'The target pod asks for as much as the source pod, which was there before the range or its change; the API server refuses it, and virt-controller tries again with growing delays',
        confidence: 'likely',
        remedy: [
          {
            text: 'Change the LimitRange, or the resources of the VM',
            command: shell`kubectl -n ${namespace} describe limitrange`,
          },
        ],
        endsByItself: 'no',
      }),
    ]
  },
}
