import type { Clock } from '../../../clock.ts'
import { BlockPool } from './block-pool.ts'
import type { Guest, GuestHome, GuestSpec } from './guest.ts'
import { bootPretended, incomingPretended } from './pretended.ts'
import { QemuGuest } from './qemu/guest.ts'
import { bootSynthetic, incomingSynthetic } from './synthetic.ts'

/** What a lab's guests are made of. */
export type GuestKind = 'synthetic' | 'qemu' | 'none'

/** Makes the guests of one node. */
export interface GuestMaker {
  /** A guest that runs from now on. */
  boot(spec: GuestSpec, home: GuestHome): Guest
  /** A guest that is still to come from another node. */
  incoming(spec: GuestSpec, home: GuestHome): Guest
}

export function guestMaker(kind: GuestKind, clock: Clock): GuestMaker {
  if (kind === 'none') return { boot: bootPretended, incoming: incomingPretended }
  if (kind === 'qemu') {
    return {
      boot: (spec, home) => new QemuGuest(spec, home, clock, false),
      incoming: (spec, home) => new QemuGuest(spec, home, clock, true),
    }
  }
  const pool = new BlockPool()
  return {
    boot: (spec) => bootSynthetic(spec, clock, pool),
    incoming: (spec) => incomingSynthetic(spec, clock, pool),
  }
}
