const FIRST = 250
const MOST = 15_000

/** ms to wait after so many failures in a row: doubling, capped, and jittered so that many clients don't return at once. */
export function backoff(failures: number, random: () => number = Math.random): number {
  const full = Math.min(MOST, FIRST * 2 ** (failures - 1))
  return full / 2 + (full / 2) * random()
}
