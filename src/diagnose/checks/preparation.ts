import { enteredAt, timeOf } from '../../kubevirt/migration.ts'
import type { Pod } from '../../kubevirt/types.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { age, listing, short } from '../words.ts'

const SLOW_MS = 60_000

/** virt-handler of a node that a migration needs is not ready. */
export const handlers: Check = {
  name: 'virt-handler of both nodes',
  when: ({ kind, phase, troubled }) => kind === 'migration' && troubled && phase !== 'Failed',
  needs: ['Pod'],
  judge(subject, world) {
    const wanted = neededNodes(subject)
    return wanted.flatMap(({ node, role }) => {
      const pod = world.handlers.get(node)
      if (!pod) return world.handlers.size > 0 ? [missing(subject, node, role)] : []
      return isReady(pod) ? [] : [notReady(subject, world, pod, node, role)]
    })
  },
}

type Role = 'source' | 'target'

function neededNodes(subject: Subject): { node: string; role: Role }[] {
  const { phase, sourceNode, targetNode } = subject
  const target: Role[] = ['PreparingTarget', 'TargetReady', 'Running', 'Scheduled'].includes(phase)
    ? ['target']
    : []
  const source: Role[] = ['TargetReady', 'Running', 'WaitingForSync', 'Synchronizing'].includes(
    phase,
  )
    ? ['source']
    : []
  return [...target, ...source].flatMap((role) => {
    const node = role === 'target' ? targetNode : sourceNode
    return node ? [{ node, role }] : []
  })
}

function notReady(subject: Subject, world: World, pod: Pod, node: string, role: Role): Finding {
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready')
  const states = (pod.status?.containerStatuses ?? []).flatMap(({ name, state }) =>
    state?.waiting?.reason
      ? [`${name}: ${state.waiting.reason}`]
      : state?.terminated
        ? [`${name}: exited ${state.terminated.exitCode}`]
        : [],
  )
  const since = timeOf(ready?.lastTransitionTime)
  const how = listing([
    ...states,
    ...(states.length === 0 ? [`Ready=False ${ready?.reason ?? ''}`.trim()] : []),
  ])
  const preparing = role === 'target' && ['Scheduled', 'PreparingTarget'].includes(subject.phase)
  return finding({
    code: preparing ? 'MIG4006' : subject.phase === 'Running' ? 'MIG0005' : 'MIG4021',
    title: `virt-handler on ${node}, the ${role === 'source' && !subject.targetNode ? 'VM’s node' : `${role} node`}, is not ready (${how})${preparing ? ': nobody prepares the target' : ''}`,
    objects: [
      `pod/${pod.metadata.namespace ?? ''}/${pod.metadata.name}`,
      `node/${node}`,
      subject.ref,
    ],
    evidence: [
      {
        source: `pod/${pod.metadata.namespace ?? ''}/${pod.metadata.name}`,
        field: 'status',
        value: how,
        ...(since !== undefined && { time: since }),
      },
    ],
    cause: `In ${subject.phase} the migration waits for it${since !== undefined ? `, not ready for ${age(world.now - since)}` : ''}; ${noTimeout(subject.phase)}`,
    remedy: [
      {
        text: 'Restore virt-handler on that node',
        command: `kubectl -n ${pod.metadata.namespace ?? 'kubevirt'} logs ${pod.metadata.name} --previous`,
      },
      ...(preparing
        ? [
            {
              text: 'Or delete the target pod, which fails the migration; deleting the VMIM alone takes no effect in this phase',
              command: `kubectl -n ${subject.namespace} delete pod ${subject.targetPod?.metadata.name ?? 'TARGET'}`,
              risk: 'the attempt ends',
            },
          ]
        : []),
    ],
    endsByItself: subject.phase === 'Running' ? 'unknown' : 'no',
    weight: 22,
  })
}

function missing(subject: Subject, node: string, role: Role): Finding {
  return finding({
    code: 'MIG0005',
    title: `No virt-handler pod runs on ${node}, the ${role} node`,
    objects: [`node/${node}`, subject.ref],
    evidence: [
      { source: `node/${node}`, value: 'none of the virt-handler pods that were read is on it' },
    ],
    cause: `In ${subject.phase} the migration waits for it; ${noTimeout(subject.phase)}`,
    confidence: 'likely',
    remedy: [
      {
        text: 'See why the DaemonSet virt-handler has no pod there',
        command: 'kubectl get pods -A -l kubevirt.io=virt-handler -o wide',
      },
    ],
    endsByItself: 'no',
  })
}

function noTimeout(phase: string): string {
  return phase === 'Running' ? 'the copy’s own limits apply' : 'no time-out covers this phase'
}

/** Phases after scheduling that take seconds, and don't end by themselves when nobody acts. */
export const slowPhase: Check = {
  name: 'hand-off and preparation take their time',
  when: ({ phase, migration }) =>
    migration !== undefined && ['Scheduled', 'PreparingTarget', 'TargetReady'].includes(phase),
  needs: ['VirtualMachineInstanceMigration'],
  judge(subject, world) {
    const since = enteredAt(subject.migration!, subject.phase)
    const lasted = since === undefined ? 0 : world.now - since
    // Where somebody says why, that is told instead, with the same remark on time-outs.
    if (lasted < SLOW_MS || subject.said.some(({ worth }) => worth === 'cause')) return []
    const published = subject.state?.targetNodeAddress
    const stories = {
      Scheduled: [
        'MIG4002',
        'virt-controller has not handed the migration over: see its log for "failed to match migration policy", "target attachment pod not found" or FailedHandOver',
      ],
      PreparingTarget: [
        'MIG4003',
        `virt-handler on ${subject.targetNode ?? 'the target node'} has not published its ports${published ? '' : ' (no targetNodeAddress)'}: network, volumes or container disks of the target are not ready, or it is down`,
      ],
      TargetReady: [
        'MIG4007',
        `the target listens${published ? ` on ${published}` : ''}, but virt-handler or launcher on ${subject.sourceNode ?? 'the source node'} has not started the copy`,
      ],
    } as const
    const [code, why] = stories[subject.phase as keyof typeof stories]
    return [
      finding({
        code,
        title: `${subject.name} has been in ${subject.phase} for ${age(lasted)}, where seconds are usual`,
        objects: [subject.ref, ...(subject.targetNode ? [`node/${subject.targetNode}`] : [])],
        evidence: [
          {
            source: subject.ref,
            field: 'status.phase',
            value: `${subject.phase} since ${age(lasted)}`,
            ...(since !== undefined && { time: since }),
          },
        ],
        cause: `${why}. No time-out covers this phase`,
        confidence: 'possible',
        remedy: [
          {
            text: `Read the log of virt-handler on ${(subject.phase === 'TargetReady' ? subject.sourceNode : subject.targetNode) ?? 'that node'}`,
            command: 'kubectl get pods -A -l kubevirt.io=virt-handler -o wide',
          },
        ],
        endsByItself: 'no',
        weight: -25,
      }),
    ]
  },
}

/** A deletion that is not acted on: only before hand-off and in Running is a cancel carried out. */
export const deferredCancel: Check = {
  name: 'cancel of the migration',
  when: ({ migration, phase }) =>
    migration?.metadata.deletionTimestamp !== undefined && !['Succeeded', 'Failed'].includes(phase),
  needs: ['VirtualMachineInstanceMigration'],
  judge(subject) {
    const { phase, migration, vmi, state } = subject
    const base = {
      objects: [subject.ref],
      evidence: [
        {
          source: subject.ref,
          field: 'metadata.deletionTimestamp',
          value: migration!.metadata.deletionTimestamp!,
        },
      ],
      endsByItself: 'unknown' as const,
    }
    if (
      !vmi &&
      subject.kind === 'migration' &&
      (migration!.metadata.finalizers ?? []).length > 0 &&
      phase !== 'Running'
    )
      return [
        finding({
          ...base,
          code: 'MIG9007',
          title: `${migration!.metadata.name} hangs in Terminating: its VMI ${subject.name} is gone, its finalizer is not`,
          cause: 'virt-controller drops the finalizer only of a migration whose VMI it can see',
          confidence: 'likely',
          remedy: [
            {
              text: 'Remove the finalizer by hand, once the VM is surely not being moved',
              command: `kubectl -n ${subject.namespace} patch vmim ${migration!.metadata.name} --type merge -p '{"metadata":{"finalizers":null}}'`,
              risk: 'KubeVirt does not clean up after it',
            },
          ],
          endsByItself: 'no',
        }),
      ]
    if (phase === 'Running' && state?.abortStatus === 'Failed')
      return [
        finding({
          ...base,
          code: 'MIG8020',
          title: `The cancel of ${subject.name}’s migration failed (abortStatus Failed): the copy goes on`,
          cause: 'The job could not be aborted: post-copy, already finished, or libvirt hangs',
          remedy: [{ text: 'Let it finish; it may still succeed' }],
        }),
      ]
    if (phase !== 'PreparingTarget' && phase !== 'TargetReady') return []
    return [
      finding({
        ...base,
        code: 'MIG4010',
        title: `The cancel of ${subject.name}’s migration waits: in ${phase} a deletion is not acted on`,
        cause:
          'KubeVirt carries a cancel out before hand-off and while the copy runs; in between it only notes it (migrationAbortRequested)',
        remedy: [
          { text: 'Wait until it runs' },
          {
            text: 'Or delete the target pod, which fails the migration',
            command: `kubectl -n ${subject.namespace} delete pod ${subject.targetPod?.metadata.name ?? 'TARGET'}`,
            risk: 'the attempt ends at once',
          },
        ],
      }),
    ]
  },
}

/** vmi.status.migrationState carries another uid than the migration that is (or was) under way. */
export const takenOver: Check = {
  name: 'owner of the migration state',
  when: ({ said }) => said.some(({ row }) => row.code === 'MIG4011' || row.code === 'MIG4012'),
  needs: ['VirtualMachineInstance'],
  judge(subject, world) {
    if (!subject.troubled) return []
    const uid = subject.vmi?.status?.migrationState?.migrationUid
    const said = subject.said.find(({ row }) => row.code === 'MIG4011' || row.code === 'MIG4012')!
    const owner = world.migrations.find(({ metadata }) => metadata.uid === uid)
    const cleared = said.row.code === 'MIG4012'
    return [
      finding({
        code: cleared ? 'MIG4012' : 'MIG4011',
        title: cleared
          ? `The migration state of ${subject.name} was cleared during the migration`
          : `The migration state of ${subject.name} was taken over: migrationUid is now ${uid ?? 'another'}`,
        objects: [subject.ref, `vmi/${subject.namespace}/${subject.name}`],
        evidence: [
          {
            source: said.source,
            ...(said.field !== undefined && { field: said.field }),
            value: said.quote,
          },
          ...(uid
            ? [
                {
                  source: `vmi/${subject.namespace}/${subject.name}`,
                  field: 'status.migrationState.migrationUid',
                  value: `${uid}, this migration is ${subject.migration?.metadata.uid ?? ''}`,
                },
              ]
            : []),
        ],
        cause: owner
          ? `It belongs to the migration ${owner.metadata.name}`
          : 'No migration with that uid is in what was read: something that is not virt-controller wrote the VMI’s status',
        confidence: owner ? 'certain' : 'likely',
        remedy: [
          {
            text: 'Look for other migrations of the VM, and for tools (backup, GitOps, scripts) that patch its status',
          },
        ],
      }),
    ]
  },
}

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

/** A VM that ended while it was moved; short for what its status says. */
export const vmEnded: Check = {
  name: 'the VM lives on',
  when: ({ vmi, phase }) =>
    phase === 'Failed' && (vmi?.status?.phase === 'Succeeded' || vmi?.status?.phase === 'Failed'),
  needs: ['VirtualMachineInstance'],
  judge(subject) {
    const said = subject.said.find(({ row }) => row.code === 'MIG4013')
    if (!said) return []
    const reason = short(subject.vmi?.status?.phase ?? '')
    return [
      finding({
        code: 'MIG4013',
        title: `${subject.name} shut down during its migration: the VMI is ${reason}`,
        objects: [`vmi/${subject.namespace}/${subject.name}`, subject.ref],
        evidence: [{ source: said.source, value: said.quote }],
        cause: 'The guest powered off or crashed while it was moved; the migration ended with it',
        remedy: [{ text: 'See why the guest ended; start the VM again' }],
      }),
    ]
  },
}

export function isReady(pod: Pod): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready')
  return ready ? ready.status === 'True' : pod.status?.phase === 'Running'
}
