import { Socket } from 'node:net'

/** Where a socket's next bytes go, and what is called when they are there. */
export interface Reader {
  /** The memory for the next read; never empty. */
  buffer(): Uint8Array
  /** `count` bytes lie at the start of the last buffer. False stops reading until `socket.resume()`. */
  read(count: number): boolean
}

/**
 * Makes an open socket read into memory of ours: node's `onread`, which node offers only for sockets that it dials,
 * not for accepted ones nor for TLS over a socket. What the socket holds already is still to be had by `read()`.
 * @returns false when this node's internals are not as expected; then nothing was changed
 */
export function readIntoUserBuffer(socket: Socket, reader: Reader): boolean {
  const handle = (socket as { _handle?: Handle })._handle
  if (!ONREAD || typeof handle?.useUserBuffer !== 'function') return false
  const fields = socket as unknown as Record<symbol, unknown>
  const first = reader.buffer()
  fields[ONREAD.buffer] = first
  fields[ONREAD.callback] = reader.read
  fields[ONREAD.generator] = reader.buffer
  handle.useUserBuffer(first)
  return true
}

/** Whether node has read the end of the stream, though it may still hold bytes that came before. */
export function endWasRead(socket: Socket): boolean {
  return (socket as unknown as { _readableState: { ended: boolean } })._readableState.ended
}

interface Handle {
  useUserBuffer?(buffer: Uint8Array): void
}

const ONREAD = findSymbols()

/** The symbols under which node keeps a socket's `onread` option; a socket without one has them too, and null. */
function findSymbols(): { buffer: symbol; callback: symbol; generator: symbol } | undefined {
  const callback = () => true
  const generator = () => new Uint8Array(1)
  const probe = new Socket({ onread: { buffer: generator as never, callback } })
  const bare = new Socket()
  const value = (socket: Socket, symbol: symbol) =>
    (socket as unknown as Record<symbol, unknown>)[symbol]
  const find = (wanted: unknown) =>
    Object.getOwnPropertySymbols(probe).find(
      (symbol) => value(probe, symbol) === wanted && value(bare, symbol) === null,
    )
  const found = { buffer: find(true), callback: find(callback), generator: find(generator) }
  probe.destroy()
  bare.destroy()
  return found.buffer && found.callback && found.generator
    ? (found as { buffer: symbol; callback: symbol; generator: symbol })
    : undefined
}
