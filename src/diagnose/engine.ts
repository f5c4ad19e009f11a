import type { Evidence, Gap } from '../evidence/evidence.ts'
import { readKind } from '../evidence/evidence.ts'
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
}

export interface Diagnosis {
  world: World
  judged: Judged[]
  /** Of the checks that apply to some subject, how many could be carried out. */
  evaluated: number
  total: number
  gaps: Gap[]
}

/**
 * Judges the subjects that the evidence holds. Pure: the same evidence and moment give the same findings.
 * @param isAbout which of them were asked about; default all
 * @param place what is judged when there are none
 * @param asked somebody wants to know why these do not move
 */
export function diagnose(
  evidence: Evidence,
  now: number,
  isAbout: (subject: Subject) => boolean = () => true,
  place?: Subject,
  asked = false,
): Diagnosis {
  const world = worldOf(evidence, now)
  const tally = { evaluated: 0, total: 0 }
  const unread = new Map<string, Gap>()
  const subjects = subjectsOf(world).filter(isAbout)
  if (place && subjects.length === 0) subjects.push(place)
  for (const subject of subjects) subject.asked = asked
  const judged = subjects.map((subject) => ({
    subject,
    findings: judge(subject, world, tally, unread),
  }))
  return { world, judged, ...tally, gaps: [...evidence.gaps, ...unread.values()] }
}

function judge(
  subject: Subject,
  world: World,
  tally: { evaluated: number; total: number },
  unread: Map<string, Gap>,
): Finding[] {
  const findings: Finding[] = []
  for (const check of CHECKS) {
    if (!check.when(subject, world)) continue
    tally.total++
    const missing = missingFor(check, world) ?? check.unread?.(subject, world)
    if (missing) {
      // What a reader met as a gap is listed once, not for each check.
      if (world.evidence.gaps.includes(missing)) continue
      unread.set(`${check.name}\0${missing.what}`, {
        ...missing,
        detail: `${check.name}: ${missing.detail}`,
      })
      continue
    }
    tally.evaluated++
    findings.push(...check.judge(subject, world))
  }
  return merged([...findings, ...fromTexts(subject, world, findings)])
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
