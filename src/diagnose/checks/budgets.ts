import { isAtLeast } from '../../kubevirt/defaults.ts'
import { timeOf } from '../../kubevirt/migration.ts'
import { isPodFinal } from '../../kubevirt/pods.ts'
import type { KubeObject } from '../../kubevirt/types.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { shell } from '../words.ts'

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
    const budget = budgetOf(subject, world)
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

/** Left at two after a migration, it forbids every eviction of the one pod that there is. */
export const raisedBudget: Check = {
  name: 'disruption budget after the migration',
  when: ({ kind, phase }) => kind === 'vmi' || phase === 'Succeeded' || phase === 'Failed',
  needs: ['PodDisruptionBudget'],
  judge(subject, world) {
    // Old releases made one of its own for each migration (kubevirt-migration-pdb-…), beside that of the VM.
    const budget = budgetsOf(subject, world).find(({ status }) => (status?.desiredHealthy ?? 0) > 1)
    const desired = budget?.status?.desiredHealthy
    if (!budget) return []
    const live = subject.launchers.filter((pod) => !isPodFinal(pod))
    if (live.length !== 1) return []
    return [
      finding({
        code: 'MIG9015',
        title: `The PodDisruptionBudget ${budget.metadata.name} of ${subject.name} was left raised: it wants ${desired} pods, there is one`,
        status: 'warn',
        objects: [`poddisruptionbudget/${subject.namespace}/${budget.metadata.name}`],
        evidence: [
          {
            source: `poddisruptionbudget/${subject.namespace}/${budget.metadata.name}`,
            field: 'status.desiredHealthy',
            value: String(desired),
          },
        ],
        cause:
          'KubeVirt up to v1.5 raises it for a migration and lowers it afterwards; left raised it blocks every drain of the node',
        confidence: 'likely',
        remedy: [
          {
            text: 'Delete it: KubeVirt up to v1.5 makes it anew, later releases need none',
            command: shell`kubectl -n ${subject.namespace} delete pdb ${budget.metadata.name}`,
          },
        ],
        endsByItself: 'no',
      }),
    ]
  },
}

function budgetOf(subject: Subject, world: World): Budget | undefined {
  return budgetsOf(subject, world)[0]
}

function budgetsOf(subject: Subject, { evidence }: World): Budget[] {
  return evidence.objects
    .list<Budget>('PodDisruptionBudget')
    .filter(
      ({ metadata }) =>
        metadata.namespace === subject.namespace &&
        metadata.ownerReferences?.some(({ name }) => name === subject.name),
    )
}
