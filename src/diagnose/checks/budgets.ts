import { isAtLeast } from '../../kubevirt/defaults.ts'
import { timeOf } from '../../kubevirt/migration.ts'
import type { KubeObject } from '../../kubevirt/types.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'

interface Budget extends KubeObject {
  status?: { desiredHealthy?: number; observedGeneration?: number }
}

/** Up to v1.5 the target pod is made only once the VM's disruption budget asks for two. */
export const budgets: Check = {
  name: 'disruption budget of the VM',
  when: ({ phase, targetPods, migration }) =>
    migration !== undefined && phase === 'Pending' && targetPods.length === 0,
  needs: ['KubeVirt', 'PodDisruptionBudget'],
  judge(subject, world) {
    if (!world.release || isAtLeast(world.release, 1, 6)) return []
    const budget = world.evidence.objects
      .list<Budget>('PodDisruptionBudget')
      .find(
        ({ metadata }) =>
          metadata.namespace === subject.namespace &&
          metadata.ownerReferences?.some(({ name }) => name === subject.name),
      )
    const desired = budget?.status?.desiredHealthy
    if (!budget || desired === undefined || desired >= 2) return []
    const born = timeOf(subject.migration?.metadata.creationTimestamp)
    if (born !== undefined && world.now - born < 60_000) return []
    return [
      finding({
        code: 'MIG2017',
        title: `${subject.name} waits: its PodDisruptionBudget ${budget.metadata.name} is not raised to 2 (desiredHealthy ${desired})`,
        objects: [`poddisruptionbudget/${subject.namespace}/${budget.metadata.name}`, subject.ref],
        evidence: [
          {
            source: `poddisruptionbudget/${subject.namespace}/${budget.metadata.name}`,
            field: 'status.desiredHealthy',
            value: String(desired),
          },
        ],
        cause:
          'Up to v1.5 no target pod is made before it is; kube-controller-manager must observe the change',
        confidence: 'likely',
        remedy: [
          { text: 'See kube-controller-manager (disruption controller) and virt-controller' },
        ],
        endsByItself: 'unknown',
      }),
    ]
  },
}
