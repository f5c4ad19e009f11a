import { vi } from 'vitest'

/** Waits until the expectation holds; patient, because the machine may be busy. */
export function until(expectation: () => void): Promise<void> {
  return vi.waitFor(expectation, { timeout: 10_000, interval: 5 })
}
