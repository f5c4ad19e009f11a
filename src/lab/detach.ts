import { spawn } from 'node:child_process'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT, type ExitCode, MigError } from '../errors.ts'
import type { RunningLab } from './run.ts'

/** What a lab that runs in the background tells the command that started it. */
type DetachedMessage =
  | { type: 'ready'; lab: RunningLab }
  | { type: 'failed'; message: string; hint?: string; exit: ExitCode }

/**
 * Starts this program once more, in the background, and waits until its lab is ready.
 * @param argv the words after `kubectl mig`
 * @throws MigError what went wrong there, as if it had gone wrong here
 */
export async function startDetached(argv: string[], signal: AbortSignal): Promise<RunningLab> {
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
    const answer = Promise.withResolvers<DetachedMessage>()
    child.once('message', (message) => answer.resolve(message as DetachedMessage))
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

/** The other end: tells the command that started this process, once, and lets go of it. */
export function starter(): { ready(lab: RunningLab): void; failed(err: unknown): void } {
  const tell = (message: DetachedMessage) => {
    if (process.connected)
      process.send?.(message, undefined, undefined, () => process.connected && process.disconnect())
  }
  return {
    ready: (lab) => tell({ type: 'ready', lab }),
    failed(err) {
      if (!(err instanceof MigError)) return
      const { message, hint, exit } = err
      tell({ type: 'failed', message, exit, ...(hint !== undefined && { hint }) })
    },
  }
}

function failure({ message, hint, exit }: DetachedMessage & { type: 'failed' }): MigError {
  return new MigError(exit, message, hint === undefined ? {} : { hint })
}
