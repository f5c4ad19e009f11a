import { Chalk } from 'chalk'

export interface Theme {
  readonly color: boolean
  good(text: string): string
  bad(text: string): string
  warn(text: string): string
  /** What goes on just now. */
  active(text: string): string
  quiet(text: string): string
  strong(text: string): string
  readonly symbols: Symbols
}

export type Style = 'good' | 'bad' | 'warn' | 'active' | 'quiet' | 'strong'

interface Symbols {
  done: string
  failed: string
  warning: string
  active: string
  waiting: string
  arrow: string
  barFull: string
  barEmpty: string
  spinner: string[]
}

export interface ThemeOptions {
  isTTY: boolean
  /** False with --no-color. */
  color?: boolean
  env?: NodeJS.ProcessEnv
}

/**
 * The only place that knows colours. The sixteen basic ones, so that a person's own palette holds. None on a pipe, with
 * --no-color, with a non-empty NO_COLOR (https://no-color.org; chalk itself ignores it), with TERM=dumb.
 */
export function createTheme({ isTTY, color = true, env = process.env }: ThemeOptions): Theme {
  const on = isTTY && color && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  const chalk = new Chalk({ level: on ? 1 : 0 })
  return {
    color: on,
    good: (text) => chalk.green(text),
    bad: (text) => chalk.red(text),
    warn: (text) => chalk.yellow(text),
    active: (text) => chalk.cyan(text),
    quiet: (text) => chalk.dim(text),
    strong: (text) => chalk.bold(text),
    symbols: speaksUnicode(env) ? UNICODE : ASCII,
  }
}

const UNICODE: Symbols = {
  done: '✓',
  failed: '✗',
  warning: '!',
  active: '●',
  waiting: '·',
  arrow: '→',
  barFull: '━',
  barEmpty: '─',
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
}

const ASCII: Symbols = {
  done: '+',
  failed: 'x',
  warning: '!',
  active: '*',
  waiting: '.',
  arrow: '->',
  barFull: '=',
  barEmpty: '-',
  spinner: ['-', '\\', '|', '/'],
}

/** A locale that is set and is not UTF-8, or the Linux console, gets plain characters. */
function speaksUnicode(env: NodeJS.ProcessEnv): boolean {
  if (env['TERM'] === 'linux') return false
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG']
  return !locale || /utf-?8/i.test(locale)
}
