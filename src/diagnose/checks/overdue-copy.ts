import { timeOf } from '../../kubevirt/migration.ts'
import { configurationOf, settingsFor } from '../../rules/configuration.ts'
import { copyLimits } from '../../rules/convergence.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { age, exactSeconds, moment, shell } from '../words.ts'
import { objectsOf } from './texts.ts'

/** An abort takes the launcher half a second to see and libvirt at most 30 s to carry out. */
const ABORT_MS = 120_000
/** The limit is that of the memory at hand-off: what exceeds it only a little proves nothing. */
const LONG = 2

/** A copy that the source's launcher would have ended long ago, by its time limit or because it was told to. */
export const overdueCopy: Check = {
  name: 'end of the copy that is due',
  when: ({ phase, state, migration }) =>
    phase === 'Running' && migration !== undefined && state?.mode !== 'PostCopy',
  needs: ['VirtualMachineInstance'],
  judge(subject, world) {
    return unheardCancel(subject, world) ?? unheardLimit(subject, world) ?? []
  },
}

function unheardCancel(subject: Subject, { now }: World): Finding[] | undefined {
  const asked = timeOf(subject.migration!.metadata.deletionTimestamp)
  if (asked === undefined || now - asked < ABORT_MS) return undefined
  return [
    found(subject, {
      code: 'MIG8020',
      title: `The cancel of ${subject.migration!.metadata.name} was asked for ${age(now - asked)} ago, and the copy still counts as running`,
      field: 'metadata.deletionTimestamp',
      at: asked,
    }),
  ]
}

function unheardLimit(subject: Subject, { now, kubevirt }: World): Finding[] | undefined {
  const { state, vmi } = subject
  const started = timeOf(state?.startTimestamp)
  // With disks to be copied the limit is larger by their size, which is not known here.
  const copiesDisks =
    vmi?.status?.migrationMethod === 'BlockMigration' ||
    (vmi?.status?.migratedVolumes ?? []).length > 0
  if (started === undefined || !vmi || copiesDisks) return undefined
  const settings = state?.migrationConfiguration ?? configurationOf(settingsFor(kubevirt))
  const { completionSeconds, allowWorkloadDisruption } = copyLimits(settings, vmi)
  const limit = completionSeconds * (allowWorkloadDisruption ? 2 : 1)
  if (limit === 0 || now - started < LONG * limit * 1000 + ABORT_MS) return undefined
  return [
    found(subject, {
      code: 'MIG8009',
      title: `${subject.name} has been Running for ${age(now - started)}: its limit of ${exactSeconds(limit)} passed at ${moment(started + limit * 1000)}, and nobody ended the copy`,
      field: 'status.migrationState.startTimestamp',
      at: started,
    }),
  ]
}

function found(
  subject: Subject,
  {
    code,
    title,
    field,
    at,
  }: { code: 'MIG8009' | 'MIG8020'; title: string; field: string; at: number },
): Finding {
  const { namespace, sourceNode, sourcePod } = subject
  return finding({
    code,
    title,
    objects: objectsOf(subject),
    evidence: [{ source: subject.ref, field, value: moment(at), time: at }],
    cause: `The source’s launcher ends such a copy by itself: it hangs, its QEMU does, or virt-handler${sourceNode ? ` on ${sourceNode}` : ''} does not report the end (it was restarted meanwhile, say). The guest may run on either side`,
    confidence: 'likely',
    remedy: [
      {
        text: 'See in both launchers where the domain runs, before anything is deleted',
        ...(sourcePod && {
          command: shell`kubectl -n ${namespace} exec ${sourcePod.metadata.name} -c compute -- virsh list --all`,
        }),
      },
      { text: 'Read the logs of the source launcher and of virt-handler on both nodes' },
    ],
    endsByItself: 'no',
  })
}
