import { setImmediate as breath } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import { statusOf } from '../../cluster/api-error.ts'
import { createWorkQueue, type RetryDelays, type WorkQueue } from './work-queue.ts'

export type Log = (record: {
  level: 'info' | 'error'
  message: string
  [field: string]: unknown
}) => void

/** What one controller is: a queue and those who work it off. */
export interface Worker {
  queue: WorkQueue
  /** Lets what is being done finish. */
  close(): Promise<void>
}

export interface WorkerOptions {
  name: string
  clock: Clock
  log: Log
  /** How many keys at once. */
  threads: number
  retries?: RetryDelays
  /** One pass over one object. What it throws is logged and tried again with growing delays. */
  reconcile(key: string, queue: WorkQueue): Promise<void>
}

export function startWorker(options: WorkerOptions): Worker {
  const { name, clock, log, threads, retries, reconcile } = options
  const queue = createWorkQueue(clock, retries)
  const running = Array.from({ length: threads }, async () => {
    for (let item = await queue.take(); item !== undefined; item = await queue.take()) {
      try {
        await reconcile(item.key, queue)
        queue.forget(item.key)
      } catch (err) {
        const message = statusOf(err)?.message ?? (err instanceof Error ? err.message : String(err))
        log({
          level: 'info',
          message: 'reenqueuing',
          controller: name,
          key: item.key,
          reason: message,
        })
        queue.retry(item.key, item.priority)
      } finally {
        queue.done(item.key)
      }
      // Passes that have nothing to do ask for nothing: they must not keep the server in this thread from answering.
      await breath()
    }
  })
  return {
    queue,
    async close() {
      queue.close()
      await Promise.all(running)
    },
  }
}
