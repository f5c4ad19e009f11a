import { enteredAt } from '../../kubevirt/migration.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import type { World } from '../subject.ts'
import { listing } from '../words.ts'

/** Migrations between namespaces or clusters, which wait for their other half without time-out. */
export const otherHalf: Check = {
  name: 'the two halves of a migration between clusters',
  when: ({ phase }) => phase === 'WaitingForSync' || phase === 'Synchronizing',
  needs: ['VirtualMachineInstanceMigration'],
  judge(subject, world) {
    const { spec } = subject.migration!
    const id = spec.sendTo?.migrationID ?? spec.receive?.migrationID
    const peers = world.migrations.filter(
      (m) =>
        m !== subject.migration &&
        (spec.receive ? m.spec.sendTo?.migrationID === id : m.spec.receive?.migrationID === id),
    )
    const url = spec.sendTo?.connectURL ?? peers[0]?.spec.sendTo?.connectURL
    const since = enteredAt(subject.migration!, subject.phase)
    const podNetwork = url !== undefined && isPodNetwork(url, world)
    const waits = `${subject.phase} has no time-out: it waits until both halves have found each other`
    return [
      finding({
        code: podNetwork ? 'MIG7005' : 'MIG4008',
        title: podNetwork
          ? `${subject.migration!.metadata.name} waits in ${subject.phase}: the peer’s address ${url} is of the pod network, and other clusters have no route to it`
          : `${subject.migration!.metadata.name} waits in ${subject.phase} for its other half`,
        status: peers.length > 0 && !podNetwork ? 'warn' : 'fail',
        objects: [
          subject.ref,
          ...peers.map((m) => `vmim/${m.metadata.namespace ?? ''}/${m.metadata.name}`),
        ],
        evidence: [
          {
            source: subject.ref,
            field: 'status.phase',
            value: subject.phase,
            ...(since !== undefined && { time: since }),
          },
          ...(url ? [{ source: subject.ref, field: 'spec.sendTo.connectURL', value: url }] : []),
        ],
        cause: `${peers.length > 0 ? `The other half is ${listing(peers.map((m) => m.metadata.name))} (${listing(peers.map((m) => m.status?.phase ?? 'no phase'))})` : `No VMIM with migrationID ${id} and the other role is in what was read`}. ${waits}${podNetwork ? '. Whether it is reachable is not shown' : ''}`,
        confidence: 'possible',
        remedy: [
          {
            text: podNetwork
              ? 'Use an address that is routed between the clusters: set migrations.network, and take connectURL from the target’s status.synchronizationAddresses'
              : 'Compare migrationIDs, and connectURL with the target cluster’s status.synchronizationAddresses; see the pods of virt-synchronization-controller',
          },
          { text: 'Or delete both halves' },
        ],
        endsByItself: 'no',
      }),
    ]
  },
}

/** An address of the range that the pods of the cluster are in; where none is known, the customary 10.244/16 and 10.128/14. */
function isPodNetwork(url: string, world: World): boolean {
  const ip = /^(\d+)\.(\d+)\.\d+\.\d+(?::\d+)?$/.exec(url)
  if (!ip) return false
  const prefix = `${ip[1]}.${ip[2]}.`
  if (world.pods.some((pod) => pod.status?.podIP?.startsWith(prefix))) return true
  return prefix === '10.244.' || /^10\.(12[89]|13[01])\.$/.test(prefix)
}
