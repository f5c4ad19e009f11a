import { HIGH_WATER, type OpenIntake } from './intake.ts'

/** Reads with nothing but node's public streams: the fall-back, a third slower. */
export const streamIntake: OpenIntake = (from, onBytes) => {
  const chunks: Buffer[] = []
  let held = 0
  let discarding = false
  from.on('data', (chunk: Buffer) => {
    if (discarding) return
    chunks.push(chunk)
    held += chunk.length
    if (held >= HIGH_WATER) from.pause()
    onBytes()
  })
  return {
    endsAtOnce: false,
    next: () => chunks[0],
    release(bytes) {
      chunks.shift()
      held -= bytes.length
      if (from.isPaused() && held < HIGH_WATER) from.resume()
    },
    discard() {
      discarding = true
      from.resume()
    },
  }
}
