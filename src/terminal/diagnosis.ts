import type { Remedy } from '../diagnose/finding.ts'
import type {
  DiagnosisReport,
  ReportFinding,
  ReportSubject,
  ReportVerdict,
} from '../diagnose/report.ts'
import { channelLines } from './channels-view.ts'
import { neutral } from './neutral.ts'
import type { Terminal } from './terminal.ts'
import type { Style, Theme } from './theme.ts'
import { count, formatAge } from './units.ts'
import { wrap } from './wrap.ts'

type Out = Pick<Terminal, 'theme' | 'columns' | 'interactive'>

const STYLE: Record<ReportFinding['status'], Style> = {
  fail: 'bad',
  warn: 'warn',
  unknown: 'warn',
  info: 'quiet',
  pass: 'good',
}
/** More than this many subjects are summed up in a line each. */
const DETAILED = 5
/** So many unread files are listed. */
const GAPS = 6
/** As wide as the longest question, and a gap. */
const QUESTION = 27

/**
 * A report for a person: of `diagnose proxy` the channels before all, then the verdict, then each subject with its findings, then what could not be read. Lines are
 * wrapped at the terminal's edge (120 columns at most); through a pipe nothing is wrapped.
 */
export function diagnosisText(report: DiagnosisReport, out: Out): string[] {
  const [first, ...rest] = report.subjects
  const lines = [...channelTables(report.subjects, out), ...verdictLines(report, out)]
  if (first) lines.push('', ...subjectLines(first, out, true))
  for (const subject of rest.slice(0, DETAILED - 1))
    lines.push('', ...subjectLines(subject, out, false))
  lines.push(...summaryLines(rest.slice(DETAILED - 1), out))
  return [...lines, '', ...coverageLines(report, out)]
}

const NONE_IN_FLIGHT = 'No proxy is open: no migration is in flight'
const NO_PROXY = 'No proxy is open: no migration has been handed off to virt-handler'

/** What was seen of the channels of each migration; whose they are, where there are several. */
function channelTables(subjects: readonly ReportSubject[], out: Out): string[] {
  const tables = subjects.slice(0, DETAILED).filter(({ channels }) => channels !== undefined)
  return tables.flatMap(({ ref, stage, channels = [] }) => [
    ...(tables.length > 1 ? [`${out.theme.strong(neutral(ref))}  ${neutral(stage)}`] : []),
    ...(channels.length > 0
      ? channelLines(channels, out)
      : [ref.startsWith('vmim/') ? NO_PROXY : NONE_IN_FLIGHT]),
    '',
  ])
}

function verdictLines({ verdict, subjects, source }: DiagnosisReport, out: Out): string[] {
  const worst = subjects[0]?.findings.find(({ code }) => code === verdict.code)?.status ?? 'info'
  const { theme } = out
  return [
    ...block(verdict.title, out, '', (line) => theme[STYLE[worst]](theme.strong(line))),
    ...(verdict.cause ? block(`${verdict.cause}.`.replace(/\.\.$/, '.'), out, '  ') : []),
    ...block(standing(verdict, source.kind === 'files'), out, '  ', theme.quiet),
    ...verdict.next.flatMap((remedy, i) => remedyLines(remedy, i, out)),
  ]
}

/** Stage, since when, when and whether it ends by itself, how sure it is, and its code. */
function standing(
  { code, stage, forSeconds, deadline, endsByItself, confidence }: ReportVerdict,
  fromFiles: boolean,
): string {
  const over = stage === 'Failed' || stage === 'Succeeded'
  const end = over
    ? ''
    : { yes: 'ends by itself', no: 'never ends by itself', unknown: '' }[endsByItself]
  return [
    // Of a place, or a VM that is in none, there is no stage.
    stage === 'unknown'
      ? ''
      : `${stage}${forSeconds !== undefined ? ` for ${fromFiles ? 'at least ' : ''}${formatAge(forSeconds * 1000)}` : ''}`,
    [end, deadline && !over ? `at the latest ${deadline}` : ''].filter(Boolean).join(', '),
    confidence,
    `${code}: kubectl mig explain ${code}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

function remedyLines({ text, command, risk }: Remedy, index: number, out: Out): string[] {
  const mark = `${out.theme.symbols.arrow} `
  const head = block(`${text}${risk ? ` (risk: ${risk})` : ''}`, out, '    ')
  if (head[0] !== undefined)
    head[0] = `  ${index === 0 ? out.theme.active(mark) : mark}${head[0].trimStart()}`
  // A command is one line, to be copied.
  return command ? [...head, `      ${out.theme.strong(neutral(command))}`] : head
}

function subjectLines(subject: ReportSubject, out: Out, isVerdict: boolean): string[] {
  const { theme } = out
  // Of a place there is no stage.
  const stage = subject.stage === 'unknown' ? '' : `  ${neutral(subject.stage)}`
  const head = `${theme.strong(neutral(subject.ref))}${stage}`
  const findings = subject.findings.flatMap((finding, i) =>
    findingLines(finding, out, isVerdict && i === 0),
  )
  // The verdict's subject is the one that was asked about: it gets the operator's five questions.
  return [
    head,
    ...(isVerdict ? subject.questions.flatMap((question) => questionLine(question, out)) : []),
    ...findings,
  ]
}

function questionLine(
  { question, status, answer }: ReportSubject['questions'][number],
  out: Out,
): string[] {
  const { theme } = out
  const lines = block(answer, out, ' '.repeat(QUESTION + 4))
  const mark = theme[STYLE[status]](symbolOf(status, theme))
  lines[0] = `  ${mark} ${question.padEnd(QUESTION)}${lines[0]?.trimStart() ?? ''}`
  return lines
}

function findingLines(finding: ReportFinding, out: Out, isVerdict: boolean): string[] {
  const { theme } = out
  const title = block(`${finding.title}  ${finding.code}`, out, '    ')
  title[0] = `  ${theme[STYLE[finding.status]](symbolOf(finding.status, theme))} ${title[0]?.trimStart() ?? ''}`
  if (finding.status === 'pass' || finding.status === 'info') return title
  const evidence = finding.evidence.flatMap(({ source, field, value }) =>
    block(`${source}${field ? ` ${field}` : ''}: ${value}`, out, '      ', theme.quiet),
  )
  // The verdict's cause and remedies stand at the top already.
  if (isVerdict) return [...title, ...evidence]
  return [
    ...title,
    ...(finding.cause ? block(finding.cause, out, '    ') : []),
    ...evidence,
    ...finding.remedy.slice(0, 1).flatMap((remedy) => remedyLines(remedy, 1, out)),
  ]
}

function symbolOf(status: ReportFinding['status'], { symbols }: Theme): string {
  return {
    fail: symbols.failed,
    warn: symbols.warning,
    unknown: '?',
    info: symbols.waiting,
    pass: symbols.done,
  }[status]
}

/** A line for each of many subjects with which something is wrong, and a count of the others. */
function summaryLines(subjects: readonly ReportSubject[], { theme }: Out): string[] {
  const isWell = ({ findings }: ReportSubject) =>
    findings.every(({ status }) => status === 'pass' || status === 'info')
  const well = subjects.filter(isWell).length
  const wrong = subjects
    .filter((subject) => !isWell(subject))
    .map(
      ({ ref, stage, verdict }) =>
        `${theme.strong(neutral(ref))}  ${neutral(stage)}  ${neutral(verdict.title)}  ${verdict.code}`,
    )
  return [
    ...(wrong.length > 0 ? ['', ...wrong] : []),
    ...(well > 0
      ? ['', theme.quiet(`and ${count(well, 'more subject')} with which nothing is wrong`)]
      : []),
  ]
}

function coverageLines({ coverage, source, now }: DiagnosisReport, out: Out): string[] {
  const moment = source.kind === 'files' ? `; the newest moment in it is ${now}` : ` at ${now}`
  const read =
    source.kind === 'node'
      ? `tried from ${source.from.join(', ')} at ${now}; ${coverage.evaluated} of ${coverage.total} steps told something`
      : `${count(source.objects, 'object')} and ${count(source.logLines, 'log line')} read from ${source.from.join(', ')}${moment}; ${coverage.evaluated} of ${coverage.total} checks carried out`
  const absent = coverage.gaps.filter(({ why }) => why === 'not-in-evidence')
  const broken = coverage.gaps.filter(({ why }) => why !== 'not-in-evidence')
  const kinds = [...new Set(absent.map(({ what }) => what))]
  const gaps = broken.map(({ what, why, file, line, detail }) =>
    why === 'not-asked'
      ? detail
      : `not read: ${file ? `${file}${line ? `:${line}` : ''}` : what}: ${detail}`,
  )
  return [
    ...block(read, out, '', out.theme.quiet),
    ...(kinds.length > 0
      ? block(
          `not in it, though checks ask for it: ${kinds.join(', ')}`,
          out,
          '  ',
          out.theme.quiet,
        )
      : []),
    ...gaps.slice(0, GAPS).flatMap((gap) => block(gap, out, '  ', out.theme.warn)),
    ...(gaps.length > GAPS
      ? [out.theme.quiet(`  and ${gaps.length - GAPS} more (-o json lists all)`)]
      : []),
  ]
}

/** Text from the evidence, made safe, wrapped and indented. */
function block(
  text: string,
  out: Out,
  indent: string,
  style: (line: string) => string = (line) => line,
): string[] {
  const safe = neutral(text)
  const lines = out.interactive ? wrap(safe, Math.min(out.columns(), 120) - indent.length) : [safe]
  return lines.map((line) => `${indent}${style(line)}`)
}
