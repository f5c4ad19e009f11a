import { CATALOGUE } from '../catalogue.ts'
import { type EvidenceItem, type Finding, finding } from '../finding.ts'
import type { Said, Subject, World } from '../subject.ts'
import { fill } from '../texts.ts'
import { listing, shell } from '../words.ts'

const HALF_A_CAUSE = 60

/**
 * What known texts alone tell, for codes that no other check has found: a cause is a failure, and where only echoes
 * were heard, that is said. Of a subject that is well, texts prove nothing.
 */
export function fromTexts(subject: Subject, world: World, found: readonly Finding[]): Finding[] {
  if (!subject.troubled) return []
  const known = new Set<string>(found.map(({ code }) => code))
  // The condition on the VMI tells the same as the webhook that read it.
  if (found.some(({ code, status }) => /^MIG100\d/.test(code) && status === 'fail'))
    known.add('MIG1009')
  const all = subject.said.filter((said) => isCause(said, subject) && !known.has(said.row.code))
  const first = all.filter(({ row }) => !row.follows)
  const follows =
    found.some(isFailure) || first.some(({ worth, row }) => worth === 'cause' && !row.byAnyClient)
  const causes = follows ? first : all
  const echoes = subject.said.filter(
    ({ worth, row }) => worth === 'echo' || (follows && row.follows),
  )
  const byCode = [...Map.groupBy(causes, ({ row }) => row.code).values()]
  const isForeign = (said: Said[]) => said.every(({ row }) => row.byAnyClient)
  const sure = byCode
    .filter((said) => !isForeign(said))
    .map((said) => withEchoes(fromCause(said, subject), echoes))
  const isRoot = isOnlyRoot([...found, ...sure], subject, world)
  const foreign = byCode.filter(isForeign).map((said) => {
    const told = { ...fromCause(said, subject), confidence: 'possible' as const }
    if (isRoot) return withEchoes(told, echoes)
    const { endsByItself: _, ...rest } = told
    return { ...rest, status: subject.kind === 'log' ? ('warn' as const) : ('info' as const) }
  })
  const findings = [...sure, ...foreign]
  const explained = [...found, ...findings].some(isBad)
  // A copy that goes on may hear echoes of another one.
  const over = subject.phase === 'Failed' || subject.kind === 'log'
  if (explained || echoes.length === 0 || !over) return findings
  return [...findings, onlyEchoes(echoes, subject, world)]
}

function isFailure({ status }: Finding): boolean {
  return status === 'fail'
}

function isBad({ status }: Finding): boolean {
  return status === 'fail' || status === 'warn'
}

/** Whether what any client may have brought about is all there is to explain a failure, and we were not that client. */
function isOnlyRoot(others: Finding[], { phase, migration }: Subject, world: World): boolean {
  const probed = world.evidence.probes?.some(
    ({ migrationUid, handshake }) =>
      migrationUid === migration?.metadata.uid && handshake !== undefined,
  )
  return phase === 'Failed' && !probed && !others.some(isBad)
}

const NO_TIMEOUT = ['Scheduled', 'PreparingTarget', 'TargetReady']

/** One finding from all that was said under a code: worded by the most telling row. */
export function fromCause(said: Said[], subject: Subject): Finding {
  const best = said.find(({ hit }) => hit === undefined) ?? said[0]!
  const { row, groups } = best
  const where = [placesOf(subject), /^MIG800[2-6]/.test(row.code) ? imagesOf(subject) : '']
    .filter(Boolean)
    .join('. ')
  const waits = NO_TIMEOUT.includes(subject.phase)
  const endless = waits
    ? `In ${subject.phase} it is tried again; no time-out covers this phase`
    : ''
  return finding({
    code: row.code,
    title: fill(row.title, groups),
    ...(/^MIG(2|4008|8019|9001)/.test(row.code) && { status: 'warn' as const }),
    objects: objectsOf(subject),
    evidence: evidenceOf(said),
    cause: [capital(fill(row.means, groups)), endless, where].filter(Boolean).join('. '),
    confidence: best.hit && subject.kind !== 'log' ? 'likely' : 'certain',
    remedy: [{ text: capital(fill(row.next, groups)) }],
    ...(waits && { endsByItself: 'no' as const }),
  })
}

/** Where there are only logs, what virt-controller says of waiting and time-outs is all that there is. */
const TOLD_ALONE = /^MIG(0009|200[123]|2010|3014|304[012]|4004|4008|8011|8019|9001)$/

function isCause({ worth, row }: Said, { kind }: Subject): boolean {
  return worth === 'cause' || (kind === 'log' && worth === 'fact' && TOLD_ALONE.test(row.code))
}

/** Where the cause is only half a cause, people look at what stands beside it: say what of that to ignore. */
function withEchoes(found: Finding, heard: Said[]): Finding {
  // The envelope of every failure is no news.
  const echoes = heard.filter(({ row }) => row.code !== 'MIG8028')
  if (echoes.length === 0 || CATALOGUE[found.code].rank >= HALF_A_CAUSE) return found
  const titles = listing(
    echoes.map(({ row, groups }) => fill(row.title, groups)),
    3,
  )
  return { ...found, cause: `${found.cause}. Ignore as echoes of it: ${titles}` }
}

/** The first of each text, and how often it came. */
export function evidenceOf(said: readonly Said[], limit = 3): EvidenceItem[] {
  const quotes = new Map<string, Said>()
  for (const one of said) if (!quotes.has(one.quote)) quotes.set(one.quote, one)
  return [...quotes.values()].slice(0, limit).map(({ source, field, quote, time, count }) => ({
    source,
    ...(field !== undefined && { field }),
    value: count > 1 ? `${quote} (${count} times)` : quote,
    ...(time !== undefined && { time }),
  }))
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}

/** `From node-a to node-b`, as far as it is known. */
export function placesOf({ sourceNode, targetNode }: Subject): string {
  if (sourceNode && targetNode) return `Source ${sourceNode}, target ${targetNode}`
  if (targetNode) return `Target ${targetNode}`
  return sourceNode ? `Source ${sourceNode}` : ''
}

/** The launcher images of both sides, where they differ: the usual reason why the two don't agree. */
function imagesOf({ sourcePod, targetPod }: Subject): string {
  const [from, to] = [sourcePod, targetPod].map(
    (pod) => pod?.spec.containers.find(({ name }) => name === 'compute')?.image,
  )
  return from && to && from !== to ? `Launcher images differ: source ${from}, target ${to}` : ''
}

export function objectsOf({ ref, targetNode }: Subject): string[] {
  return targetNode ? [ref, `node/${targetNode}`] : [ref]
}

function onlyEchoes(echoes: Said[], subject: Subject, { evidence }: World): Finding {
  const titles = listing(
    echoes.map(({ row, groups }) => fill(row.title, groups)),
    3,
  )
  const { migration } = subject
  const images = imagesOf(subject)
  // A cluster has the logs, and was not asked for them: where it was and gave none, that is a gap.
  const unasked =
    evidence.source.kind === 'cluster' &&
    evidence.logFiles === 0 &&
    !evidence.gaps.some(({ what }) => what.startsWith('log of'))
  return finding({
    code: 'MIG8090',
    title: `Only secondary errors are seen: ${titles}`,
    status: subject.phase === 'Failed' ? 'fail' : 'unknown',
    evidence: evidenceOf(echoes),
    cause: `${CATALOGUE.MIG8090.means} The first error, which is the cause, is not in what was read.${images ? ` ${images}: a skew of versions is a usual one.` : ''}`,
    confidence: 'possible',
    remedy:
      unasked && migration
        ? [
            {
              text: 'Have the logs of both virt-handlers and both launchers read too, and the first error looked for',
              command: shell`kubectl mig diagnose vmim/${migration.metadata.name} -n ${subject.namespace} --logs`,
            },
          ]
        : [
            {
              text: 'Read the logs of both virt-handlers and both launchers (compute) of the minute before, and look for the first error',
            },
          ],
  })
}
