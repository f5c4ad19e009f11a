import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { EXIT, MigError } from '../errors.ts'

/** A server of somebody else's in a process of its own. */
export interface Child {
  /** Rejects with what it said last when it ends before it is told to. */
  readonly ended: Promise<never>
  close(): Promise<void>
}

const KEPT = 4096

/** Ends the program at once when its own input ends: what the program keeps goes with it. */
const GUARD = `exec 3<&0
"$@" </dev/null 3<&- & program=$!
(read -r _ <&3; kill -9 $program) >/dev/null 2>&1 &
wait $program`

/**
 * Starts a program that does not outlive this process, however that ends. Its output is kept for the case that it fails.
 * @param onLine gets its output as it comes, until it is told to end
 */
export function startChild(
  file: string,
  args: string[],
  cwd: string,
  onLine?: (line: string) => void,
): Child {
  // Out of reach of the terminal's Ctrl-C: whoever has started it ends it when its turn comes.
  const options = { cwd, stdio: 'pipe', detached: true } as const
  const child = spawn('/bin/sh', ['-c', GUARD, 'sh', file, ...args], options)
  let said = ''
  let closing = false
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-KEPT)
    })
    createInterface({ input: stream }).on('line', (line) => {
      if (!closing) onLine?.(line)
    })
  }
  child.stdin.on('error', () => {})
  const closed = once(child, 'close').then(() => {})
  const ended = new Promise<never>((_, reject) => {
    child.once('error', (cause) => {
      reject(new MigError(EXIT.error, `${file} can't be started: ${cause.message}`, { cause }))
    })
    child.once('close', (code, signal) => {
      const why = said.trim().split('\n').at(-1) ?? ''
      const how = signal ?? `code ${code}`
      reject(new MigError(EXIT.error, `${basename(file)} ended with ${how}: ${why}`))
      child.stdin.end()
    })
  })
  ended.catch(() => {})
  closed.catch(() => {})
  return {
    ended,
    close() {
      closing = true
      child.stdin.end()
      return closed.catch(() => {})
    },
  }
}
