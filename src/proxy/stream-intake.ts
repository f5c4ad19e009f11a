import type { OpenIntake } from './intake.ts'

/** Reading stops while this much waits to be passed on: back-pressure, and what a stalled reader costs in memory. */
const HIGH_WATER = 256 * 1024

/** Reads with nothing but node's public streams: the fall-back, a third slower. */
export const streamIntake: OpenIntake = ({ socket: from }, { advance }) => {
  const chunks: Buffer[] = []
  let held = 0
  let discarding = false
  const keep = (chunk: Buffer) => {
    if (discarding) return
    chunks.push(chunk)
    held += chunk.length
  }
  from.on('data', (chunk: Buffer) => {
    keep(chunk)
    if (held >= HIGH_WATER) from.pause()
    advance()
  })
  from.on('close', () => {
    // A reset leaves in the stream what came before it and wasn't asked for yet.
    for (let rest = from.read(); rest; rest = from.read()) keep(rest)
  })
  return {
    endIsFresh: () => false,
    next: () => chunks[0],
    release(bytes) {
      chunks.shift()
      held -= bytes.length
      if (from.isPaused() && held < HIGH_WATER && !from.destroyed) from.resume()
    },
    discard() {
      discarding = true
      chunks.length = 0
      from.resume()
    },
  }
}
