import { spawn } from 'node:child_process'
import { type Cell, createScreen, textOf } from './screen.ts'

export interface RecordOptions {
  env: NodeJS.ProcessEnv
  cwd: string
  columns: number
  rows?: number
  /** Long lines stay one line; the program still sees `columns`. */
  unwrapped?: boolean
  /** Presses Ctrl-C as soon as this holds for the text on the screen. */
  interruptWhen?: (text: string) => boolean
}

/** What stood on the screen from a moment on. */
export interface Frame {
  /** ms since the start. */
  at: number
  rows: Cell[][]
}

/**
 * Runs a line of bash under a pseudo-terminal, which script(1) of util-linux makes, and keeps every change of the screen.
 * @throws when it ends with an exit code that is not among `codes`
 */
export function record(
  line: string,
  { env, cwd, columns, rows = 40, unwrapped, interruptWhen }: RecordOptions,
  codes: number[] = [0],
): Promise<Frame[]> {
  const sized = `stty cols ${columns} rows ${rows} -echoctl; ${line}`
  const child = spawn('script', ['-qefc', sized, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/bash' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const screen = createScreen(unwrapped ? Number.POSITIVE_INFINITY : columns)
  const frames: Frame[] = []
  const started = performance.now()
  let interrupted = false
  child.stdout.setEncoding('utf8')
  const take = (text: string) => {
    screen.write(text)
    const frame = { at: performance.now() - started, rows: screen.rows() }
    frames.push(frame)
    if (interrupted || !interruptWhen?.(frame.rows.map(textOf).join('\n'))) return
    interrupted = true
    child.stdin.write('\u0003')
  }
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (text: string) => {
      try {
        take(text)
      } catch (err) {
        reject(err)
        child.kill()
      }
    })
    child.on('error', reject)
    child.on('close', (code) => {
      if (codes.includes(code ?? -1)) resolve(frames)
      else {
        const last = frames.at(-1)?.rows.map(textOf).join('\n')
        reject(new Error(`"${line}" ended with exit code ${code}:\n${last ?? ''}`))
      }
    })
  })
}
