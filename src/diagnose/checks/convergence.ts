import { isAtLeast } from '../../kubevirt/defaults.ts'
import { timeOf } from '../../kubevirt/migration.ts'
import { parseQuantity, unitsOf, ZERO } from '../../kubevirt/quantity.ts'
import type { MigrationPolicy } from '../../kubevirt/types.ts'
import { configurationOf, settingsFor } from '../../rules/configuration.ts'
import { copyLimits } from '../../rules/convergence.ts'
import type { Check } from '../check.ts'
import { type Finding, finding, type Remedy } from '../finding.ts'
import type { Said, Subject, World } from '../subject.ts'
import { age, exactSeconds, moment, shell } from '../words.ts'
import {
  hasGoneRound,
  isClose,
  isDirtyKnown,
  isLosing,
  measuredProgress,
  type Progress,
  progressEvidence,
  progressOf,
  progressSentence,
  ratesSentence,
  secondsLeft,
  wentInCircles,
} from './copy-progress.ts'
import { evidenceOf, objectsOf, placesOf } from './texts.ts'

/** A copy that does not end: rate against dirty rate, which limit ends it, and what would help. */
export const convergence: Check = {
  name: 'convergence of the copy',
  when: ({ kind, said, phase, state, troubled }) =>
    troubled &&
    kind !== 'vmi' &&
    (said.some(({ row }) => ['MIG8000', 'MIG8009', 'MIG8010', 'MIG8011'].includes(row.code)) ||
      phase === 'Running' ||
      (phase === 'Failed' && state?.startTimestamp !== undefined)),
  needs: [],
  judge(subject, world) {
    const last = progressOf(subject).at(-1) ?? measuredProgress(subject, world)
    const ended = subject.said.filter(
      ({ row, worth }) => worth === 'fact' && ['MIG8009', 'MIG8010'].includes(row.code),
    )
    const aborted = subject.said.filter(({ row }) => row.code === 'MIG8011')
    if (subject.phase === 'Running' && ended.length === 0) return [underWay(subject, world, last)]
    if (ended.length === 0 && aborted.length > 0)
      return [genericAbort(subject, world, aborted, last)]
    if (ended.length === 0)
      return subject.kind === 'log' && last ? [underWay(subject, world, last)] : []
    return [abortedCopy(subject, world, ended, last)]
  },
}

function abortedCopy(
  subject: Subject,
  world: World,
  ended: Said[],
  last: Progress | undefined,
): Finding {
  const best = ended.find(({ hit }) => hit === undefined) ?? ended.at(-1)!
  const stuck = best.row.code === 'MIG8010'
  // Up to v0.52 the seconds that are printed are nanoseconds.
  const printed = Number(best.groups.seconds ?? Number.NaN)
  const nano = printed > 1e8
  const seconds = nano ? Math.round(printed / 1e9) : printed
  const after = Number.isFinite(seconds) ? `${exactSeconds(seconds)}` : ''
  const losing = last !== undefined && wentInCircles(last)
  const limit = stuck ? 'progressTimeout' : 'completionTimeoutPerGiB times the size'
  const quoted = nano ? `; the printed ${printed} are nanoseconds` : ''
  return finding({
    code: losing ? 'MIG8008' : best.row.code,
    title: losing
      ? `The copy did not converge: ${ratesSentence(last)}; aborted ${stuck ? `after ${after} without progress` : `after ${after}`} (${limit}${quoted})`
      : `The copy was aborted ${stuck ? `after ${after} without progress` : `because it was not done after ${after}`} (${limit}${quoted})`,
    objects: objectsOf(subject),
    evidence: [...evidenceOf([best], 1), ...progressEvidence(last)],
    cause: [
      last
        ? progressSentence(last)
        : 'The launcher’s progress lines (Migration info) are not in what was read: whether data still flowed is not known',
      stuck && !losing
        ? 'No byte less remained for the whole time: suspect the transport (network, MTU, target’s load), not the guest'
        : '',
      limitSource(subject, world, stuck ? 'progressTimeout' : 'completionTimeoutPerGiB'),
      placesOf(subject),
    ]
      .filter(Boolean)
      .join('. '),
    confidence: losing && isSure(last) ? 'certain' : 'likely',
    remedy: helps(subject, world, last, stuck && !losing),
  })
}

/** The value of the setting that ended it, and who set it. */
function limitSource(
  subject: Subject,
  { kubevirt, evidence }: World,
  setting: 'progressTimeout' | 'completionTimeoutPerGiB',
): string {
  const name = subject.state?.migrationPolicyName
  const policy = name && evidence.objects.get<MigrationPolicy>('MigrationPolicy', undefined, name)
  const found = settingsFor(kubevirt, policy || undefined)[setting]
  if (!kubevirt && !policy) return ''
  const by = { policy: `policy ${name}`, kubevirt: 'the KubeVirt CR', default: 'the default' }
  return found ? `${setting} is ${found.value} s, by ${by[found.from]}` : ''
}

/** A guest that dirties less than this part of what is copied is not what makes it slow. */
const HARDLY = 0.1

/** The rates are far enough from each other, and it is they that tell. */
function isSure(last: Progress): boolean {
  return isLosing(last) && !isClose(last)
}

/** What would help, by the settings that held: only what is not already on. */
function helps(
  subject: Subject,
  world: World,
  last: Progress | undefined,
  transport = false,
): Remedy[] {
  if (transport)
    return [
      {
        text: 'See whether packets are lost or held between the nodes (ss -ti in both virt-handlers, MTU of the migration network), and the load of the target',
      },
    ]
  const settings =
    subject.state?.migrationConfiguration ?? configurationOf(settingsFor(world.kubevirt))
  // Of a guest that hardly writes, or whose memory was not sent once yet, the link alone is too slow.
  const writes =
    !last || wentInCircles(last) || last.dirtyMbps >= HARDLY * Math.max(1, last.bandwidthMbps)
  return [
    ...(writes ? [{ text: 'Lower the guest’s write load, or migrate at a quieter time' }] : []),
    ...(Number(settings.bandwidthPerMigration ?? 0) !== 0 &&
    unitsOf(parseQuantity(settings.bandwidthPerMigration) ?? ZERO) > 0
      ? [{ text: `Raise bandwidthPerMigration (${settings.bandwidthPerMigration})` }]
      : [{ text: 'Give the migration a faster network (migrations.network)' }]),
    ...(settings.allowAutoConverge || !writes
      ? []
      : [
          {
            text: 'Allow auto-converge, which slows the guest down (allowAutoConverge, in a MigrationPolicy)',
          },
        ]),
    ...(settings.allowPostCopy
      ? []
      : [
          {
            text: 'Allow post-copy (allowPostCopy, in a MigrationPolicy)',
            risk: 'if the stream breaks after the switch, the VM is lost',
          },
        ]),
  ]
}

/** Under way: where it stands, when its limit ends it, and what the target's readiness gate means. */
function underWay(subject: Subject, world: World, last: Progress | undefined): Finding {
  const started = timeOf(subject.state?.startTimestamp)
  const elapsed = started === undefined ? undefined : world.now - started
  const limits =
    subject.vmi &&
    copyLimits(
      subject.state?.migrationConfiguration ?? configurationOf(settingsFor(world.kubevirt)),
      subject.vmi,
    )
  const seconds = limits && limits.completionSeconds > 0 ? limits.completionSeconds : undefined
  const deadline =
    started !== undefined && seconds !== undefined ? started + seconds * 1000 : undefined
  const losing = last !== undefined && isLosing(last) && hasGoneRound(last)
  const mode = subject.state?.mode
  const late =
    !losing && deadline !== undefined && limits?.allowWorkloadDisruption === false
      ? lateBy(last, deadline - world.now)
      : undefined
  const gate = subject.targetPod?.status?.conditions?.some(({ message }) =>
    /virtual-machine-unpaused/.test(message ?? ''),
  )
  return finding({
    code: losing
      ? 'MIG8008'
      : late
        ? 'MIG8030'
        : mode === 'PostCopy'
          ? 'MIG8018'
          : mode === 'Paused'
            ? 'MIG8019'
            : 'MIG8000',
    title: losing
      ? `The copy does not converge: ${ratesSentence(last)}`
      : late
        ? `The copy is too slow for its limit: ${last && !isDirtyKnown(last) ? 'at least' : 'about'} ${exactSeconds(late.needed)} more are needed, and it is aborted in ${exactSeconds(late.left)}`
        : `${subject.name || 'The copy'} is being migrated: Running${elapsed !== undefined ? ` for at least ${age(elapsed)}` : ''}, the copy is in progress${mode && mode !== 'PreCopy' ? ` (${mode})` : ''}`,
    status: losing || late ? 'warn' : 'info',
    objects: objectsOf(subject),
    evidence: progressEvidence(last),
    cause: [
      last
        ? progressSentence(last)
        : 'How fast is not in what was read: the lines "Migration info" of the source launcher’s log would tell slow from stuck',
      seconds !== undefined
        ? `It is aborted after ${exactSeconds(seconds)} (completionTimeoutPerGiB times the size)${deadline !== undefined ? `, at ${moment(deadline)}` : ''}`
        : '',
      gate
        ? 'That the target pod’s readiness gate kubevirt.io/virtual-machine-unpaused is not met is normal before the hand-over'
        : '',
      placesOf(subject),
    ]
      .filter(Boolean)
      .join('. '),
    confidence: (losing && !isSure(last)) || !(subject.vmi || last) ? 'likely' : 'certain',
    remedy:
      losing || late
        ? helps(subject, world, last)
        : [
            {
              text: 'Follow it',
              command: shell`kubectl mig status -n ${subject.namespace} ${subject.name} -w`,
            },
          ],
    endsByItself: 'yes',
    ...(deadline !== undefined && { deadline }),
  })
}

/** Before this, the rate is still that of the beginning. */
const SETTLED_MS = 10_000
/** Rates vary: an estimate that is only a little longer than the limit proves nothing. */
const MARGIN = 1.2

/** When at its rate the copy will be cut off by its limit; seconds. */
function lateBy(
  last: Progress | undefined,
  leftMs: number,
): { needed: number; left: number } | undefined {
  if (!last || last.bandwidthMbps <= 0 || last.elapsedMs < SETTLED_MS || isLosing(last))
    return undefined
  const [needed, left] = [secondsLeft(last), Math.max(0, Math.round(leftMs / 1000))]
  return needed > left * MARGIN ? { needed, left } : undefined
}

/** From v1.9 on, one text for a cancel, a time-out and a stuck copy. */
function genericAbort(
  subject: Subject,
  world: World,
  aborted: Said[],
  last: Progress | undefined,
): Finding {
  const cancelled =
    subject.state?.abortRequested === true ||
    subject.migration?.metadata.deletionTimestamp !== undefined ||
    subject.migration?.status?.conditions?.some(({ type }) => type === 'migrationAbortRequested') ||
    aborted.some(({ quote }) => /live migration aborted\b/i.test(quote))
  const started = timeOf(subject.state?.startTimestamp)
  const ended = timeOf(subject.state?.endTimestamp)
  const seconds =
    started !== undefined && ended !== undefined ? Math.round((ended - started) / 1000) : undefined
  const limits =
    subject.vmi &&
    copyLimits(
      subject.state?.migrationConfiguration ?? configurationOf(settingsFor(world.kubevirt)),
      subject.vmi,
    )
  const byTime =
    seconds !== undefined &&
    limits !== undefined &&
    limits.completionSeconds > 0 &&
    Math.abs(seconds - limits.completionSeconds) <= Math.max(10, limits.completionSeconds * 0.05)
  const early =
    seconds !== undefined &&
    limits !== undefined &&
    limits.completionSeconds > 0 &&
    !byTime &&
    seconds < limits.completionSeconds
  const byProgress = early && seconds >= limits.progressSeconds
  if (cancelled)
    return finding({
      code: 'MIG4020',
      title: `The migration of ${subject.name} was cancelled during the copy`,
      status: 'info',
      objects: [subject.ref],
      evidence: evidenceOf(aborted, 1),
      cause: 'Its VMIM was deleted (abortRequested)',
      remedy: [{ text: 'Start another if it was not intended' }],
    })
  const losing = last !== undefined && wentInCircles(last)
  return finding({
    code: losing ? 'MIG8008' : byTime ? 'MIG8009' : 'MIG8011',
    title: `The copy of ${subject.name} was aborted${seconds !== undefined ? ` after ${exactSeconds(seconds)}` : ''}, and nobody cancelled it${byTime ? `: the completion time-out (${exactSeconds(limits.completionSeconds)})` : byProgress ? `: before its completion time-out (${exactSeconds(limits.completionSeconds)}), so it made no progress (progressTimeout, ${exactSeconds(limits.progressSeconds)})` : ''}`,
    objects: objectsOf(subject),
    evidence: [...evidenceOf(aborted, 1), ...progressEvidence(last)],
    cause: [
      `${world.release && !isAtLeast(world.release, 1, 9) ? 'This text' : 'From v1.9 on this text'} stands for a cancel, for completionTimeoutPerGiB times the size, and for progressTimeout without progress`,
      last
        ? progressSentence(last)
        : 'which one the source launcher’s log tells ("Aborting migration: …"); it is not in what was read',
      placesOf(subject),
    ]
      .filter(Boolean)
      .join('; '),
    confidence: byTime || losing ? 'likely' : 'possible',
    remedy: helps(subject, world, last),
  })
}
