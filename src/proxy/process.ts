import { systemClock } from '../clock.ts'
import type { ServeOptions } from './serve.ts'

/** A proxy that is this process: answer on stdout, log on stderr, ended by SIGTERM or SIGINT. */
export const thisProcess: Pick<ServeOptions, 'clock' | 'out' | 'err' | 'onSignal'> = {
  clock: systemClock,
  out: process.stdout,
  err: process.stderr,
  onSignal(callback) {
    process.on('SIGTERM', callback).on('SIGINT', callback)
    return () => void process.off('SIGTERM', callback).off('SIGINT', callback)
  },
}
