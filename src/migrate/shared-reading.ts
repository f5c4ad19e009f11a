import type { Clock } from '../clock.ts'

/**
 * A reading that many may ask for at once: it is made anew only when the last one is older than that.
 * @param maxAgeMs how old an answer may be
 */
export function shareReading<T>(
  read: () => Promise<T>,
  clock: Clock,
  maxAgeMs: number,
): () => Promise<T> {
  let reading: Promise<T> | undefined
  let at = 0
  return () => {
    if (!reading || clock.now() - at > maxAgeMs) {
      at = clock.now()
      reading = read()
      // Who asks next tries again.
      reading.catch(() => {
        reading = undefined
      })
    }
    return reading
  }
}
