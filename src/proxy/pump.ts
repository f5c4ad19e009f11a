import type { Socket } from 'node:net'

/** How one direction of a connection ended. */
export type PumpEnd =
  /** The sender said it was done, everything was delivered, the receiver was told so. */
  | { how: 'end' }
  /** Reading failed: what came before was delivered, what would have come is lost. */
  | { how: 'read-failed'; error: Error }
  /** The receiver takes no more. */
  | { how: 'write-failed'; error: Error }

/**
 * Moves bytes one way, from `from` to `to`, until the end of the stream and passes that on.
 * Never reads ahead of a slow receiver by more than a buffer. `onBytes` counts what was handed to the receiver.
 */
export function pump(from: Socket, to: Socket, onBytes: (count: number) => void): Promise<PumpEnd> {
  return new Promise((resolve) => {
    const finish = (end: PumpEnd) => {
      from.off('data', onData).off('end', onEnd).off('close', onReadClosed)
      to.off('drain', onDrain).off('close', onWriteClosed)
      resolve(end)
    }
    const onData = (chunk: Buffer) => {
      onBytes(chunk.length)
      if (!to.write(chunk)) from.pause()
    }
    const onDrain = () => from.resume()
    const onEnd = () => to.end(() => finish({ how: 'end' }))
    const onReadClosed = () => {
      if (!from.readableEnded) finish({ how: 'read-failed', error: errorOf(from) })
    }
    const onWriteClosed = () => {
      if (!to.writableFinished) finish({ how: 'write-failed', error: errorOf(to) })
    }
    from.on('data', onData).on('end', onEnd).on('close', onReadClosed)
    to.on('drain', onDrain).on('close', onWriteClosed)
    if (from.readableEnded) onEnd()
    else if (from.destroyed) onReadClosed()
    else from.resume()
  })
}

function errorOf(socket: Socket): Error {
  return socket.errored ?? new Error('connection closed')
}
