import type { Clock } from '../../../clock.ts'
import { BlockPool } from './block-pool.ts'
import type { Guest, GuestSpec } from './guest.ts'
import { bootPretended, incomingPretended } from './pretended.ts'
import { bootSynthetic, incomingSynthetic } from './synthetic.ts'

/** What a lab's guests are made of. */
export type GuestKind = 'synthetic' | 'none'

/** Makes the guests of one node. */
export interface GuestMaker {
  /** A guest that runs from now on. */
  boot(spec: GuestSpec): Guest
  /** A guest that is still to come from another node. */
  incoming(spec: GuestSpec): Guest
}

export function guestMaker(kind: GuestKind, clock: Clock): GuestMaker {
  if (kind === 'none') return { boot: bootPretended, incoming: incomingPretended }
  const pool = new BlockPool()
  return {
    boot: (spec) => bootSynthetic(spec, clock, pool),
    incoming: (spec) => incomingSynthetic(spec, clock, pool),
  }
}
