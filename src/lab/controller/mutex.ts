/** One at a time, in the order of asking. */
export interface Mutex {
  run<T>(task: () => Promise<T>): Promise<T>
}

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(task) {
      const result = last.then(task)
      last = result.catch(() => undefined)
      return result
    },
  }
}
