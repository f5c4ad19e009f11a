import type { Clock } from '../clock.ts'
import { EXIT, MigError } from '../errors.ts'
import type { Limits } from './limits.ts'
import { jsonLog, type ProxyLog } from './log.ts'
import { createProxyManager, type ProxyManager, type ProxyManagerOptions } from './manager.ts'
import { createTallies } from './tally.ts'
import { type TlsFiles, watchTlsFiles } from './tls-files.ts'

export interface ServeOptions extends Pick<ProxyManagerOptions, 'portRange' | 'socketOwner'> {
  /** Only targets bind. */
  bind?: string
  tls: TlsFiles | 'disabled'
  limits: Partial<Limits>
  /** ms that streams get to finish after the first signal. */
  graceMs: number
  metrics?: { host: string; port: number }
  clock: Clock
  /** The answer, one JSON line. */
  out: { write(text: string): unknown }
  /** The log, JSON lines. */
  err: { write(text: string): unknown }
  /** Calls back at each signal to end, with its name; returns how to stop that. */
  onSignal(callback: (name: string) => void): () => void
  /** Called once, before the answer. */
  onListening?(): void
}

/**
 * A proxy as a process of its own: starts what it is told, says so in one line, and runs until a signal; then streams
 * get their grace, a second signal cuts them. Nothing is left behind in any case.
 * @param start opens the listeners and returns what is printed
 * @throws MigError what `start` throws; when streams had to be cut
 */
export async function serveProxy(
  start: (manager: ProxyManager) => Promise<unknown>,
  options: ServeOptions,
): Promise<void> {
  const { clock } = options
  const err = heldOutput(options.err)
  const log = jsonLog(err, clock)
  const tallies = createTallies()
  const closers: (() => unknown)[] = []
  const signals = listenToSignals(options.onSignal)
  closers.push(signals.close)
  try {
    const tls = await openTls(options, log)
    closers.push(tls.close)
    const manager = createProxyManager({
      bind: options.bind ?? '::',
      tls: tls.current,
      clock,
      log,
      limits: options.limits,
      ...(options.portRange && { portRange: options.portRange }),
      ...(options.socketOwner && { socketOwner: options.socketOwner }),
      onClosed: tallies.add,
    })
    closers.push(manager.close)
    if (options.metrics) {
      const { serveMetrics } = await import('./metrics.ts')
      const open = manager.connections
      const source = { open, tallies: () => tallies.with(open()) }
      const metrics = await serveMetrics(options.metrics, source)
      closers.push(metrics.close)
      log({ level: 'info', msg: `metrics are served on port ${metrics.port}` })
    }
    const answer = await start(manager)
    err.release()
    options.onListening?.()
    options.out.write(`${JSON.stringify(answer)}\n`)
    const name = await signals.next()
    log({ level: 'info', msg: `Received signal ${name}, initiating graceful shutdown` })
    await drain(manager, signals, options, log)
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}

/** A proxy that can't start says one thing, its error: the log comes only when it runs. */
function heldOutput(out: ServeOptions['err']): ServeOptions['err'] & { release(): void } {
  let held: string[] | undefined = []
  return {
    write: (text) => (held ? held.push(text) : out.write(text)),
    release() {
      for (const text of held ?? []) out.write(text)
      held = undefined
    },
  }
}

async function openTls({ tls, clock }: ServeOptions, log: ProxyLog) {
  if (tls !== 'disabled') return watchTlsFiles(tls, { clock, log })
  log({
    level: 'warning',
    msg: 'TLS is disabled: the memory and the disks of the guest cross the network in clear, for everyone on it to read and to change',
  })
  return { current: () => 'disabled' as const, close: () => {} }
}

const TELL_EVERY_MS = 10_000

async function drain(
  manager: ProxyManager,
  signals: Signals,
  { clock, graceMs }: ServeOptions,
  log: ProxyLog,
): Promise<void> {
  manager.initiateGracefulShutdown()
  const over = new AbortController()
  const tell = setInterval(() => {
    const msg = `waiting for ${manager.openListenerCount()} migration listeners to terminate`
    log({ level: 'info', msg })
  }, TELL_EVERY_MS)
  const outcome = await Promise.race([
    manager.idle().then(() => 'idle' as const),
    signals.next().then((name) => `a second ${name}`),
    clock.sleep(graceMs, over.signal).then(
      () => `the grace of ${graceMs / 1000} s`,
      () => '',
    ),
  ])
  over.abort()
  clearInterval(tell)
  if (outcome === 'idle') {
    const msg = 'cleanly exiting with reason: migration proxy cleanly shutdown'
    log({ level: 'info', msg })
    return
  }
  const open = manager.connections().length
  const reason = `${open} ${open === 1 ? 'stream was' : 'streams were'} cut after ${outcome}`
  log({ level: 'error', msg: `Timed out waiting for migration listeners to terminate: ${reason}` })
  throw new MigError(EXIT.error, reason, { code: 'cut' })
}

interface Signals {
  next(): Promise<string>
  close(): void
}

/**
 * A signal that nobody waits for yet, as at the start, is kept. One more then means that what goes on never ends: it has
 * the system's way, which is to end the process at once.
 */
function listenToSignals(onSignal: ServeOptions['onSignal']): Signals {
  const waiting: ((name: string) => void)[] = []
  let kept: string | undefined
  const hear = (name: string) => {
    const next = waiting.shift()
    if (next) return next(name)
    kept = name
    stop()
  }
  let stop = onSignal(hear)
  return {
    next: () =>
      new Promise((resolve) => {
        if (kept === undefined) return waiting.push(resolve)
        resolve(kept)
        kept = undefined
        stop = onSignal(hear)
      }),
    close: () => stop(),
  }
}
