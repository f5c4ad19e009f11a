import { EXIT, MigError } from './errors.ts'

export interface Interruption {
  /** Aborted with a MigError: `interrupted` (130) or, when the time is over, `timed out` (5). */
  readonly signal: AbortSignal
  /** Gives signals and timer back. Idempotent. */
  close(): void
}

export interface InterruptionOptions {
  /** Undefined or 0 is no limit. */
  timeoutMs?: number | undefined
  /** Ctrl-C is the ordinary end (watching), nothing to be told. */
  quiet?: boolean | undefined
}

/**
 * What ends a command's waiting: Ctrl-C, a termination, a time limit. A second Ctrl-C ends the process at once, in
 * case something does not listen.
 */
export function interruption({ timeoutMs, quiet }: InterruptionOptions = {}): Interruption {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted)
    controller.abort(new MigError(EXIT.interrupted, quiet ? '' : 'interrupted'))
  }
  const expire = () =>
    controller.abort(new MigError(EXIT.timeout, `timed out after ${(timeoutMs ?? 0) / 1000}s`))
  const timer = timeoutMs ? setTimeout(expire, timeoutMs) : undefined
  for (const name of SIGNALS) process.on(name, interrupt)
  return {
    signal: controller.signal,
    close() {
      clearTimeout(timer)
      for (const name of SIGNALS) process.off(name, interrupt)
    },
  }
}

const SIGNALS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
