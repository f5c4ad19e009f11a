import { enteredAt } from '../../kubevirt/migration.ts'
import type { Migration } from '../../kubevirt/types.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import { age, plural, shell } from '../words.ts'
import { refOf } from './capacity.ts'
import { componentPodsGap, isReady, statesOf } from './handlers.ts'

/** Of a place in which nothing is told: what is in flight all the same, or what was last. */
export const inFlight: Check = {
  name: 'what is in flight',
  when: ({ place }) => place !== undefined,
  needs: ['VirtualMachineInstanceMigration'],
  judge({ place, name, ref }, { now }) {
    const { inFlight: count, over } = place!
    if (over) return [nothingInFlight(ref, over.lastFailed, now)]
    if (count === 0) return []
    return [
      finding({
        code: 'MIG0011',
        title: `Nothing has failed so far of ${name}: ${plural(count, 'migration')} in flight, none for longer than is usual`,
        status: 'info',
        objects: [ref],
        cause: 'Nothing that was read speaks against them; what they come to is still open',
        confidence: 'possible',
      }),
    ]
  },
}

function nothingInFlight(ref: string, last: Migration | undefined, now: number): Finding {
  const title = 'No migration is in flight'
  if (!last) return finding({ code: 'MIG0012', title, status: 'pass', objects: [ref] })
  const at = enteredAt(last, 'Failed')
  return finding({
    code: 'MIG0012',
    title: `${title}; the last, ${last.metadata.name} of ${last.spec.vmiName ?? 'no VM'}, Failed${at === undefined ? '' : ` ${age(now - at)} ago`}`,
    status: 'warn',
    objects: [ref, refOf(last)],
    cause: 'The proxies of a migration are closed when it ends',
    remedy: [
      {
        text: 'See why it failed',
        command: shell`kubectl mig diagnose proxy -n ${last.metadata.namespace ?? ''} vmim/${last.metadata.name}`,
      },
    ],
  })
}

/** Nothing on a node is prepared, started or cleaned up without its virt-handler. */
export const nodeHandler: Check = {
  name: 'virt-handler of the node',
  when: ({ place }) => place?.node !== undefined,
  needs: ['Pod'],
  unread: (_, { evidence }) => componentPodsGap(evidence),
  judge({ place, ref }, world) {
    const node = place!.node!
    const pod = world.handlers.get(node)
    if (!pod || isReady(pod)) return []
    const pods = `pod/${pod.metadata.namespace ?? ''}/${pod.metadata.name}`
    const how = statesOf(pod)
    return [
      finding({
        code: 'MIG0005',
        title: `virt-handler on ${node} is not ready (${how})`,
        objects: [pods, ref],
        evidence: [{ source: pods, field: 'status', value: how }],
        cause: 'No migration from or to this node gets on without it',
        remedy: [
          {
            text: 'Restore virt-handler on that node',
            command: shell`kubectl -n ${pod.metadata.namespace ?? 'kubevirt'} logs ${pod.metadata.name} --previous`,
          },
        ],
        endsByItself: 'unknown',
      }),
    ]
  },
}
