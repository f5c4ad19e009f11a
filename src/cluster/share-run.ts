/**
 * One run for all that ask while it goes on. It is aborted when the last of them has lost interest, not the first.
 */
export function shareRun<T>(
  run: (signal: AbortSignal) => Promise<T>,
): (signal: AbortSignal) => Promise<T> {
  let current: { result: Promise<T>; waiting: number; stop: AbortController } | undefined

  function start() {
    const stop = new AbortController()
    const result = run(stop.signal)
    const shared = { result, waiting: 0, stop }
    const done = () => {
      if (current === shared) current = undefined
    }
    result.then(done, done)
    return shared
  }

  return async (signal) => {
    signal.throwIfAborted()
    current ??= start()
    const shared = current
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const leave = () => reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    shared.waiting++
    try {
      return await Promise.race([shared.result, aborted])
    } finally {
      signal.removeEventListener('abort', leave)
      shared.waiting--
      if (shared.waiting === 0) {
        shared.stop.abort(signal.reason)
        if (current === shared) current = undefined
      }
    }
  }
}
