import type { Clock } from '../clock.ts'
import type { Step } from './steps.ts'

/** Tells when a migration stands still. */
export interface StandstillWatch {
  /** Hears each step; after one that moves it on, the patience begins anew. @returns whether it was such a one */
  hear(step: Step): boolean
  /** Aborts what was begun, and waits for it. */
  close(): Promise<void>
}

/**
 * Calls back once when a migration has neither changed its stage nor moved a byte for `patience` ms, and again when that
 * happens after it had moved on; that also aborts what the call has begun.
 */
export function watchStandstill(
  clock: Clock,
  patience: number,
  onStandstill: (movedOn: AbortSignal) => Promise<void>,
): StandstillWatch {
  let pause = new AbortController()
  let bytes: number | undefined
  const work = new Set<Promise<void>>()
  const begin = () => {
    pause.abort()
    const mine = new AbortController()
    pause = mine
    const waiting = clock.sleep(patience, mine.signal).then(
      () => onStandstill(mine.signal),
      () => undefined,
    )
    const done: Promise<void> = waiting.finally(() => work.delete(done))
    work.add(done)
  }
  begin()
  return {
    hear(step) {
      const moved =
        step.type === 'progress' ? step.progress.processedBytes !== bytes : MOVES.has(step.type)
      if (step.type === 'progress') bytes = step.progress.processedBytes
      if (moved) begin()
      return moved
    },
    async close() {
      pause.abort()
      await Promise.all(work)
    },
  }
}

/** Warnings, gaps and the order of those that wait move nothing. */
const MOVES = new Set<Step['type']>(['phase', 'pod', 'cancelling', 'end'])
