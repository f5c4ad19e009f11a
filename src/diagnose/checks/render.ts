import { hasPersistentState } from '../../kubevirt/backend-storage.ts'
import { conditionOf, timeOf } from '../../kubevirt/migration.ts'
import { newStateClaim } from '../../rules/backend-storage.ts'
import { capacityFor } from '../../rules/capacity.ts'
import type { StorageClass } from '../../rules/volume-binding.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { age, listing } from '../words.ts'

/** Pending with free slots and no pod: what virt-controller needs to render the target pod, and fails on silently. */
export const silentRender: Check = {
  name: 'rendering of the target pod',
  when: ({ phase, targetPods, vmi, migration }) =>
    migration !== undefined &&
    phase === 'Pending' &&
    targetPods.length === 0 &&
    vmi?.status?.phase === 'Running',
  needs: ['VirtualMachineInstanceMigration'],
  judge(subject, world) {
    const { vmi, migration } = subject
    if (
      !capacityFor(
        {
          migrations: world.migrations,
          vmis: world.vmis,
          pods: world.pods,
          kubevirt: world.kubevirt,
        },
        vmi?.status?.nodeName,
      ).admit
    )
      return []
    if ((migration?.status?.conditions ?? []).some(({ status }) => status === 'True')) return []
    const born = timeOf(migration?.metadata.creationTimestamp)
    if (born !== undefined && world.now - born < 30_000) return []
    const lacks: string[] = []
    if (vmi?.status?.selinuxContext === '')
      lacks.push('vmi.status.selinuxContext is empty (SELinux context not set on VMI status)')
    const node = world.nodes.find(({ metadata }) => metadata.name === vmi?.status?.nodeName)
    if (world.nodes.length > 0 && !node)
      lacks.push(`node ${vmi?.status?.nodeName} of the VM does not exist`)
    const classes = world.evidence.objects.list<StorageClass>('StorageClass')
    const storage = { kubevirt: world.kubevirt, classes, profiles: [] }
    if (vmi && hasPersistentState(vmi) && classes.length > 0 && !newStateClaim(vmi, storage).ok)
      lacks.push(
        'the VM has persistent TPM or EFI, and there is neither vmStateStorageClass nor a default storage class',
      )
    if (lacks.length === 0) return []
    return [
      finding({
        code: 'MIG3060',
        title: `virt-controller cannot render the target pod of ${subject.name}: ${listing(lacks)}`,
        objects: [subject.ref, `vmi/${subject.namespace}/${subject.name}`],
        evidence: [
          {
            source: subject.ref,
            field: 'status.phase',
            value: `Pending${born !== undefined ? ` for ${age(world.now - born)}` : ''}, no target pod, slots free`,
          },
        ],
        cause:
          'Such an error is tried again with growing delays, without event or condition; only virt-controller’s log names it',
        confidence: 'likely',
        remedy: [
          {
            text: 'Mend what is named; the migration goes on by itself then',
            command: 'kubectl logs -A -l kubevirt.io=virt-controller --tail=200',
          },
        ],
        endsByItself: 'no',
      }),
    ]
  },
}

/** A target pod that the API server refuses, for a reason that no known text covers. */
export const createRefused: Check = {
  name: 'creation of the target pod',
  when: ({ migration, phase }) => migration !== undefined && phase === 'Pending',
  needs: [],
  judge(subject) {
    const refused = subject.events.filter(
      ({ reason, message }) =>
        reason === 'FailedCreate' &&
        /Error creating (?:attachment )?pod|failed to render launch manifest|failed to create/.test(
          message ?? '',
        ),
    )
    const last = refused.at(-1)
    if (!last || subject.said.some(({ row, worth }) => worth === 'cause' && /^MIG3/.test(row.code)))
      return []
    const ready = conditionOf(subject.vmi, 'Ready')
    return [
      finding({
        code: 'MIG3005',
        title: `The target pod of ${subject.name} cannot be created: ${(last.message ?? '').replace(/^\(combined from similar events\): /, '').slice(0, 200)}`,
        objects: [subject.ref, `vmi/${subject.namespace}/${subject.name}`],
        evidence: [
          {
            source: `vmi/${subject.namespace}/${subject.name}`,
            field: 'event FailedCreate',
            value: (last.message ?? '').slice(0, 240),
          },
        ],
        cause: `The API server refuses it; virt-controller tries again with growing delays${ready?.status === 'True' ? ', the VM itself runs on' : ''}`,
        remedy: [{ text: 'Mend what the text names' }],
        endsByItself: 'no',
      }),
    ]
  },
}
