import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { systemClock } from '../clock.ts'
import type { ServeOptions } from './serve.ts'

/** A proxy that is this process: answer on stdout, log on stderr, ended by SIGTERM or SIGINT. */
export function thisProcess(): Pick<
  ServeOptions,
  'clock' | 'out' | 'err' | 'onSignal' | 'onListening'
> {
  // A node has many proxies, and bytes never pass through their heap: no optimizing compiler makes one some MiB
  // smaller (measured), and costs nothing.
  setFlagsFromString('--no-opt')
  return {
    clock: systemClock,
    out: process.stdout,
    err: process.stderr,
    onSignal(callback) {
      process.on('SIGTERM', callback).on('SIGINT', callback)
      return () => void process.off('SIGTERM', callback).off('SIGINT', callback)
    },
    onListening: shrinkHeap,
  }
}

/**
 * Gives back what only the start has needed, and keeps the young generation as small as it then is: 6 MiB, and as much
 * again under load (measured). V8 has no other way than its collector, which it hides behind a flag.
 */
function shrinkHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
