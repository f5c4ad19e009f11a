import { LABEL } from '../../kubevirt/labels.ts'
import { phaseOf, timeOf } from '../../kubevirt/migration.ts'
import { isPodFinal } from '../../kubevirt/pods.ts'
import type { KubeObject } from '../../kubevirt/types.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { age, listing, shell } from '../words.ts'

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
                command: shell`kubectl -n ${subject.namespace} delete pod ${pod.metadata.name}`,
              },
            ],
            endsByItself: 'unknown',
          }),
        )
    })
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
            command: shell`kubectl -n ${subject.namespace} delete vmim ${subject.migration!.metadata.name}`,
          },
        ],
        endsByItself: 'no',
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
