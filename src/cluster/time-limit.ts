/** Why a time limit's signal was aborted, when it was the time. */
export const TIME_IS_UP = Symbol('time is up')

export interface TimeLimit {
  signal: AbortSignal
  /** ms; Infinity without a limit. */
  remaining(): number
  /** Stops the clock and lets go of the parent signals. */
  end(): void
}

/** A signal that is aborted with TIME_IS_UP after `ms` (0: never), or with the reason of the first parent that is. */
export function limitTime(ms: number, parents: (AbortSignal | undefined)[]): TimeLimit {
  const controller = new AbortController()
  const until = ms > 0 ? performance.now() + ms : Number.POSITIVE_INFINITY
  const timer = ms > 0 ? setTimeout(() => controller.abort(TIME_IS_UP), ms) : undefined
  const stop = (event: Event) => controller.abort((event.target as AbortSignal).reason)
  for (const parent of parents) {
    if (parent?.aborted) controller.abort(parent.reason)
    else parent?.addEventListener('abort', stop, { once: true })
  }
  return {
    signal: controller.signal,
    remaining: () => until - performance.now(),
    end: () => {
      clearTimeout(timer)
      for (const parent of parents) parent?.removeEventListener('abort', stop)
    },
  }
}
