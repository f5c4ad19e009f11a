import type { LogOrigin } from './layout.ts'
import type { LogLine } from './log-line.ts'

/** A log line that holds a known text, with where it stands. */
export interface LogHit extends LogLine {
  origin: LogOrigin
  line: number
  /** How often lines of the same kind about the same object stand in that file; this one is the first or among the last. */
  count: number
  /** When the last of them was written, in ms. */
  lastTime?: number
}

const KEPT = 3

/**
 * Keeps of many like lines of one file the first and the last few, and how many there were: a log that says the same a
 * million times costs no more than one that says it twice.
 */
export function createHitKeeper(limit: number) {
  const groups = new Map<string, { first: LogHit; last: LogHit[]; count: number }>()
  let kept = 0

  return {
    /** @param kind what makes two lines alike, beside the object that they speak of */
    add(hit: LogHit, kind: string): void {
      const key = [
        hit.origin.file,
        kind,
        hit.uid ?? '',
        hit.namespace ?? '',
        hit.name ?? '',
        hit.outbound ?? '',
        hit.listening ?? '',
      ].join('\0')
      const group = groups.get(key)
      if (!group) {
        if (kept >= limit) return
        kept++
        groups.set(key, { first: hit, last: [], count: 1 })
        return
      }
      group.count++
      group.last.push(hit)
      if (group.last.length > KEPT) group.last.shift()
    },
    hits(): LogHit[] {
      return [...groups.values()].flatMap(({ first, last, count }) => {
        const end = last.at(-1)?.time
        return [first, ...last].map((hit) => ({
          ...hit,
          count,
          ...(end !== undefined && { lastTime: end }),
        }))
      })
    },
  }
}
