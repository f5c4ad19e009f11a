import { LABEL } from '../../kubevirt/labels.ts'
import { phaseOf, timeOf } from '../../kubevirt/migration.ts'
import { isPodFinal } from '../../kubevirt/pods.ts'
import type { KubeObject, Pod } from '../../kubevirt/types.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { age, listing, moment, short } from '../words.ts'
import { evidenceOf } from './texts.ts'

/** Launcher pods of earlier migrations that have not ended: no target pod is made while two live. */
export const lingering: Check = {
  name: 'launcher pods of earlier migrations',
  when: ({ launchers }) => launchers.length > 1,
  needs: ['Pod'],
  judge(subject, world) {
    const old = subject.launchers.filter((pod) => isLeftOver(pod, subject) && !isPodFinal(pod))
    return old.flatMap((pod) => sidecar(pod, subject) ?? stillRunning(pod, subject, world))
  },
}

/** Not the VM's current pod, and not the target of the migration that is looked at. */
function isLeftOver(pod: Pod, { vmi, targetPods, phase, sourcePod, migration }: Subject): boolean {
  if (pod === sourcePod && phase !== 'Succeeded') return false
  const current = pod.spec.nodeName !== undefined && pod.spec.nodeName === vmi?.status?.nodeName
  if (current) return false
  // A failed migration's own target pod counts for the next one only.
  return !targetPods.includes(pod) || (migration !== undefined && phase === 'Succeeded')
}

function sidecar(pod: Pod, subject: Subject): Finding[] | undefined {
  const statuses = pod.status?.containerStatuses ?? []
  const compute = statuses.find(({ name }) => name === 'compute')
  const alive = statuses.filter(({ name, state }) => name !== 'compute' && state?.running)
  if (!compute?.state?.terminated || alive.length === 0) return undefined
  const names = listing(alive.map(({ name }) => name))
  return [
    finding({
      code: 'MIG9003',
      title: `The old pod ${pod.metadata.name} on ${pod.spec.nodeName ?? '?'} is kept alive only by ${names}`,
      status: subject.phase === 'Pending' ? 'fail' : 'warn',
      objects: [
        `pod/${subject.namespace}/${pod.metadata.name}`,
        `vmi/${subject.namespace}/${subject.name}`,
      ],
      evidence: [
        {
          source: `pod/${subject.namespace}/${pod.metadata.name}`,
          field: 'containers',
          value: `compute ended (${compute.state.terminated.reason ?? compute.state.terminated.exitCode}), ${names} runs`,
        },
      ],
      cause: `The VM has moved (it runs on ${subject.vmi?.status?.nodeName ?? '?'}), the sidecar was not told to end; it blocks later migrations: virt-controller counts multiple pods`,
      remedy: [
        {
          text: 'Delete the old pod',
          command: `kubectl -n ${subject.namespace} delete pod ${pod.metadata.name}`,
        },
        { text: 'Upgrade KubeVirt, which ends istio-proxy itself (quitquitquit)' },
      ],
      endsByItself: 'no',
    }),
  ]
}

function stillRunning(pod: Pod, subject: Subject, world: World): Finding[] {
  const uid = pod.metadata.labels?.[LABEL.migrationJobUid]
  const maker = world.migrations.find(({ metadata }) => metadata.uid === uid)
  const failed = maker !== undefined && phaseOf(maker) === 'Failed'
  if (subject.kind === 'vmi' && maker === undefined) return []
  if (subject.phase === 'Succeeded') {
    const ended = timeOf(subject.state?.endTimestamp)
    if (ended === undefined || world.now - ended < 600_000) return []
  }
  const waits = ['', 'Pending'].includes(subject.phase) && subject.kind === 'migration'
  if (!waits && subject.phase !== 'Succeeded') return []
  const deleting = pod.metadata.deletionTimestamp !== undefined
  return [
    finding({
      code: 'MIG9001',
      title: `${failed ? `The target pod ${pod.metadata.name} of the earlier, failed migration ${maker.metadata.name}` : `The launcher pod ${pod.metadata.name} of an earlier migration`} still runs on ${pod.spec.nodeName ?? '?'}${waits ? `; ${subject.migration?.metadata.name} waits for its end` : ''}`,
      status: 'warn',
      objects: [`pod/${subject.namespace}/${pod.metadata.name}`, subject.ref],
      evidence: [
        {
          source: `pod/${subject.namespace}/${pod.metadata.name}`,
          field: 'status.phase',
          value: `${pod.status?.phase ?? ''}${deleting ? `, being deleted since ${pod.metadata.deletionTimestamp}` : ''}`,
        },
        ...evidenceOf(
          subject.said.filter(({ row }) => row.code === 'MIG9001'),
          1,
        ),
      ],
      cause: `While two launcher pods of a VM have not ended, no target pod is created; there is no event and no condition. ${failed ? 'A target launcher that got no guest exits by itself within 5 min (240 to 360 s)' : deleting ? 'It is being deleted: if its node is gone, nobody confirms that' : 'It should have ended'}`,
      remedy: [
        {
          text: failed
            ? 'Wait for it to end'
            : 'See why it does not end (node gone, finalizer, hung storage)',
        },
        {
          text: 'Or delete it, once it is sure that the VM does not run in it',
          command: `kubectl -n ${subject.namespace} delete pod ${pod.metadata.name}`,
          risk: 'if the VM does run in it, it is killed',
        },
      ],
      endsByItself: failed ? 'yes' : 'unknown',
    }),
  ]
}

/** virt-controller says that several pods run, and the API shows one. */
export const staleCount: Check = {
  name: 'what virt-controller counts',
  when: ({ said, phase }) => phase === 'Pending' && said.some(({ row }) => row.code === 'MIG9001'),
  needs: ['Pod'],
  judge(subject) {
    const live = subject.launchers.filter((pod) => !isPodFinal(pod))
    const over = subject.launchers.filter(isPodFinal)
    if (live.length > 1 || over.length === 0) return []
    const said = subject.said.filter(({ row }) => row.code === 'MIG9001')
    const [pod] = over
    const active = Object.keys(subject.vmi?.status?.activePods ?? {}).length
    return [
      finding({
        code: 'MIG9006',
        title: `virt-controller counts multiple pods of ${subject.name}, the API shows ${live.length} alive: ${listing(over.map((p) => p.metadata.name))} is ${pod!.status?.phase}`,
        status: 'warn',
        objects: [subject.ref, ...over.map((p) => `pod/${subject.namespace}/${p.metadata.name}`)],
        evidence: evidenceOf(said, 1),
        cause: `Its log line is older than the end of that pod, or its cache is stale${active > 1 ? `; that the VMI still lists ${active} pods in its status says nothing, finished ones stay there` : ''}`,
        confidence: 'possible',
        remedy: [
          {
            text: 'If the line is newer than the pod’s end: delete the completed pod',
            command: `kubectl -n ${subject.namespace} delete pod ${pod!.metadata.name}`,
          },
          { text: 'Or restart virt-controller, which reads everything anew' },
        ],
        endsByItself: 'unknown',
      }),
    ]
  },
}

/** A PVC that is being deleted, and a finished launcher that still refers to it. */
export const heldClaim: Check = {
  name: 'claims that hang in Terminating',
  when: ({ launchers, vmi }) => launchers.length > 0 && vmi !== undefined,
  needs: ['PersistentVolumeClaim', 'Pod'],
  judge(subject, world) {
    const claims = world.evidence.objects.list<KubeObject>('PersistentVolumeClaim')
    return subject.launchers.filter(isPodFinal).flatMap((pod) => {
      const used = new Set(
        (pod.spec.volumes ?? []).map(
          (v) => (v['persistentVolumeClaim'] as { claimName?: string } | undefined)?.claimName,
        ),
      )
      return claims
        .filter(
          ({ metadata }) =>
            metadata.namespace === subject.namespace &&
            metadata.deletionTimestamp !== undefined &&
            used.has(metadata.name),
        )
        .map(({ metadata }) =>
          finding({
            code: 'MIG9002',
            title: `PVC ${metadata.name} hangs in Terminating: the ${pod.status?.phase === 'Succeeded' ? 'Completed' : 'Failed'} pod ${pod.metadata.name} still refers to it`,
            status: 'warn',
            objects: [
              `pvc/${subject.namespace}/${metadata.name}`,
              `pod/${subject.namespace}/${pod.metadata.name}`,
            ],
            evidence: [
              {
                source: `pvc/${subject.namespace}/${metadata.name}`,
                field: 'metadata',
                value: `deletionTimestamp ${metadata.deletionTimestamp}, finalizers ${listing(metadata.finalizers ?? [])}`,
              },
            ],
            cause: `The migration itself is over${subject.phase === 'Succeeded' ? ' and went well' : ''}; pvc-protection keeps a claim as long as a pod object names it, and KubeVirt keeps the pods of the last five migrations`,
            confidence: 'likely',
            remedy: [
              {
                text: 'Delete that pod',
                command: `kubectl -n ${subject.namespace} delete pod ${pod.metadata.name}`,
              },
            ],
            endsByItself: 'unknown',
          }),
        )
    })
  },
}

/** Network plugins that keep the address with the finished pod: the VM is unreachable after its move. */
export const sharedAddress: Check = {
  name: 'addresses of finished launcher pods',
  when: ({ launchers, vmi }) => launchers.length > 1 && vmi?.status?.phase === 'Running',
  needs: ['Pod'],
  judge(subject) {
    const current = subject.launchers.find(
      (pod) =>
        pod.status?.phase === 'Running' && pod.spec.nodeName === subject.vmi?.status?.nodeName,
    )
    const ip = current?.status?.podIP
    const ghosts = subject.launchers.filter(
      (pod) => isPodFinal(pod) && ip !== undefined && pod.status?.podIP === ip,
    )
    const [ghost] = ghosts
    if (!current || !ghost) return []
    return [
      finding({
        code: 'MIG9004',
        title: `The running pod ${current.metadata.name} and the ${ghost.status?.phase === 'Succeeded' ? 'Completed' : 'Failed'} pod ${listing(ghosts.map((pod) => pod.metadata.name))} have the same IP ${ip}`,
        status: 'warn',
        objects: ghosts.map((pod) => `pod/${subject.namespace}/${pod.metadata.name}`),
        evidence: [
          {
            source: `pod/${subject.namespace}/${ghost.metadata.name}`,
            field: 'status.podIP',
            value: `${ip}, phase ${ghost.status?.phase}`,
          },
        ],
        cause:
          'The VM has moved, but network plugins with fixed addresses (kube-ovn) may keep the port bound to the finished pod: the VM is unreachable, above all after a second migration',
        confidence: 'likely',
        remedy: [
          {
            text: 'Delete the finished pod',
            command: `kubectl -n ${subject.namespace} delete pod ${ghost.metadata.name}`,
          },
        ],
        endsByItself: 'no',
      }),
    ]
  },
}

/** One half of a migration between clusters that did not notice the end. */
export const staleHalf: Check = {
  name: 'the other half of the migration',
  when: ({ migration, phase }) =>
    (migration?.spec.sendTo ?? migration?.spec.receive) !== undefined &&
    !['Succeeded', 'Failed'].includes(phase),
  needs: ['VirtualMachineInstanceMigration'],
  judge(subject, world) {
    const { sendTo, receive } = subject.migration!.spec
    const id = sendTo?.migrationID ?? receive?.migrationID
    const peer = world.migrations.find(
      (m) =>
        m !== subject.migration && (sendTo ? m.spec.receive : m.spec.sendTo)?.migrationID === id,
    )
    if (!peer || phaseOf(peer) !== 'Succeeded') return []
    const done =
      subject.vmi === undefined || ['Succeeded', 'Failed'].includes(subject.vmi.status?.phase ?? '')
    return [
      finding({
        code: 'MIG9005',
        title: `The ${sendTo ? 'send' : 'receive'} half ${subject.migration!.metadata.name} is still ${subject.phase}, though the ${sendTo ? 'receive' : 'send'} half ${peer.metadata.name} has Succeeded: a stale object`,
        status: 'warn',
        objects: [subject.ref, `vmim/${peer.metadata.namespace ?? ''}/${peer.metadata.name}`],
        evidence: [
          {
            source: `vmim/${peer.metadata.namespace ?? ''}/${peer.metadata.name}`,
            field: 'status.phase',
            value: 'Succeeded',
          },
          ...(subject.vmi
            ? [
                {
                  source: `vmi/${subject.namespace}/${subject.name}`,
                  field: 'status.phase',
                  value: subject.vmi.status?.phase ?? '',
                },
              ]
            : []),
        ],
        cause: `The VM runs on the target${done ? ' and its source has ended' : ''}; a race kept this half from being finished`,
        confidence: done ? 'likely' : 'possible',
        remedy: [
          {
            text: `Delete the stale half, after it is sure that the source VMI is gone or Succeeded`,
            command: `kubectl -n ${subject.namespace} delete vmim ${subject.migration!.metadata.name}`,
          },
        ],
        endsByItself: 'no',
      }),
    ]
  },
}

/** The guest already ran on the target when the source died, or was never seen there. */
export const lostAfterHandOver: Check = {
  name: 'the hand-over to the target',
  when: ({ vmi, migration }) => migration !== undefined && vmi?.status?.phase === 'Failed',
  needs: ['VirtualMachineInstance', 'Pod'],
  judge(subject) {
    const state = subject.state ?? subject.vmi?.status?.migrationState
    const ready = timeOf(state?.targetNodeDomainReadyTimestamp)
    if (ready === undefined || state?.mode === 'PostCopy') return []
    const pod = subject.sourcePod
    const ended = pod?.status?.containerStatuses?.find(({ name }) => name === 'compute')?.state
      ?.terminated
    const at = timeOf(ended?.finishedAt)
    const how = ended
      ? `${ended.reason ?? ''} (exit code ${ended.exitCode ?? '?'})`.trim()
      : (pod?.status?.phase ?? 'gone')
    return [
      finding({
        code: 'MIG9008',
        title: `${subject.name} was lost after the hand-over: the target domain was ready on ${subject.targetNode ?? 'the target'} at ${moment(ready)}, the source pod ${pod?.metadata.name ?? ''} ended ${how}${at !== undefined ? ` ${age(at - ready)} later` : ''} before it reported success`,
        objects: [
          `vmi/${subject.namespace}/${subject.name}`,
          ...(pod ? [`pod/${subject.namespace}/${pod.metadata.name}`] : []),
        ],
        evidence: [
          {
            source: `vmi/${subject.namespace}/${subject.name}`,
            field: 'status.migrationState.targetNodeDomainReadyTimestamp',
            value: moment(ready),
            time: ready,
          },
          ...(pod
            ? [
                {
                  source: `pod/${subject.namespace}/${pod.metadata.name}`,
                  field: 'container compute',
                  value: short(how),
                  ...(at !== undefined && { time: at }),
                },
              ]
            : []),
        ],
        cause: `The guest already ran on the target; then the source died, the VMI was marked Failed and the target removed${/OOM/.test(how) ? '. The source launcher was OOMKilled' : ''}`,
        confidence: 'likely',
        remedy: [
          {
            text: 'Start the VM again; see why the source pod ended (memory limit, eviction)',
            risk: 'what was in its memory is gone',
          },
        ],
        endsByItself: 'no',
      }),
    ]
  },
}

/** Running although the copy is complete: a hotplug is not finished. */
export const unfinishedHotplug: Check = {
  name: 'completion after the copy',
  when: ({ phase, state }) =>
    phase === 'Running' && state?.completed === true && state.failed !== true,
  needs: ['VirtualMachineInstance'],
  judge(subject) {
    const pending = (subject.vmi?.status?.conditions ?? []).filter(
      ({ type, status }) =>
        type === 'HotVCPUChange' ||
        (['HotMemoryChange', 'MigrationRequired'].includes(type) && status === 'True'),
    )
    if (pending.length === 0) return []
    return [
      finding({
        code: 'MIG8026',
        title: `The copy of ${subject.name} is complete, but the migration stays Running: ${listing(pending.map(({ type }) => type))} is not finished`,
        status: 'warn',
        objects: [subject.ref, `vmi/${subject.namespace}/${subject.name}`],
        evidence: pending.map(({ type, status, message }) => ({
          source: `vmi/${subject.namespace}/${subject.name}`,
          field: `condition ${type}`,
          value: `${status} ${message ?? ''}`.trim(),
        })),
        cause:
          'The change for which it was moved is not applied on the target yet; see the events "failed to change vCPUs" and "failed to update guest memory"',
        confidence: 'likely',
        remedy: [{ text: 'See the target launcher’s log' }],
        endsByItself: 'unknown',
      }),
    ]
  },
}

/** A finished VMI-side clean-up that the target's virt-handler did not do. */
export const targetLabel: Check = {
  name: 'clean-up by the target’s virt-handler',
  when: ({ vmi, phase, kind }) =>
    vmi?.metadata.labels?.[LABEL.migrationTargetNode] !== undefined &&
    (phase === 'Succeeded' || kind === 'vmi'),
  needs: ['VirtualMachineInstance'],
  judge(subject, world) {
    const ended = timeOf(subject.vmi?.status?.migrationState?.endTimestamp)
    if (ended === undefined || world.now - ended < 300_000) return []
    return [
      finding({
        code: 'MIG9011',
        title: `The label ${LABEL.migrationTargetNode} is still on ${subject.name}, ${age(world.now - ended)} after the end`,
        status: 'info',
        objects: [`vmi/${subject.namespace}/${subject.name}`],
        cause: 'The target’s virt-handler removes it in its final clean-up, which it has not done',
      }),
    ]
  },
}
