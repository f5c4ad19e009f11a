/** Many writers, one reader: what several watches tell, as one stream in the order of arrival. */
export interface Channel<T> extends AsyncIterable<T> {
  push(value: T): void
  /** The reader gets what was pushed before, then this error. */
  fail(err: unknown): void
  /** The reader gets what was pushed before, then the end. Idempotent. */
  close(): void
}

export function createChannel<T>(): Channel<T> {
  const queue: T[] = []
  let ended: { err?: unknown } | undefined
  let wake = Promise.withResolvers<void>()
  const changed = () => {
    wake.resolve()
    wake = Promise.withResolvers<void>()
  }
  return {
    push(value) {
      if (ended) return
      queue.push(value)
      changed()
    },
    fail(err) {
      ended ??= { err }
      changed()
    },
    close() {
      ended ??= {}
      changed()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const waiting = wake.promise
        while (queue.length > 0) yield queue.shift()!
        if (ended) {
          if ('err' in ended) throw ended.err
          return
        }
        await waiting
      }
    },
  }
}
