import { eventTime } from '../evidence/latest.ts'
import type { LogHit } from '../evidence/log-hits.ts'
import { conditionOf, enteredAt, timeOf } from '../kubevirt/migration.ts'
import type { Migration, Pod } from '../kubevirt/types.ts'
import { isOfStage } from './stage.ts'
import type { Said, Subject, World } from './subject.ts'
import { matchTexts } from './texts.ts'
import { short } from './words.ts'

/**
 * Gives each subject the known texts that are about it: of its own status, events and pods, and of the logs. A log line
 * belongs to the subject that it names (uid, name, pod); one that names none belongs to the only one in trouble.
 */
export function attribute(world: World, subjects: Subject[]): void {
  for (const subject of subjects) subject.said.push(...fromObjects(subject, world))
  const nameless = subjects.find(({ kind, name }) => kind === 'log' && name === '')
  const fallback =
    nameless ?? onlyOne(subjects.filter(({ troubled }) => troubled)) ?? onlyOne(subjects)
  for (const hit of world.evidence.logs) {
    const named = subjects.filter((subject) => names(hit, subject))
    const nobody = isNamed(hit, subjects) ? undefined : (refused(hit, subjects) ?? fallback)
    const about = named.length > 0 ? named : nobody ? [nobody] : []
    for (const subject of about) subject.said.push(...fromLog(hit))
  }
  for (const subject of subjects) {
    const ofStage = subject.said.filter(({ row }) => isOfStage(row.code, subject))
    subject.said = timely(ofStage, subject)
    subject.said.sort((a, b) => (a.time ?? 0) - (b.time ?? 0))
    // A refusal at admission is the only trace of a migration that was never created.
    if (subject.kind === 'vmi') subject.troubled ||= subject.said.some(isRefusal)
    if (subject.phase === 'Succeeded')
      subject.troubled = subject.said.some(
        ({ row }) => row.code === 'MIG9009' || row.code === 'MIG9012',
      )
    if (subject.kind === 'log') subject.troubled = subject.said.some(isTrouble)
  }
}

/** A refusal names the reason and not the VM: it is about the only one that has that reason. */
function refused({ text }: LogHit, subjects: Subject[]): Subject | undefined {
  const reason = /Cannot migrate VMI, Reason: (\w+)/.exec(text)?.[1]
  if (reason === undefined) return undefined
  return onlyOne(
    subjects.filter(({ vmi }) => conditionOf(vmi, 'LiveMigratable')?.reason === reason),
  )
}

function onlyOne<T>(list: T[]): T | undefined {
  return list.length === 1 ? list[0] : undefined
}

function isTrouble({ row, worth }: Said): boolean {
  return (
    worth === 'cause' ||
    worth === 'echo' ||
    /^MIG(0009|2|3|4|80(08|09|10|11|90)|9001)/.test(row.code)
  )
}

function isRefusal({ row, worth }: Said): boolean {
  return worth === 'cause' && /^MIG[01]/.test(row.code)
}

function fromObjects(subject: Subject, world: World): Said[] {
  const said: Said[] = []
  const add = (
    text: string | undefined,
    source: string,
    field: string,
    time?: number,
    count = 1,
  ) => {
    if (!text) return
    for (const { row, groups } of matchTexts(text, 'status'))
      said.push({
        row,
        worth: row.worth,
        groups,
        quote: short(text),
        source,
        field,
        count,
        ...(time !== undefined && { time }),
      })
  }

  const { migration, state, vmi } = subject
  const reason = state?.failureReason ?? migration?.status?.migrationState?.failureReason
  add(reason, subject.ref, 'status.migrationState.failureReason', timeOf(state?.endTimestamp))
  for (const event of subject.events) {
    const { kind = '', name = '' } = event.involvedObject
    const text = event.message ?? ''
    const other = /migration uid (\S+) failed/.exec(text)?.[1]
    if (other && migration?.metadata.uid && other !== migration.metadata.uid) continue
    add(
      text,
      `${refKind(kind)}/${subject.namespace}/${name}`,
      `event ${event.reason ?? ''}`,
      eventTime(event),
      event.count ?? 1,
    )
  }
  const conditions = [...(vmi?.status?.conditions ?? []), ...(migration?.status?.conditions ?? [])]
  for (const condition of conditions)
    if (condition.type !== 'LiveMigratable' && condition.type !== 'StorageLiveMigratable')
      add(
        condition.message,
        subject.ref,
        `condition ${condition.type}`,
        timeOf(condition.lastTransitionTime),
      )
  for (const pod of [...subject.targetPods, ...subject.attachmentPods]) addPod(pod, add)
  for (const node of [subject.sourceNode, subject.targetNode]) {
    const handler = node === undefined ? undefined : world.handlers.get(node)
    if (handler) addPod(handler, add)
  }
  return said
}

function addPod(
  pod: Pod,
  add: (text: string | undefined, source: string, field: string) => void,
): void {
  const source = `pod/${pod.metadata.namespace ?? ''}/${pod.metadata.name}`
  add(pod.status?.message, source, 'status.message')
  for (const status of [
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.containerStatuses ?? []),
  ])
    for (const state of [status.state, status.lastState]) {
      add(state?.waiting?.message, source, `container ${status.name}`)
      add(state?.terminated?.message, source, `container ${status.name}`)
    }
}

function fromLog(hit: LogHit): Said[] {
  return matchTexts(hit.text, 'log').map(({ row, groups }) => ({
    row,
    worth: row.worth,
    groups,
    quote: short(hit.text),
    source: hit.origin.pod ? `log of ${hit.origin.pod}` : hit.origin.file,
    field: `line ${hit.line}`,
    ...(hit.time !== undefined && { time: hit.time }),
    count: hit.count,
    hit,
  }))
}

function names(hit: LogHit, subject: Subject): boolean {
  const uids = [subject.vmi?.metadata.uid, subject.migration?.metadata.uid].filter(
    (uid) => uid !== undefined,
  )
  if (
    uids.some(
      (uid) =>
        hit.uid === uid ||
        hit.listening?.startsWith(uid) ||
        hit.outbound?.startsWith(uid) ||
        hit.text.includes(uid),
    )
  )
    return true
  const own = [subject.name, subject.migration?.metadata.name].filter(
    (name): name is string => !!name,
  )
  if (
    hit.name !== undefined &&
    own.includes(hit.name) &&
    (hit.namespace ?? subject.namespace) === subject.namespace
  )
    return true
  if (isLogOf(hit, subject)) return true
  return own.some((name) =>
    [`${subject.namespace}/${name}`, `${subject.namespace}_${name}`, `virt-launcher-${name}-`].some(
      (token) => mentions(hit.text, token),
    ),
  )
}

/** A log of one of its launchers, also of one that is gone by now, whose name still tells. */
function isLogOf({ origin }: LogHit, { name, namespace, launchers }: Subject): boolean {
  if (launchers.some((pod) => pod.metadata.name === origin.pod)) return true
  const start = `virt-launcher-${name}-`
  return (
    name !== '' &&
    origin.pod?.startsWith(start) === true &&
    /^[a-z0-9]{5}$/.test(origin.pod.slice(start.length)) &&
    (origin.namespace ?? namespace) === namespace
  )
}

/** Whether a line is about some other VM or migration. */
function isNamed(hit: LogHit, subjects: Subject[]): boolean {
  if (subjects.every((subject) => subject.kind === 'log')) return false
  return (
    hit.name !== undefined ||
    /^[0-9a-f-]{36}$/.test(hit.uid ?? '') ||
    (LAUNCHER.exec(hit.text)?.[0].length ?? CUT) < CUT
  )
}

const LAUNCHER = /\bvirt-launcher-[a-z0-9-]+-[a-z0-9]{5}\b/
/** Kubernetes cuts longer names of pods, and then they do not tell the VM's. */
const CUT = 63

function mentions(text: string, token: string): boolean {
  const at = text.indexOf(token)
  if (at < 0) return false
  return token.endsWith('-') || !/[\w-]/.test(text[at + token.length] ?? ' ')
}

const MINUTE = 60_000

/** Whether a line was written while the migration lasted, or in the minutes after it failed; undefined without a time. */
function isDuring({ time, hit }: Said, { migration, earlier }: Subject): boolean | undefined {
  const born = timeOf(migration?.metadata.creationTimestamp)
  if (!hit || !migration || time === undefined || born === undefined) return undefined
  const ended = endOf(migration)
  // In the minute before, another attempt may have ended: what was said then is about that, and in the second of its end.
  const before = Math.max(...earlier.map((older) => endOf(older) ?? 0))
  const since = before > born - MINUTE ? Math.max(born, before + 1000) : born - MINUTE
  return time >= since && (ended === undefined || time <= ended + 10 * MINUTE)
}

/** Times of phases are whole seconds. */
function endOf(migration: Migration): number | undefined {
  return enteredAt(migration, 'Failed') ?? enteredAt(migration, 'Succeeded')
}

/**
 * Lines of other times prove nothing about a migration that goes on. A failed one they may explain where nothing else
 * does, since clocks can be wrong and archives hold logs of one day and objects of another; but not what was written
 * during an earlier migration of the VM.
 */
function timely(said: Said[], subject: Subject): Said[] {
  const begins = said.filter((one) => isBegin(one, subject))
  const at = new Map(
    said.map((one) => [one, isBefore(one, begins) ? false : isDuring(one, subject)]),
  )
  const explained = said.some(
    (one) => at.get(one) !== false && one.worth !== 'noise' && one.worth !== 'fact',
  )
  return said.filter((one) => {
    if (at.get(one) !== false) return true
    // An echo is only ever told as one.
    if (one.worth === 'echo') return subject.phase === 'Failed'
    return subject.phase === 'Failed' && !explained && !isOfEarlier(one, subject)
  })
}

/** Whether a line says that the copy of this migration begins, or may say so. */
function isBegin(one: Said, subject: Subject): boolean {
  if (one.row.code !== 'MIG8031' || !subject.migration) return false
  const ended = endOf(subject.migration)
  const isLater = ended !== undefined && one.time !== undefined && one.time >= ended + 1000
  return !isLater && isDuring(one, subject) !== false
}

/** What stands in a launcher's log above the last begin is about an earlier copy, also of a migration that is gone. */
function isBefore({ hit }: Said, begins: Said[]): boolean {
  return begins.some(
    (begin) => hit && begin.hit?.origin.file === hit.origin.file && hit.line < begin.hit.line,
  )
}

function isOfEarlier({ time }: Said, { earlier }: Subject): boolean {
  return earlier.some((older) => {
    const from = timeOf(older.metadata.creationTimestamp)
    const to = endOf(older)
    return (
      from !== undefined && to !== undefined && time! >= from - MINUTE && time! <= to + 10 * MINUTE
    )
  })
}

const KINDS: Record<string, string> = {
  VirtualMachineInstanceMigration: 'vmim',
  VirtualMachineInstance: 'vmi',
  VirtualMachine: 'vm',
  Pod: 'pod',
}

function refKind(kind: string): string {
  return KINDS[kind] ?? kind.toLowerCase()
}
