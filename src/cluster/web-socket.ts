import { type ClientOptions, WebSocket } from 'ws'
import type { Upgraded } from './transport.ts'

/**
 * Opens a WebSocket, of which nothing has been read yet. The signal ends only the opening.
 * Rejects with the network's own error, or the signal's reason.
 * @param url of http or https
 */
export function openWebSocket(
  url: string,
  options: ClientOptions,
  protocols: readonly string[],
  signal: AbortSignal,
): Promise<Upgraded> {
  const { promise, resolve, reject } = Promise.withResolvers<Upgraded>()
  const socket = new WebSocket(url.replace(/^http/, 'ws'), [...protocols], {
    ...options,
    perMessageDeflate: false,
  })
  const abandon = () => {
    reject(signal.reason)
    socket.terminate()
  }
  if (signal.aborted) abandon()
  signal.addEventListener('abort', abandon, { once: true })
  // It stays: an error without a listener would end the process.
  socket.on('error', reject)
  socket.once('unexpected-response', (_request, refusal) => resolve({ refusal }))
  socket.once('open', () => {
    socket.pause()
    resolve({ socket })
  })
  return promise.finally(() => signal.removeEventListener('abort', abandon))
}
