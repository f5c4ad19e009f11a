import type { ExitCode } from '../errors.ts'
import { API_VERSION } from '../migrate/report.ts'
import { type Format, formatDocument } from './output.ts'

/** What is told of a command that failed before it had a document to print (schema/error-report.json). */
interface ErrorReport {
  apiVersion: typeof API_VERSION
  kind: 'ErrorReport'
  /** RFC 3339. */
  generatedAt: string
  error: { exit: ExitCode; message: string; hint: string | null }
}

/** The error as the one document of a command line that asks for one; undefined where it asks for none. */
export async function errorDocument(
  { exit, message, hint = null }: { exit: ExitCode; message: string; hint?: string | null },
  argv: string[],
  now: number,
): Promise<string | undefined> {
  const format = formatOf(argv)
  if (!format) return undefined
  const report: ErrorReport = {
    apiVersion: API_VERSION,
    kind: 'ErrorReport',
    generatedAt: new Date(now).toISOString(),
    error: { exit, message, hint },
  }
  return formatDocument(report, format, { stream: argv.some((word) => WATCH.test(word)) })
}

/** By the words alone: what is wrong may be that they cannot be parsed. */
function formatOf(argv: string[]): Format | undefined {
  const words = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  const at = words.findLastIndex((word) => OUTPUT.test(word))
  if (at < 0) return undefined
  const format = OUTPUT.exec(words[at]!)![1] || words[at + 1]
  return format === 'json' || format === 'yaml' ? format : undefined
}

const OUTPUT = /^(?:--output|-[Aw]*o)=?(json|yaml)?$/
const WATCH = /^(?:--watch|-A?w\w*)$/
