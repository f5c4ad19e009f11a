import { isAtLeast } from '../../kubevirt/defaults.ts'
import { phaseOf, timeOf } from '../../kubevirt/migration.ts'
import type { KubeObject, Migration } from '../../kubevirt/types.ts'
import { isAutomatic } from '../../rules/backoff.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { age, plural } from '../words.ts'

const HOUR = 3_600_000
const MANY = 4

/** Evacuations or workload updates of one VM that succeed one after the other: something asks for them without end. */
export const movedAgain: Check = {
  name: 'repeated moves of the VM',
  when: ({ kind, earlier }) => kind === 'migration' && earlier.length >= MANY - 1,
  needs: ['VirtualMachineInstanceMigration'],
  judge(subject) {
    const moves = [subject.migration!, ...subject.earlier].filter(
      (m) => isAutomatic(m) && phaseOf(m) !== 'Failed',
    )
    const times = moves.flatMap((m) => timeOf(m.metadata.creationTimestamp) ?? [])
    const span = Math.max(...times) - Math.min(...times)
    if (moves.length < MANY || span > HOUR || subject.earlier.some((m) => phaseOf(m) === 'Failed'))
      return []
    const evacuations = moves.filter(isEvacuation)
    return [
      finding({
        code: 'MIG2016',
        title: `${subject.name} is moved again and again: ${plural(moves.length, 'automatic migration')} within ${age(span)}`,
        status: 'warn',
        objects: moves
          .slice(0, 4)
          .map(({ metadata }) => `vmim/${metadata.namespace ?? ''}/${metadata.name}`),
        cause:
          evacuations.length * 2 > moves.length
            ? 'Evacuations: the descheduler, or drain taints on several nodes, keep evicting it'
            : 'Workload updates: its launcher image or a change stays outdated after each move',
        confidence: 'possible',
        remedy: [
          {
            text:
              evacuations.length * 2 > moves.length
                ? 'See the descheduler’s policies and the nodes’ cordons and taints'
                : 'Compare launcherContainerImageVersion with the image of KubeVirt, and the VMI’s pending changes',
          },
        ],
        endsByItself: 'no',
      }),
    ]
  },
}

function isEvacuation({ metadata }: Migration): boolean {
  return metadata.annotations?.['kubevirt.io/evacuationMigration'] !== undefined
}

/** The migration state names one node as source and target. */
export const sameNode: Check = {
  name: 'two different nodes',
  when: ({ state, troubled }) =>
    troubled && !!state?.sourceNode && state.sourceNode === state.targetNode,
  needs: [],
  judge(subject) {
    const node = subject.state!.sourceNode!
    return [
      finding({
        code: 'MIG4022',
        title: `Source and target of the migration are the same node, ${node} (sourceNode = targetNode)`,
        objects: [subject.ref, `node/${node}`],
        evidence: [
          {
            source: `vmi/${subject.namespace}/${subject.name}`,
            field: 'status.migrationState',
            value: `sourceNode ${node}, targetNode ${node}`,
          },
        ],
        cause:
          'The VM was already there when it was handed off: the end of an earlier migration was not recorded, or the state is stale. Nothing can be copied',
        confidence: 'likely',
        remedy: [
          {
            text: 'Delete this migration, see where the VM really runs (virsh list in its launchers), then start another',
          },
        ],
      }),
    ]
  },
}

/** A node that has lost its kubelet neither prepares nor starts anything. */
export const nodesReady: Check = {
  name: 'both nodes are Ready',
  when: ({ kind, phase }) => kind === 'migration' && !['Succeeded', 'Failed'].includes(phase),
  needs: ['Node'],
  judge(subject, world) {
    return [...new Set([subject.sourceNode, subject.targetNode])].flatMap((name) => {
      const node = world.nodes.find(({ metadata }) => metadata.name === name)
      const ready = node?.status?.conditions?.find(({ type }) => type === 'Ready')
      if (!node || !ready || ready.status === 'True') return []
      const since = timeOf(ready.lastTransitionTime)
      return [
        finding({
          code: 'MIG4023',
          title: `Node ${name}, the ${name === subject.sourceNode ? 'source' : 'target'}, is not Ready (${ready.status}${ready.reason ? `, ${ready.reason}` : ''})`,
          objects: [`node/${name}`, subject.ref],
          evidence: [
            {
              source: `node/${name}`,
              field: 'condition Ready',
              value: `${ready.status} ${ready.message ?? ''}`.trim(),
              ...(since !== undefined && { time: since }),
            },
          ],
          cause:
            'Its kubelet does not report: nothing there is prepared, started or confirmed as ended',
          confidence: 'likely',
          remedy: [
            {
              text: `Restore the node${name === subject.sourceNode ? '; a VM cannot be moved off a node that does not answer, only restarted elsewhere' : ''}`,
            },
          ],
          endsByItself: 'unknown',
        }),
      ]
    })
  },
}

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
