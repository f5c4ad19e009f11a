import { ApiError } from '../../src/cluster/api-error.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { EXIT } from '../../src/errors.ts'

/** A way to the API that can be cut: open streams break, new requests fail until it is mended. */
export function breakable(cluster: Cluster) {
  let broken = Promise.withResolvers<never>()
  let isCut = false
  broken.promise.catch(() => undefined)
  const failure = () => new ApiError(EXIT.error, 'the network is down', { code: 'ECONNRESET' })
  const guarded = <T>(request: () => Promise<T>) => (isCut ? Promise.reject(failure()) : request())
  async function* through(lines: AsyncIterable<string>) {
    const iterator = lines[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await Promise.race([iterator.next(), broken.promise])
        if (next.done) return
        yield next.value
      }
    } finally {
      void iterator.return?.().catch(() => undefined)
    }
  }
  const way: Cluster = {
    ...cluster,
    request: (request) => guarded(() => cluster.request(request)),
    text: (request) => guarded(() => cluster.text(request)),
    stream: (request) => guarded(async () => through(await cluster.stream(request))),
  }
  return {
    cluster: way,
    cut() {
      isCut = true
      broken.reject(failure())
    },
    mend() {
      isCut = false
      broken = Promise.withResolvers<never>()
      broken.promise.catch(() => undefined)
    },
  }
}
