import { setFlagsFromString } from 'node:v8'
import { systemClock } from '../clock.ts'
import type { ServeOptions } from './serve.ts'

/** A proxy that is this process: answer on stdout, log on stderr, ended by SIGTERM or SIGINT. */
export function thisProcess(): Pick<ServeOptions, 'clock' | 'out' | 'err' | 'onSignal'> {
  // The young generation of the heap stays small: bytes never pass through it, and a node has many proxies.
  setFlagsFromString('--semi-space-growth-factor=1')
  return {
    clock: systemClock,
    out: process.stdout,
    err: process.stderr,
    onSignal(callback) {
      process.on('SIGTERM', callback).on('SIGINT', callback)
      return () => void process.off('SIGTERM', callback).off('SIGINT', callback)
    },
  }
}
