import { ANNOTATION } from '../../kubevirt/labels.ts'
import { phaseOf, timeOf } from '../../kubevirt/migration.ts'
import type { Migration } from '../../kubevirt/types.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { shell } from '../words.ts'

/** Somebody cancels the evacuation of a VM that stays marked for it: the controller makes the next one. */
export const cancelledEvacuation: Check = {
  name: 'evacuation after a cancel',
  when: ({ migration, phase, earlier, vmi }) =>
    migration !== undefined &&
    isEvacuation(migration) &&
    !['Succeeded', 'Failed'].includes(phase) &&
    earlier.length > 0 &&
    !!vmi?.status?.evacuationNodeName,
  needs: ['VirtualMachineInstance'],
  judge(subject, world) {
    const [last] = subject.earlier
    if (!last || !isEvacuation(last)) return []
    const node = subject.vmi?.status?.evacuationNodeName ?? ''
    const ref = `vmi/${subject.namespace}/${subject.name}`
    if (!isCancelled(last)) return stillMarked(last, node, subject, world)
    const born = timeOf(subject.migration?.metadata.creationTimestamp)
    return [
      finding({
        code: 'MIG2013',
        title: `The evacuation of ${subject.name} was cancelled and came back: the VM is still marked for evacuation from ${node}`,
        status: 'warn',
        objects: [subject.ref, ref, `node/${node}`],
        evidence: [
          { source: ref, field: 'status.evacuationNodeName', value: node },
          {
            source: `vmim/${subject.namespace}/${last.metadata.name}`,
            field: 'condition migrationAbortRequested',
            value: 'cancelled; the one after it followed',
            ...(born !== undefined && { time: born }),
          },
        ],
        cause:
          'Deleting an evacuation’s migration does not take the mark away; the evacuation controller makes a new one as long as it stands, or the node keeps its drain taint',
        confidence: 'likely',
        remedy: [
          {
            text: 'Let it move, or take the reason away first: uncordon the node, or remove its drain taint',
            command: shell`kubectl uncordon ${node}`,
          },
          {
            text: 'From v1.7 on, cancel the evacuation itself (subresource evacuate/cancel)',
            command: shell`virtctl evacuate-cancel vmi ${subject.name} -n ${subject.namespace}`,
          },
        ],
        endsByItself: 'no',
      }),
    ]
  },
}

/** The drain was given up: the node takes pods again, but the mark stays, and failed evacuations are repeated. */
function stillMarked(last: Migration, node: string, subject: Subject, world: World): Finding[] {
  const home = world.nodes.find(({ metadata }) => metadata.name === node)
  const isDrained = home?.spec.unschedulable === true || (home?.spec.taints ?? []).length > 0
  if (!home || isDrained || phaseOf(last) !== 'Failed') return []
  const ref = `vmi/${subject.namespace}/${subject.name}`
  return [
    finding({
      code: 'MIG2013',
      title: `${subject.name} is still marked for evacuation from ${node}, which is not cordoned: what fails is tried again without end`,
      status: 'warn',
      objects: [subject.ref, ref, `node/${node}`],
      evidence: [
        { source: ref, field: 'status.evacuationNodeName', value: node },
        {
          source: `vmim/${subject.namespace}/${last.metadata.name}`,
          field: 'status.phase',
          value: 'Failed; the one after it followed',
        },
      ],
      cause: 'Uncordoning a node does not take the mark away that an eviction has set',
      confidence: 'likely',
      remedy: [
        {
          text: 'From v1.7 on, cancel the evacuation (subresource evacuate/cancel)',
          command: shell`virtctl evacuate-cancel vmi ${subject.name} -n ${subject.namespace}`,
        },
      ],
      endsByItself: 'no',
    }),
  ]
}

function isEvacuation({ metadata }: Migration): boolean {
  return metadata.annotations?.[ANNOTATION.evacuationMigration] !== undefined
}

function isCancelled({ status }: Migration): boolean {
  return (status?.conditions ?? []).some(
    (condition) => condition.type === 'migrationAbortRequested' && condition.status === 'True',
  )
}
