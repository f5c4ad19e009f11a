import { enteredAt, timeOf } from '../../kubevirt/migration.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import type { Subject } from '../subject.ts'

/** Kubernetes calls a node lost 40 to 50 s after its last word. */
const UNNOTICED_MS = 60_000

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
  when: ({ kind, phase }) => kind === 'migration' && phase !== 'Succeeded',
  needs: ['Node'],
  judge(subject, world) {
    return [...new Set([subject.sourceNode, subject.targetNode])].flatMap((name) => {
      const node = world.nodes.find(({ metadata }) => metadata.name === name)
      const ready = node?.status?.conditions?.find(({ type }) => type === 'Ready')
      if (!node || !ready || ready.status === 'True') return []
      const since = timeOf(ready.lastTransitionTime)
      if (subject.phase === 'Failed' && !isDuring(since, subject)) return []
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

/** A node that was lost while the migration lasted, or in the minutes in which nobody noticed yet, explains its end. */
function isDuring(since: number | undefined, { migration }: Subject): boolean {
  const [born, ended] = [
    timeOf(migration?.metadata.creationTimestamp),
    migration && enteredAt(migration, 'Failed'),
  ]
  if (since === undefined || born === undefined || ended === undefined) return false
  return since >= born && since <= ended + UNNOTICED_MS
}
