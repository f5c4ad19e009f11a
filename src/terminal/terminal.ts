import { createTheme, type Theme } from './theme.ts'

/** An output as a person sees it: a terminal of some size, or a pipe that gets plain lines. */
export interface Terminal {
  readonly stream: NodeJS.WritableStream
  /** True when lines may be redrawn: a terminal that is not dumb. */
  readonly interactive: boolean
  readonly theme: Theme
  columns(): number
  rows(): number
  write(text: string): void
  /** Calls back when the window changes; returns what ends that. */
  onResize(listener: () => void): () => void
}

export interface TerminalOptions {
  /** False with --no-color. */
  color?: boolean
  env?: NodeJS.ProcessEnv
}

type MaybeTty = NodeJS.WritableStream & { isTTY?: boolean; columns?: number; rows?: number }

export function terminalOf(stream: MaybeTty, options: TerminalOptions = {}): Terminal {
  const env = options.env ?? process.env
  const isTTY = stream.isTTY === true
  return {
    stream,
    interactive: isTTY && env['TERM'] !== 'dumb',
    theme: createTheme({ isTTY, env, ...(options.color === false && { color: false }) }),
    // Some terminals (a pty nobody has sized) report 0 columns; then the environment may know.
    columns: () => stream.columns || sizeOf(env['COLUMNS']) || 80,
    rows: () => stream.rows || sizeOf(env['LINES']) || 24,
    write: (text) => void stream.write(text),
    onResize(listener) {
      stream.on('resize', listener)
      return () => stream.off('resize', listener)
    },
  }
}

function sizeOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,3}$/.test(text) ? Number(text) : undefined
}
