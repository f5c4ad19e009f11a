import { timeOf } from '../../kubevirt/migration.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import { age, listing, moment, short } from '../words.ts'

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
