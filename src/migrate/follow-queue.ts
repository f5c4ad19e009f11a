import type { Clock } from '../clock.ts'
import { isStatus } from '../cluster/api-error.ts'
import { MigError } from '../errors.ts'
import type { ClusterView } from '../rules/capacity.ts'
import type { Observed } from './observed.ts'
import { type Waiting, waitingFor } from './waiting.ts'

export interface QueueFollowing {
  clock: Clock
  signal: AbortSignal
  /** Shared by all that wait. */
  readView: () => Promise<ClusterView>
  onWaiting(waiting: Waiting): void
}

/** As often as virt-controller itself looks for a slot for a user's migration (fact sheet control-plane.md §2.2). ms. */
export const SLOTS_POLL = 5000
/** Most get their slot at once; they are not looked into. ms. */
const PATIENCE = 500

/**
 * Looks which limit holds a migration, as long as it waits. KubeVirt tells nobody; the limits are counted anew here.
 * @param waiting the migration while it waits, undefined once it does not
 * @throws MigError when migrations of other namespaces may not be read
 */
export async function followQueue(
  waiting: () => Observed | undefined,
  { clock, signal, readView, onWaiting }: QueueFollowing,
): Promise<void> {
  const pause = (ms: number) => clock.sleep(ms, signal).catch(() => undefined)
  await pause(PATIENCE)
  for (;;) {
    const observed = waiting()
    if (!observed || signal.aborted) return
    try {
      onWaiting(waitingFor(await readView(), observed.migration, observed.vmi))
    } catch (err) {
      if (signal.aborted) return
      if (isStatus(err, 403) || !(err instanceof MigError)) throw err
    }
    await pause(SLOTS_POLL)
  }
}
