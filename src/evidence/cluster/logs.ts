import { isStatus } from '../../cluster/api-error.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { MigError } from '../../errors.ts'
import { PODS, pathOf } from '../../kubevirt/resources.ts'
import type { Pod } from '../../kubevirt/types.ts'
import { LIMITS } from '../limits.ts'
import { createHitKeeper } from '../log-hits.ts'
import { createLogScanner, type LineKinds } from '../log-scan.ts'
import type { Reader } from './reader.ts'

export interface LogOptions {
  lineKinds: LineKinds
  /** Lines older than this are not asked for: ms. */
  since: number
  signal: AbortSignal
  /** Of one container's log so much is read: bytes. */
  limitBytes?: number
}

/** A pod whose log may tell something, and the container that writes it. */
export interface LogSource {
  pod: Pod
  container: string
}

const LIMIT_BYTES = 32 * 1024 ** 2

/**
 * Reads logs, of a container that was restarted also those of its earlier life, and keeps the lines that speak of
 * migration. Each is bounded in time and size; what was cut, and what could not be read, is a gap.
 */
export async function readLogs(
  cluster: Cluster,
  reader: Reader,
  sources: readonly LogSource[],
  options: LogOptions,
): Promise<void> {
  const { lineKinds, since, signal, limitBytes = LIMIT_BYTES } = options
  const keeper = createHitKeeper(LIMITS.hits)
  const scanner = createLogScanner(lineKinds, keeper.add, LIMITS.lineBytes)

  async function readOne({ pod, container }: LogSource, previous: boolean): Promise<void> {
    const { namespace = '', name } = pod.metadata
    const what = `log of ${name}${previous ? ' (previous)' : ''}`
    if (!reader.mayRead('get', PODS, namespace, what, 'log')) return
    const size = { bytes: 0 }
    try {
      const lines = await cluster.stream({
        path: pathOf(PODS, { namespace, name, subresource: 'log' }),
        query: {
          container,
          sinceTime: new Date(since).toISOString(),
          timestamps: true,
          limitBytes,
          previous: previous || undefined,
        },
        signal,
      })
      const origin = { file: what, namespace, pod: name, container, previous }
      reader.logs.lines += await scanner.scan(bytesOf(lines, size), origin)
      reader.logs.files++
    } catch (err) {
      if (!(err instanceof MigError) || signal.aborted) throw err
      // An earlier life of which the kubelet has nothing any more is no gap: the log is simply gone.
      if (previous && isStatus(err, 400)) return
      const why = isStatus(err, 403) ? 'forbidden' : 'unreadable'
      reader.gap({ what, why, detail: err.message })
    }
    if (size.bytes >= limitBytes)
      reader.gap({
        what,
        why: 'truncated',
        detail: `only the first ${limitBytes} bytes since ${new Date(since).toISOString()} were read`,
      })
  }

  await Promise.all(
    sources.flatMap((source) => [
      readOne(source, false),
      ...(wasRestarted(source) ? [readOne(source, true)] : []),
    ]),
  )
  reader.logs.hits.push(...keeper.hits())
}

function wasRestarted({ pod, container }: LogSource): boolean {
  const status = pod.status?.containerStatuses?.find(({ name }) => name === container)
  return (status?.restartCount ?? 0) > 0
}

async function* bytesOf(
  lines: AsyncIterable<string>,
  size: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const line of lines) {
    const bytes = Buffer.from(`${line}\n`)
    size.bytes += bytes.length
    yield bytes
  }
}
