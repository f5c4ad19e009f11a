import type { Clock } from '../../../clock.ts'
import type { OpenIntake } from '../../../proxy/intake.ts'

/** What the link to a node does to the bytes that go through its proxies. */
export interface LinkFault {
  /** Nothing goes through after so many bytes. */
  after?: number
  /** No more than so many bytes a second. */
  rate?: number
}

export interface Link {
  /** From now on; undefined: it is well, and what was held up goes on. */
  set(fault: LinkFault | undefined): void
  /** What is read from any connection, at the link's pace. */
  intake(open: OpenIntake): OpenIntake
}

/** The link between a node and all others. All connections share it, in both directions. */
export function createLink(clock: Clock): Link {
  let fault: LinkFault | undefined
  let passed = 0
  let free = 0
  let changed = Promise.withResolvers<void>()

  async function wait(bytes: number): Promise<void> {
    for (;;) {
      if (!fault) return
      const { after, rate } = fault
      const now = clock.now()
      const ms = after !== undefined && passed >= after ? undefined : rate ? free - now : 0
      if (ms !== undefined && ms <= 0) {
        passed += bytes
        if (rate) free = Math.max(free, now) + (bytes / rate) * 1000
        return
      }
      const over = new AbortController()
      const pause = ms === undefined ? [] : [clock.sleep(ms, over.signal).catch(() => {})]
      await Promise.race([changed.promise, ...pause])
      over.abort()
    }
  }

  return {
    set(next) {
      fault = next
      passed = 0
      free = 0
      changed.resolve()
      changed = Promise.withResolvers()
    },
    intake: (open) => (from, onBytes) => ({
      ...open(from, onBytes),
      pace: ({ length }) => (fault ? wait(length) : undefined),
    }),
  }
}
