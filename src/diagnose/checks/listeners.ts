import { enteredAt } from '../../kubevirt/migration.ts'
import { rowText } from '../../probe/socket-table.ts'
import { channelsOf, isDue, probeOf, whyUnseen } from '../channels.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { listing, plural, shell } from '../words.ts'
import { startOf } from './proxy.ts'

/** virt-handler's own ports: health and metrics, consoles, statistics (fact sheet data-plane.md §6.3). */
const OWN_PORTS = [8443, 8186, 8187]

/** Whether something listens at every port that the target has published. */
export const listeners: Check = {
  name: 'listeners of the target',
  when: (subject, world) => {
    const probe = probeOf(subject, world)
    return isDue(probe?.target?.listeners, probe)
  },
  needs: [],
  unread: (subject, world) => {
    const probe = probeOf(subject, world)
    return whyUnseen(probe?.target?.listeners, probe)
  },
  judge(subject, world) {
    const target = probeOf(subject, world)?.target
    const closed = channelsOf(subject, world).filter(({ listener }) => listener === 'closed')
    if (target?.listeners?.state !== 'read' || closed.length === 0) return []
    const address = subject.state?.targetNodeAddress ?? ''
    const ports = closed.map(({ port }) => String(port))
    const others = target.listeners.value.filter(
      ({ local }) => !OWN_PORTS.includes(local.port ?? 0) && !isPublished(subject, local.port),
    )
    const isStale = startedSince(subject, world) ?? others.length >= closed.length
    return [
      finding({
        code: isStale ? 'MIG5006' : 'MIG5002',
        title: isStale
          ? `The published ports are stale: on the target ${target.node} nothing listens at ${listing(ports)}${others.length > 0 ? `, but at ${listing(others.map(({ local }) => String(local.port)))}` : ''}`
          : `On the target ${target.node} nothing listens at port ${listing(ports)} (label ${listing(closed.map(({ label }) => String(label)))})`,
        objects: [target.pod, subject.ref, `node/${target.node}`],
        evidence: [
          {
            source: target.pod,
            field: 'ss -ltnH',
            value: `no listener at ${listing(ports)}; ${plural(target.listeners.value.length, 'other')}`,
          },
          ...others.slice(0, 2).map((row) => ({ source: target.pod, value: rowText(row) })),
          {
            source: `vmi/${subject.namespace}/${subject.name}`,
            field: 'status.migrationState.targetDirectMigrationNodePorts',
            value: `${JSON.stringify(subject.state?.targetDirectMigrationNodePorts)} at ${address}`,
          },
        ],
        cause: isStale
          ? 'virt-handler was started again after it had published its ports, and leaves the old map because its address is the same: the source is refused'
          : 'Its proxy has ended or its listener is dead: the source is refused there',
        confidence: isStale ? 'likely' : 'certain',
        remedy: [
          {
            text: "See virt-handler's restarts and its log there",
            command: shell`kubectl -n ${podOf(target.pod).namespace} logs ${podOf(target.pod).name} -c virt-handler`,
          },
          {
            text: 'Cancel and migrate again: a new attempt opens new listeners',
            command: shell`kubectl mig cancel -n ${subject.namespace} ${subject.name}`,
          },
        ],
        endsByItself: subject.phase === 'Running' ? 'yes' : 'no',
        // It was looked at: more than what start times and messages tell.
        weight: 10,
      }),
    ]
  },
}

/** Whether virt-handler listens at the sockets in the source's launcher, at which libvirt and QEMU knock. */
export const sourceSockets: Check = {
  name: 'sockets of the source',
  when: (subject, world) => {
    const probe = probeOf(subject, world)
    return isDue(probe?.source?.unixListeners, probe)
  },
  needs: [],
  unread: (subject, world) => {
    const probe = probeOf(subject, world)
    return whyUnseen(probe?.source?.unixListeners, probe)
  },
  judge(subject, world) {
    const source = probeOf(subject, world)?.source
    const dead = channelsOf(subject, world).filter(({ sourceSocket }) => sourceSocket === 'dead')
    if (!source || dead.length === 0) return []
    return [
      finding({
        code: 'MIG5009',
        title: `On the source ${source.node} nobody listens at the socket of label ${listing(dead.map(({ label }) => String(label)))}`,
        objects: [source.pod, subject.ref, `node/${source.node}`],
        evidence: [
          {
            source: source.pod,
            field: 'ss -xlH',
            value: `no listener at migrationproxy/${subject.vmi?.metadata.uid ?? ''}…-source.sock of ${listing(dead.map(({ label }) => String(label)))}`,
          },
        ],
        cause:
          'The proxy in virt-handler is gone: it was started again, or stopped listening. Its socket file may still be in the launcher',
        remedy: [
          {
            text: "See virt-handler's restarts and its log there",
            command: shell`kubectl -n ${podOf(source.pod).namespace} logs ${podOf(source.pod).name} -c virt-handler`,
          },
          { text: 'Migrate again when this attempt has failed' },
        ],
        endsByItself: 'unknown',
        weight: 10,
      }),
    ]
  },
}

/** Whether the target's virt-handler was started after the ports were published; undefined when that is not known. */
function startedSince({ migration, targetNode }: Subject, world: World): boolean | undefined {
  const pod = world.handlers.get(targetNode ?? '')
  const published = migration && enteredAt(migration, 'TargetReady')
  const start = pod ? startOf(pod) : Number.NaN
  return published === undefined || Number.isNaN(start) ? undefined : start > published
}

function isPublished({ state }: Subject, port: number | undefined): boolean {
  return String(port) in (state?.targetDirectMigrationNodePorts ?? {})
}

function podOf(ref: string): { namespace: string; name: string } {
  const [, namespace = '', name = ''] = ref.split('/')
  return { namespace, name }
}
