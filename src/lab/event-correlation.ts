/** What is written of an event: a new object, or one more of an earlier one; nothing when there are too many. */
type Correlation =
  | { write: 'new'; key: string; message: string }
  | { write: 'again'; key: string; message: string; name: string; count: number }
  | { write: 'nothing' }

interface Occurrence {
  /** Of the object that it is about. */
  uid: string
  type: string
  reason: string
  message: string
}

/**
 * How the event client of KubeVirt and Kubernetes keeps events few: equal ones are counted; from the tenth different
 * message on, events that differ in nothing else are one; an object gets 25 at once and then one in five minutes.
 */
export interface EventCorrelator {
  correlate(occurrence: Occurrence, now: number): Correlation
  /** The event was written, under this name. */
  written(key: string, name: string): void
}

const SIMILAR = 10
const SIMILAR_WITHIN = 600_000
const BURST = 25
const REFILL = 300_000
/** As many keys as client-go's caches hold. */
const REMEMBERED = 4096

export function createEventCorrelator(): EventCorrelator {
  const similar = new Map<string, { messages: Set<string>; last: number }>()
  const known = new Map<string, { name: string; count: number }>()
  const budgets = new Map<string, { tokens: number; at: number }>()

  /** Which event this one is: itself, or the one for all that are like it. */
  function aggregate({ uid, type, reason, message }: Occurrence, now: number) {
    const group = JSON.stringify([uid, type, reason])
    const before = similar.get(group)
    const record =
      before && now - before.last <= SIMILAR_WITHIN
        ? before
        : { messages: new Set<string>(), last: now }
    record.messages.add(message)
    record.last = now
    remember(similar, group, record)
    if (record.messages.size < SIMILAR) return { key: JSON.stringify([group, message]), message }
    for (const oldest of record.messages) {
      record.messages.delete(oldest)
      break
    }
    return { key: group, message: `(combined from similar events): ${message}` }
  }

  function isAllowed(uid: string, now: number): boolean {
    const budget = budgets.get(uid) ?? { tokens: BURST, at: now }
    budget.tokens = Math.min(BURST, budget.tokens + (now - budget.at) / REFILL)
    budget.at = now
    remember(budgets, uid, budget)
    if (budget.tokens < 1) return false
    budget.tokens -= 1
    return true
  }

  return {
    correlate(occurrence, now) {
      const { key, message } = aggregate(occurrence, now)
      if (!isAllowed(occurrence.uid, now)) return { write: 'nothing' }
      const before = known.get(key)
      if (!before) return { write: 'new', key, message }
      before.count++
      return { write: 'again', key, message, ...before }
    },
    written: (key, name) => remember(known, key, { name, count: 1 }),
  }
}

function remember<T>(cache: Map<string, T>, key: string, value: T): void {
  cache.delete(key)
  cache.set(key, value)
  if (cache.size > REMEMBERED) cache.delete(cache.keys().next().value ?? '')
}
