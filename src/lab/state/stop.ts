import type { Clock } from '../../clock.ts'
import { cleanUp, type FoundLab } from './folder.ts'
import { startOf } from './process.ts'

const POLL_MS = 50
/** A lab ends well within this; one that does not is ended without asking. */
const PATIENCE_MS = 15_000

/** Ends a lab and removes what is left of it. @returns how: it was asked, had to be killed, or was dead already */
export async function stopLab(lab: FoundLab, clock: Clock): Promise<'ended' | 'killed' | 'dead'> {
  const { record, alive } = lab
  let how: 'ended' | 'killed' | 'dead' = 'dead'
  if (record && alive) {
    how = 'ended'
    signal(record.pid, 'SIGTERM')
    const until = clock.now() + PATIENCE_MS
    while ((await startOf(record.pid)) === record.processStart) {
      if (clock.now() > until && how === 'ended') {
        how = 'killed'
        signal(record.pid, 'SIGKILL')
      }
      await clock.sleep(POLL_MS)
    }
  }
  await cleanUp(lab)
  return how
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has just ended by itself.
  }
}
