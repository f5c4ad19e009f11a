import type { Clock } from '../../clock.ts'

/** After so long, in ms, what was never observed is taken for lost. */
const LIFETIME = 5 * 60_000

/**
 * What a controller has made and does not see in its cache yet: until then it must not decide by the cache
 * (fact sheet control-plane.md §2.1).
 */
export interface Expectations {
  /** Before the request: `id` is what the observer will know it by. */
  expect(key: string, id: string): void
  /** Observed, or refused. */
  settle(key: string, id: string): void
  satisfied(key: string): boolean
  /** For whichever key. */
  allSatisfied(): boolean
  forget(key: string): void
}

export function createExpectations(clock: Clock): Expectations {
  const expected = new Map<string, Map<string, number>>()

  function satisfied(key: string): boolean {
    const ids = expected.get(key)
    if (!ids) return true
    for (const [id, since] of ids) if (clock.now() - since > LIFETIME) ids.delete(id)
    if (ids.size === 0) expected.delete(key)
    return ids.size === 0
  }

  return {
    expect(key, id) {
      const ids = expected.get(key) ?? new Map<string, number>()
      expected.set(key, ids.set(id, clock.now()))
    },
    settle(key, id) {
      const ids = expected.get(key)
      ids?.delete(id)
      if (ids?.size === 0) expected.delete(key)
    },
    satisfied,
    allSatisfied: () => [...expected.keys()].every(satisfied),
    forget: (key) => void expected.delete(key),
  }
}
