import { directIntake } from './direct-intake.ts'
import type { OpenIntake } from './intake.ts'
import { slabIntake } from './slab-intake.ts'
import { createSlabPool } from './slab-pool.ts'

/**
 * The fastest way for each pair of legs.
 * @param streams see {@link createSlabPool}
 */
export function fastIntake(streams: () => number): OpenIntake {
  const direct = directIntake(createSlabPool())
  const slabs = slabIntake(createSlabPool(streams))
  return (from, { advance, tryWrite }) =>
    tryWrite && from.kind !== 'tls' ? direct(from, { advance, tryWrite }) : slabs(from, { advance })
}
