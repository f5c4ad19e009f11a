import type { ReportVerdict } from '../diagnose/report.ts'
import { publishedPorts } from '../kubevirt/migration.ts'
import type { Event, Migration } from '../kubevirt/types.ts'
import type { Forecast } from '../migrate/forecast.ts'
import { type Observed, ownState } from '../migrate/observed.ts'
import { type CopyProgress, doneOf, estimateOf, rateRangeOf } from '../migrate/progress.ts'
import type { CopyReport, MigrationReport } from '../migrate/report.ts'
import { podTrouble } from '../migrate/steps.ts'
import { isCancelling, type Span } from '../migrate/timeline.ts'
import { givesUpAt, hasSlot, type Waiting } from '../migrate/waiting.ts'
import { type Obstacle, wording } from '../rules/placement-obstacle.ts'
import {
  count,
  formatAge,
  formatBytes,
  formatDuration,
  formatMilliseconds,
  formatPercent,
  formatRange,
  formatRate,
  formatRateRange,
} from './units.ts'

/** The words for what src/migrate found. Its values come in, sentences go out; nothing is decided here. */

/** The unset phase has no name of its own. */
export function phaseName(phase: string): string {
  return phase || 'Created'
}

export function spanText(span: Span | undefined): string {
  if (!span) return ''
  return span.exact ? formatDuration(span.ms) : formatAge(span.ms)
}

/** What goes on in a phase, while it lasts. */
export function activeDetail(phase: string, observed: Observed, now: number): string {
  const state = ownState(observed)
  const pod = observed.targetPod
  const target = state?.targetNode ?? pod?.spec.nodeName ?? 'the target node'
  const source = state?.sourceNode ?? observed.vmi?.status?.nodeName ?? 'the source node'
  const text = activeText()
  return isCancelling(observed) ? `${text}${text ? '; ' : ''}being cancelled` : text

  function activeText(): string {
    switch (phase) {
      case '':
        return 'virt-controller has not looked at it yet'
      case 'Pending':
        return pod ? `target pod ${pod.metadata.name}` : waitingText(observed)
      case 'Scheduling':
        return podText(observed, now)
      case 'Scheduled':
        return `being handed over to virt-handler on ${target}`
      case 'PreparingTarget':
        return `virt-handler on ${target} prepares the target`
      case 'TargetReady':
        return `virt-handler on ${source} is to start the copy`
      case 'Running':
        return runningText(observed)
      default:
        return ''
    }
  }
}

/** What came of a phase that is over. */
export function doneDetail(phase: string, observed: Observed): string {
  const { migration, targetPod } = observed
  const state = ownState(observed)
  const node = state?.targetNode ?? targetPod?.spec.nodeName
  switch (phase) {
    case '':
      return migration.metadata.name
    case 'Pending':
      return named('target pod', state?.targetPod ?? targetPod?.metadata.name)
    case 'Scheduling':
      return named('the target pod runs on', node)
    case 'Scheduled':
      return named('handed over to virt-handler on', state?.targetNode)
    case 'PreparingTarget':
      return listening(observed)
    case 'TargetReady':
      return state?.startTimestamp ? named('copy started by', state.sourceNode) : ''
    default:
      return ''
  }
}

/** What KubeVirt says of the waiting in conditions, else what the limits say. */
function waitingText(observed: Observed): string {
  const { migration, waiting } = observed
  for (const { type, status, message = '' } of migration.status?.conditions ?? []) {
    const text = status === 'True' ? blockText({ type, message }) : undefined
    if (text) return text
  }
  if (!waiting) return 'the target pod is to come'
  if (hasSlot(observed)) return 'it has a slot, the target pod starts'
  return waiting.admit
    ? 'a slot is free, the target pod is to come'
    : limitText(waiting, migration.metadata.namespace)
}

/** In KubeVirt's words where it has any; undefined for a condition that holds nothing. */
export function blockText({ type, message }: { type: string; message: string }) {
  return BLOCKS[type] && (message || BLOCKS[type])
}

/** Conditions of the migration that hold it in Pending (fact sheet control-plane.md §1.3). */
const BLOCKS: Record<string, string> = {
  migrationRejectedByResourceQuota: 'a resource quota of the namespace refuses the target pod',
  migrationBlockedByUtilityVolumes: 'waits for utility volumes to be detached',
  migrationBlockedByBackup: 'waits for a backup to complete',
  decentralizedMigrationBlocked: 'waits for the other cluster',
}

function podText(observed: Observed, now: number): string {
  const { targetPod } = observed
  if (!targetPod) return 'the target pod starts'
  const { metadata, spec } = targetPod
  const place = spec.nodeName ? ` starts on ${spec.nodeName}` : ' has no node yet'
  const trouble = troubleText(observed, now)
  return `target pod ${metadata.name}${place}${trouble ? `: ${trouble}` : ''}`
}

/** Why the target pod does not start, and how long KubeVirt waits for it; empty when nothing is wrong. */
export function troubleText(observed: Observed, now: number): string {
  const trouble = observed.targetPod && podTrouble(observed.targetPod)
  const deadline = givesUpAt(observed, now)
  if (!trouble || deadline === undefined) return trouble ?? ''
  return `KubeVirt gives up in ${formatAge(deadline - now)}: ${trouble}`
}

function runningText(observed: Observed): string {
  if (observed.progress) return copyText(observed.progress)
  const state = ownState(observed)
  if (state?.completed) return 'copied; the target finishes'
  return state?.mode === 'PostCopy' ? 'copying, the guest runs on the target already' : 'copying'
}

function listening(observed: Observed): string {
  const state = ownState(observed)
  const ports = publishedPorts(state).map(({ port }) => port)
  if (!state?.targetNodeAddress) return ''
  return `${state.targetNode} listens at ${state.targetNodeAddress}, ports ${ports.join(', ')}`
}

/** `ETA 1–2s, 37 MiB left, 24–31 MiB/s, dirty 6 MiB/s`, the end first, for lines are cut; what is not known is left out. */
export function copyText(progress: CopyProgress): string {
  const { remainingBytes, dirtyRate } = progress
  const rate = rateRangeOf(progress)
  const estimate = remainingBytes === 0 ? undefined : estimateOf(progress)
  return [
    estimate ? `ETA ${formatRange(estimate.minMs, estimate.maxMs)}` : '',
    remainingBytes === undefined ? '' : `${formatBytes(remainingBytes)} left`,
    rate ? formatRateRange(rate.min, rate.max) : '',
    dirtyRate === undefined ? '' : `dirty ${formatRate(dirtyRate)}`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** The same with the percentage in front, for a line of its own. */
export function copyLine(progress: CopyProgress): string {
  const done = doneOf(progress)
  return `${done === undefined ? '' : `${formatPercent(done)}, `}${copyText(progress)}`
}

/** `no policy; slots used: cluster 0 of 5, node-1 0 of 2`. */
export function forecastText(forecast: Forecast): string {
  const { policy, quota, target, bound } = forecast
  const name = policy?.winner?.policy.metadata.name
  const which = policy ? (name ? `policy "${name}"` : 'no policy') : 'policies unknown'
  const refused = quota?.admit === false ? `; it will wait: ${quota.blockers[0].message}` : ''
  return `${which}; ${capacityText(forecast)}${refused}${targetText(target)}${boundText(bound)}`
}

function targetText(target: Forecast['target']): string {
  if (!target?.obstacle) return ''
  const { node, obstacle, givesUpAfter } = target
  const end = `KubeVirt gives up after ${formatAge(givesUpAfter)}`
  return `; it will wait: ${node} ${obstacleText(obstacle)}, ${end}`
}

function boundText(bound: Forecast['bound']): string {
  if (!bound) return ''
  const labels = listed(Object.entries(bound.selector).map(([key, value]) => `${key}=${value}`))
  const end = `KubeVirt gives up after ${formatAge(bound.givesUpAfter)}`
  return `; it will wait: no other node has ${labels}, which its own node selector asks for, ${end}`
}

function obstacleText(obstacle: Obstacle): string {
  if (obstacle.kind === 'unschedulable') return 'is cordoned'
  if (obstacle.kind === 'taint') {
    const { key, value, effect } = obstacle.taint
    return `has the taint ${key}${value ? `=${value}` : ''}:${effect}`
  }
  const missing = obstacle.kind === 'node-affinity' ? Object.entries(obstacle.missing) : []
  if (missing.length > 0)
    return `is without ${listed(missing.map(([key, value]) => `${key}=${value}`))}`
  return `does not take the target pod: ${wording(obstacle)}`
}

function capacityText({ capacity, node: source, namespace }: Forecast): string {
  if (!capacity) return 'slots unknown'
  if (capacity.admit) {
    const { cluster, node } = capacity
    const slots = [`cluster ${cluster.used} of ${cluster.of}`]
    if (node) slots.push(`${source} ${node.used} of ${node.of}`)
    return `slots used: ${slots.join(', ')}`
  }
  return `it will wait: ${limitText(capacity, namespace)}`
}

/** Whether a migration that is created now would have to wait. */
export function willWait({ capacity, quota, target, bound }: Forecast): boolean {
  const noNode = target?.obstacle !== undefined || bound !== undefined
  return capacity?.admit === false || quota?.admit === false || noNode
}

/** What could not be read for a forecast; why is in the report. */
export function unseenText({ gaps }: Forecast): string {
  return listed(gaps.map(({ what }) => what))
}

/** Which limit holds a migration, by whom; there are no positions in KubeVirt's queue (design.md §4). */
function limitText(
  { limit, used, of, node, by, standing }: Extract<Waiting, { admit: false }>,
  namespace: string | undefined,
): string {
  const which = limit === 'cluster' ? 'the cluster' : node
  const above = standing.above.length
  const competing = standing.competing.length
  const holders = by.map(({ metadata, spec }) =>
    metadata.namespace === namespace ? spec.vmiName : `${metadata.namespace}/${spec.vmiName}`,
  )
  const more = holders.length - FEW
  const shown = more > 0 ? [...holders.slice(0, FEW), `${more} more`] : holders
  return [
    `${used} of ${of} slots of ${which} are in use`,
    ...(above > 0 ? [`${above} waiting ${above === 1 ? 'ranks' : 'rank'} above it`] : []),
    ...(competing > 0 ? [`${competing} ${competing === 1 ? 'competes' : 'compete'} with it`] : []),
    ...(shown.length > 0 ? [`used by ${listed(shown.map(String))}`] : []),
  ].join(', ')
}

/** Names of those that hold a limit, in a line. */
const FEW = 6

/** `87 MiB in 3 rounds, downtime 41 ms, content verified`; what nobody measured is said to be unknown. */
export function copiedText(copy: CopyReport | null): string {
  const bytes = copy?.transferredBytes ?? undefined
  const rounds = copy?.rounds ?? undefined
  const downtime = copy?.downtimeSeconds ?? undefined
  const unknown = [
    ...(bytes === undefined ? ['bytes'] : []),
    ...(rounds === undefined ? ['rounds'] : []),
    ...(downtime === undefined ? ['downtime'] : []),
  ]
  return [
    ...(bytes === undefined ? [] : [`${formatBytes(bytes)} copied`]),
    ...(rounds === undefined ? [] : [count(rounds, 'round')]),
    ...(downtime === undefined ? [] : [`downtime ${formatMilliseconds(downtime * 1000)}`]),
    ...(copy?.verified === true ? ['content verified'] : []),
    ...(copy?.verified === false ? ['CONTENT DIFFERS'] : []),
    ...(unknown.length > 0 ? [`${listed(unknown)} unknown`] : []),
  ].join(', ')
}

/** `vm-1 moved from node-1 to node-3 in 4s` */
export function movedText({
  vm,
  sourceNode,
  targetNode,
  durationSeconds,
}: MigrationReport): string {
  const time = durationSeconds === null ? '' : ` in ${formatDuration(durationSeconds * 1000)}`
  return `${vm} moved from ${sourceNode ?? 'an unknown node'} to ${targetNode ?? 'an unknown node'}${time}`
}

/** Of one that is followed instead of being made. */
export function joinedText({ metadata }: Migration): string {
  return `${metadata.name} is in flight already`
}

/** Of the mark that makes KubeVirt move a VM away, again and again. */
export function undoneText(node: string | undefined): string {
  return node === undefined ? 'it was not being evicted' : `undone; it may stay on ${node}`
}

/** What asking for the end does now (fact sheet control-plane.md §2.10). */
export function askedText({ effect, again }: { effect: string; again: boolean }): string {
  return `${again ? 'asked for before' : 'asked for'}${EFFECTS[effect] ?? ''}`
}

/** What a diagnosis says, in one line: what it is, and what to do first. */
export function verdictText({ title, code, next }: ReportVerdict): string {
  const [first] = next
  return `${title} (${code})${first ? `; next: ${first.text}` : ''}`
}

const EFFECTS: Record<string, string> = {
  immediate: '; it ends at once',
  deferred: '; KubeVirt takes notice when the copy starts',
  requested: '; the source node stops the copy',
}

export function warningText({ reason, message, involvedObject }: Event): string {
  return `${reason}: ${message ?? ''} (${shortKind(involvedObject.kind)}/${involvedObject.name})`
}

function shortKind(kind: string | undefined): string {
  switch (kind) {
    case 'VirtualMachineInstanceMigration':
      return 'vmim'
    case 'VirtualMachineInstance':
      return 'vmi'
    case 'VirtualMachine':
      return 'vm'
    default:
      return (kind ?? 'object').toLowerCase()
  }
}

function named(what: string, name: string | undefined): string {
  return name ? `${what} ${name}` : ''
}

function listed(words: string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
