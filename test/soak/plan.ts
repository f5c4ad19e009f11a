/** What one stream of the soak does; all of it follows from the seed and the stream's number. */
export interface Plan {
  id: number
  pair: 'tls' | 'plain'
  fault: Fault
  /** Bytes the client sends, and the backend. */
  sizes: Record<End, number>
  /** Bytes of one write. */
  pieces: Record<End, number>
  /** 0 to 1: how far the sending has come when the fault comes. */
  at: number
  stallMs: number
}

export type End = 'client' | 'backend'

type Fault =
  | 'none'
  /** The backend answers only when the client has ended; or the other way round. */
  | 'ask'
  | 'listen'
  /** One end stops reading for a while. */
  | 'stall client'
  | 'stall backend'
  /** One end is gone in the middle. */
  | 'cut client'
  | 'cut backend'
  /** One end has sent everything and goes, without reading what it gets. */
  | 'leave client'
  | 'leave backend'

const FAULTS: [Fault, number][] = [
  ['none', 40],
  ['ask', 10],
  ['listen', 10],
  ['stall client', 8],
  ['stall backend', 8],
  ['cut client', 6],
  ['cut backend', 6],
  ['leave client', 6],
  ['leave backend', 6],
]

export function planOf(seed: number, id: number): Plan {
  const random = randomOf(seed * 1_000_003 + id)
  return {
    id,
    pair: random() < 0.8 ? 'tls' : 'plain',
    fault: pick(random),
    sizes: { client: sizeOf(random), backend: sizeOf(random) },
    pieces: {
      client: 1 + Math.floor(random() * 150_000),
      backend: 1 + Math.floor(random() * 150_000),
    },
    at: random(),
    stallMs: Math.floor(random() * 300),
  }
}

/** From nothing to 1 MiB, each order of magnitude as often; one in fifty up to 8 MiB. */
function sizeOf(random: () => number): number {
  if (random() < 0.05) return 0
  const largest = random() < 0.02 ? 23 : 20
  return Math.floor(2 ** (random() * largest))
}

function pick(random: () => number): Fault {
  let left = random() * FAULTS.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [fault, weight] of FAULTS) {
    left -= weight
    if (left < 0) return fault
  }
  return 'none'
}

/** Mulberry32: small, seeded, good enough to choose by. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
