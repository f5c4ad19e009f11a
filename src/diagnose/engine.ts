import type { Evidence, Gap } from '../evidence/evidence.ts'
import { readKind } from '../evidence/evidence.ts'
import { channelGaps } from './channels.ts'
import type { Check } from './check.ts'
import { CHECKS } from './checks/index.ts'
import { fromTexts } from './checks/texts.ts'
import type { Finding } from './finding.ts'
import type { Subject, World } from './subject.ts'
import { subjectsOf } from './subjects.ts'
import { worldOf } from './world.ts'

export interface Judged {
  subject: Subject
  findings: Finding[]
  /** Without which a check that applies to it could not be carried out, or is less sure. */
  unread: Gap[]
}

export interface Diagnosis {
  world: World
  judged: Judged[]
  /** Of the checks that apply to some subject, how many could be carried out. */
  evaluated: number
  total: number
  gaps: Gap[]
}

export interface Asked {
  /** Which subjects are asked about; default all. */
  isAbout?: (subject: Subject) => boolean
  /** Which of those are told, once they are judged; default all. */
  isTold?: (judged: Judged) => boolean
  /** The place that is asked about; it is judged too where nothing in it is told, and a node always. */
  place?: (untold: Subject[], world: World) => Subject
  /** Somebody wants to know why these do not move. */
  asked?: boolean
}

/** Judges the subjects that the evidence holds. Pure: the same evidence and moment give the same findings. */
export function diagnose(
  evidence: Evidence,
  now: number,
  { isAbout = () => true, isTold = () => true, place, asked = false }: Asked = {},
): Diagnosis {
  const world = worldOf(evidence, now)
  const tally = { evaluated: 0, total: 0 }
  const unread = new Map<string, Gap>()
  const subjects = subjectsOf(world).filter(isAbout)
  for (const subject of subjects) subject.asked = asked
  const all = subjects.map((subject) => judge(subject, world, tally, unread))
  const judged = all.filter(isTold)
  if (place) {
    const untold = all.filter((one) => !judged.includes(one)).map(({ subject }) => subject)
    const where = place(untold, world)
    if (judged.length === 0 || where.place?.node !== undefined)
      judged.push(judge(where, world, tally, unread))
  }
  // First what makes cells of the table of channels unknown: a reader looks there first.
  const first = (evidence.probes ?? []).flatMap(channelGaps)
  const decisive = evidence.gaps.filter((gap) => isAmong(first, gap))
  const others = evidence.gaps.filter((gap) => !decisive.includes(gap))
  return { world, judged, ...tally, gaps: [...decisive, ...others, ...unread.values()] }
}

function judge(
  subject: Subject,
  world: World,
  tally: { evaluated: number; total: number },
  unread: Map<string, Gap>,
): Judged {
  const findings: Finding[] = []
  const gaps = new Set(
    world.evidence.gaps.filter(({ why }) => why === 'malformed' || why === 'truncated'),
  )
  for (const check of CHECKS) {
    if (!check.when(subject, world)) continue
    tally.total++
    const missing = missingFor(check, world) ?? check.unread?.(subject, world)
    if (missing) {
      gaps.add(missing)
      // What a reader met as a gap is listed once, not for each check.
      if (isAmong(world.evidence.gaps, missing)) continue
      unread.set(`${check.name}\0${missing.what}`, {
        ...missing,
        detail: `${check.name}: ${missing.detail}`,
      })
      continue
    }
    tally.evaluated++
    const unsure = check.unsure?.(subject, world)
    if (unsure) gaps.add(unsure)
    findings.push(...check.judge(subject, world))
  }
  const all = merged([...findings, ...fromTexts(subject, world, findings)])
  return { subject, findings: all, unread: [...gaps] }
}

/** A reader keeps one of several that are alike. */
function isAmong(gaps: readonly Gap[], { what, detail }: Gap): boolean {
  return gaps.some((gap) => gap.what === what && gap.detail === detail)
}

function missingFor(check: Check, { evidence }: World): Gap | undefined {
  for (const kind of check.needs) {
    const read = readKind(evidence, kind)
    if (read.state === 'unread') return read.gap
  }
  return undefined
}

const ORDER = ['fail', 'warn', 'unknown', 'info', 'pass']

/** One finding for each code: what several checks found under it is put together under the worst. */
function merged(findings: Finding[]): Finding[] {
  const byCode = new Map<string, Finding>()
  for (const found of findings) {
    const known = byCode.get(found.code)
    if (!known) {
      byCode.set(found.code, found)
      continue
    }
    const [first, second] =
      ORDER.indexOf(found.status) < ORDER.indexOf(known.status) ? [found, known] : [known, found]
    byCode.set(found.code, {
      ...first,
      objects: [...new Set([...first.objects, ...second.objects])],
      evidence: [...first.evidence, ...second.evidence],
    })
  }
  return [...byCode.values()]
}
