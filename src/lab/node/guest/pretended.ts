import type { CopyProgress, Guest } from './guest.ts'

/** A guest without bytes, for labs with very many: everything is copied at once, and there is nothing to compare. */
export function bootPretended(): Guest {
  return pretended('running')
}

export function incomingPretended(): Guest {
  return pretended('incoming')
}

const NOTHING: CopyProgress = {
  mode: 'PreCopy',
  iteration: 1,
  totalBytes: 0,
  processedBytes: 0,
  remainingBytes: 0,
  memoryBytesPerSecond: 0,
  diskBytesPerSecond: 0,
  dirtyBytesPerSecond: 0,
  expectedDowntimeMs: 0,
  pausedAt: undefined,
  resumedAt: undefined,
  throttlePercent: 0,
  postCopyRequests: 0,
}

function pretended(initial: Guest['state']): Guest {
  let state = initial
  return {
    get state() {
      return state
    },
    async pause() {
      if (state === 'running') state = 'paused'
    },
    async resume() {
      if (state !== 'ended') state = 'running'
    },
    setDirtyRate() {},
    copyTo() {
      state = 'paused'
      return {
        done: Promise.resolve(),
        progress: () => NOTHING,
        startPostCopy() {},
        cancel() {},
        kill() {},
      }
    },
    async listen() {
      return { complete: Promise.resolve(), runnable: Promise.resolve() }
    },
    async checksum() {
      return undefined
    },
    async close() {
      state = 'ended'
    },
  }
}
