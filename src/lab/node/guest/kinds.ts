import type { Clock } from '../../../clock.ts'
import type { Guest, GuestSpec } from './guest.ts'
import { bootPretended, incomingPretended } from './pretended.ts'
import { bootSynthetic, incomingSynthetic } from './synthetic.ts'

/** What a lab's guests are made of. */
export type GuestKind = 'synthetic' | 'none'

/** A guest that runs from now on. */
export function bootGuest(kind: GuestKind, spec: GuestSpec, clock: Clock): Guest {
  return kind === 'synthetic' ? bootSynthetic(spec, clock) : bootPretended()
}

/** A guest that is still to come from another node. */
export function incomingGuest(kind: GuestKind, spec: GuestSpec, clock: Clock): Guest {
  return kind === 'synthetic' ? incomingSynthetic(spec, clock) : incomingPretended()
}
