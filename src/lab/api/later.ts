import { StatusError } from './status.ts'

/**
 * Does the work once the write that led to it is done, so that its caller finds the store as it left it. A refusal is no
 * fault: whoever works on the store by itself is asked again by the next event.
 */
export function later(work: () => void): void {
  queueMicrotask(() => {
    try {
      work()
    } catch (err) {
      if (!(err instanceof StatusError)) throw err
    }
  })
}
