import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename } from 'node:path'
import { EXIT, MigError } from '../../errors.ts'

/** A server of somebody else's in a process of its own. */
export interface Child {
  /** Rejects with what it said last when it ends before it is told to. */
  readonly ended: Promise<never>
  close(): Promise<void>
}

const KEPT = 4096

/** Starts a program; its output is kept for the case that it fails. It never outlives this process's ordinary end. */
export function startChild(file: string, args: string[], cwd: string): Child {
  const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-KEPT)
    })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = new Promise<never>((_, reject) => {
    child.once('error', (cause) => {
      reject(new MigError(EXIT.error, `${file} can't be started: ${cause.message}`, { cause }))
    })
    child.once('close', (code, signal) => {
      const why = said.trim().split('\n').at(-1) ?? ''
      const how = signal ?? `code ${code}`
      reject(new MigError(EXIT.error, `${basename(file)} ended with ${how}: ${why}`))
    })
  })
  ended.catch(() => {})
  return {
    ended,
    async close() {
      process.off('exit', kill)
      await stop(child)
    },
  }
}

/** At once: what it keeps goes with it. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}
