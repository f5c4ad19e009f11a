import { spawn } from 'node:child_process'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT, type ExitCode, MigError } from '../errors.ts'
import type { RunningLab } from './run.ts'

/** What a lab that runs in the background tells the command that started it. */
type DetachedMessage =
  | { type: 'waits'; what: string }
  | { type: 'ready'; lab: RunningLab }
  | { type: 'failed'; message: string; hint?: string; exit: ExitCode }

type LastMessage = Exclude<DetachedMessage, { type: 'waits' }>

/**
 * Starts this program once more, in the background, and waits until its lab is ready.
 * @param argv the words after `kubectl mig` @param onWait hears what a lab waits for that takes its time
 * @throws MigError what went wrong there, as if it had gone wrong here
 */
export async function startDetached(
  argv: string[],
  signal: AbortSignal,
  onWait: (what: string) => void,
): Promise<RunningLab> {
  // Read only when the child dies without a word, and removed in any case.
  const folder = await mkdtemp(join(tmpdir(), 'kubectl-mig-'))
  const errors = await open(join(folder, 'stderr'), 'a+', 0o600)
  try {
    const program = process.argv[1]
    const args = [...process.execArgv, ...(program === undefined ? [] : [program]), ...argv]
    const child = spawn(process.execPath, args, {
      detached: true,
      stdio: ['ignore', 'ignore', errors.fd, 'ipc'],
      cwd: '/',
    })
    const answer = Promise.withResolvers<LastMessage>()
    child.on('message', (message: DetachedMessage) => {
      if (message.type === 'waits') onWait(message.what)
      else answer.resolve(message)
    })
    child.once('error', answer.reject)
    child.once('exit', async (code) => {
      const said = await readFile(join(folder, 'stderr'), 'utf8').catch(() => '')
      const error = /^error: (.*)$/m.exec(said)?.[1] ?? said.trim().split('\n').at(-1)
      const message = error || `the lab's process ended with ${code}`
      answer.resolve({ type: 'failed', message, exit: EXIT.error })
    })
    const stop = () => {
      child.kill('SIGTERM')
      answer.reject(signal.reason)
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    const message = await answer.promise
    signal.removeEventListener('abort', stop)
    if (message.type === 'failed') throw failure(message)
    child.disconnect()
    child.unref()
    return message.lab
  } finally {
    await errors.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The other end: tells the command that started this process how it goes, and lets go of it with the last word. */
export function starter(): {
  waits(what: string): void
  ready(lab: RunningLab): void
  failed(err: unknown): void
} {
  const send = (message: DetachedMessage, sent: () => void) => {
    if (process.connected) process.send?.(message, undefined, undefined, sent)
  }
  const tell = (message: LastMessage) =>
    send(message, () => process.connected && process.disconnect())
  return {
    waits: (what) => send({ type: 'waits', what }, () => {}),
    ready: (lab) => tell({ type: 'ready', lab }),
    failed(err) {
      if (!(err instanceof MigError)) return
      const { message, hint, exit } = err
      tell({ type: 'failed', message, exit, ...(hint !== undefined && { hint }) })
    },
  }
}

function failure({ message, hint, exit }: LastMessage & { type: 'failed' }): MigError {
  return new MigError(exit, message, hint === undefined ? {} : { hint })
}
