import { spawn } from 'node:child_process'
import { usageOf } from '../proxy/usage.ts'

export interface Run {
  seconds: number
  /** Seconds of processor time, of its children too. */
  cpu: number
  /** The most memory that it held, or the largest of its children; MiB. */
  peakMiB: number
  status: number | null
  /** What it wrote to stdout, where that was to be kept; and how much it was. */
  out: string
  bytes: number
}

/** Often enough to see the peak, and not so often that the looking counts. ms */
const LOOK = 50

/** Runs a command line to its end. @throws when it was not started, or says that it failed */
export async function run(
  [command, ...args]: string[],
  { env, keep = true }: { env: NodeJS.ProcessEnv; keep?: boolean },
): Promise<Run> {
  const started = performance.now()
  // A process group of its own, so that what it starts is counted.
  const child = spawn(command!, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const chunks: Buffer[] = []
  let bytes = 0
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (keep) chunks.push(chunk)
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  let [cpu, peakMiB] = [0, 0]
  const watch = setInterval(() => {
    const usage = usageOf(child.pid!)
    cpu = Math.max(cpu, usage.cpu)
    peakMiB = Math.max(peakMiB, usage.peakMib)
  }, LOOK)
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  }).finally(() => clearInterval(watch))
  const seconds = (performance.now() - started) / 1000
  // 3 is a diagnosis that found something.
  if (status !== 0 && status !== 3)
    throw new Error(`${command} ${args.join(' ')} exited ${status}: ${errors}`)
  return { seconds, cpu, peakMiB, status, out: Buffer.concat(chunks).toString(), bytes }
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}
