import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { Config, type Errors, run } from '@oclif/core'
import { EXIT, type ExitCode, fileTrouble, MigError } from './errors.ts'

export interface MainOptions {
  /** Run commands/*.ts of a checkout instead of dist/commands/*.js. */
  fromSource?: boolean
}

/**
 * Starts oclif; the one place that catches, words and exits.
 * @param argv the words after `kubectl mig`
 * @param root the package's folder, as a file URL
 */
export async function main(argv: string[], root: URL, options: MainOptions = {}): Promise<void> {
  endWithOutput()
  let config: Config | undefined
  try {
    config = await loadConfig(root, options)
    await run(argv, config)
  } catch (err) {
    await fail(err, argv, config?.commandIDs)
  }
}

export async function loadConfig(root: URL, { fromSource = false }: MainOptions): Promise<Config> {
  const path = fileURLToPath(root)
  if (!fromSource) return Config.load({ root: path })
  const pjson = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  pjson.oclif.commands.target = './commands'
  return Config.load({ root: path, pjson, ignoreManifest: true })
}

async function fail(err: unknown, argv: string[], commands?: string[]): Promise<void> {
  const told = describeError(err, argv, commands)
  const { message, hint, exit } = told
  process.exitCode = exit
  if (message && !(err instanceof MigError && err.documented)) {
    const { errorDocument } = await import('./terminal/error-document.ts')
    process.stdout.write((await errorDocument(told, argv, Date.now())) ?? '')
  }
  if (message) process.stderr.write(`error: ${message}\n`)
  if (hint) process.stderr.write(`hint: ${hint}\n`)
  if (process.env.MIG_DEBUG && err instanceof Error) process.stderr.write(`${err.stack}\n`)
}

/** What is printed and returned for an error: one line that says what, one that says what to do, an exit code. */
export function describeError(
  err: unknown,
  argv: string[],
  commands: string[] = [],
): { message: string; hint?: string; exit: ExitCode } {
  if (err instanceof MigError) {
    return { message: oneLine(err.message), exit: err.exit, ...(err.hint && { hint: err.hint }) }
  }
  const oclif = (err as Partial<Errors.CLIError>)?.oclif
  if (oclif?.exit === 0) return { message: '', exit: EXIT.ok }
  if (oclif) return { ...usageError(err as Error, argv, commands), exit: EXIT.usage }
  const { syscall, path } = (err ?? {}) as NodeJS.ErrnoException
  if (syscall && path)
    return { message: `cannot ${syscall} ${path}: ${fileTrouble(err)}`, exit: EXIT.error }
  const message = err instanceof Error ? err.message || err.name : String(err)
  return {
    message: `unexpected: ${oneLine(message)}`,
    hint: 'this is a defect of kubectl-mig; MIG_DEBUG=1 shows where it happened',
    exit: EXIT.error,
  }
}

/** oclif words usage errors over several lines. */
function usageError(
  err: Error,
  argv: string[],
  commands: string[],
): { message: string; hint: string } {
  const dashed = argv.findIndex((word) => word.startsWith('-'))
  const words = dashed < 0 ? argv : argv.slice(0, dashed)
  const notFound = /^command (\S+) not found/.exec(err.message)?.[1]
  if (notFound !== undefined) {
    // A command that takes no arguments is taken for a topic when it gets one.
    const command = commands.find((id) => notFound.startsWith(`${id}:`))?.replaceAll(':', ' ')
    const text = notFound.replaceAll(':', ' ')
    return command
      ? {
          message: `unexpected argument "${text.slice(command.length + 1)}"`,
          hint: `see "kubectl mig ${command} --help"`,
        }
      : { message: `unknown command "${text}"`, hint: '"kubectl mig --help" lists the commands' }
  }
  return {
    message: inOneLine(stripVTControlCharacters(err.message)),
    hint: `see "kubectl mig ${[...calledBy(words, commands), '--help'].join(' ')}"`,
  }
}

/** Each thing that is wrong, without the parser's headings and its advice on flags. */
function inOneLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  const isAdvice = (line: string) => /^(See more help|Note: |Alternatively, )/.test(line)
  const kept = lines.filter((line) => line !== '' && !isAdvice(line) && !HEADING.test(line))
  if (!lines.some((line) => MISSING.test(line))) return kept.map(inOurWords).join('; ')
  // A description that was folded goes on without a name in front.
  return kept.reduce((all, line) => {
    const [, name, what] = /^(\S+) {2,}(.*)$/.exec(line) ?? []
    if (!name) return `${all} ${line}`
    return `${all}${all === '' ? '' : '; '}missing argument ${name}: ${what}`
  }, '')
}

const MISSING = /^Missing \d+ required args?:/
const HEADING = /^(The following errors? occurred:|Missing \d+ required args?:)$/

function inOurWords(line: string): string {
  return line.replace(
    /^All of the following must be provided when using (\S+): (.*)$/,
    (_, flag, others) => `${flag} needs ${others}`,
  )
}

/** The words by which the command is called, without the names behind them. */
function calledBy(words: string[], commands: string[]): string[] {
  const counts = words.map((_, i) => words.length - i)
  const count = counts.find((n) => commands.includes(words.slice(0, n).join(':')))
  return words.slice(0, count ?? 2)
}

function oneLine(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\s*\n\s*/g, ' ')
    .trim()
}

/** `kubectl mig … | head` closes our output early; that is no error. A full disk behind it is one. */
function endWithOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    // Before oclif's own listener, which throws.
    stream.prependListener('error', (err: NodeJS.ErrnoException) => {
      if (err.code === 'EPIPE') process.exit(process.exitCode ?? 0)
      if (stream === process.stdout)
        process.stderr.write(`error: cannot write the answer: ${err.message}\n`)
      process.exit(EXIT.error)
    })
  }
}
