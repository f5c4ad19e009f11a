import type { Migration } from '../kubevirt/types.ts'
import { inOrder } from './list.ts'
import type { Observed } from './observed.ts'

/** The migrations that a list shows just now. */
export interface Roster {
  get(uid: string): Observed | undefined
  put(observed: Observed): void
  /** In the order of a list; what vanished or ended a while ago is no longer there. */
  all(): Observed[]
}

/** A cancelled migration's object vanishes at once; it is shown a while longer. ms. */
const AFTERGLOW = 60_000

/** @param isShown whether a list would show it by now */
export function createRoster(
  now: () => number,
  isShown: (migration: Migration) => boolean = () => true,
): Roster {
  const shown = new Map<string, { observed: Observed; goneAt: number | undefined }>()
  return {
    get: (uid) => shown.get(uid)?.observed,
    put(observed) {
      const goneAt = observed.gone ? now() : undefined
      shown.set(observed.migration.metadata.uid ?? '', { observed, goneAt })
    },
    all() {
      for (const [uid, { observed, goneAt }] of shown)
        if ((goneAt !== undefined && now() - goneAt > AFTERGLOW) || !isShown(observed.migration))
          shown.delete(uid)
      return [...shown.values()]
        .map(({ observed }) => observed)
        .sort((a, b) => inOrder(a.migration, b.migration))
    },
  }
}
