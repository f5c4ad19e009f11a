import { connect, createServer, type Socket } from 'node:net'
import { readIntoUserBuffer } from '../../src/proxy/user-buffer.ts'

/**
 * The two ends of a measurement, each a process of its own. Every block carries its connection and its number, the
 * rest is noise that both ends know: a byte that is lost, doubled or swapped is found.
 */
const BLOCK = 256 * 1024
const HEADER = 8

/** The same noise on both sides: a small generator, seeded. */
function noise(): Buffer {
  const block = Buffer.alloc(BLOCK)
  let state = 0x9e3779b9
  for (let at = 0; at < BLOCK; at += 4) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    block.writeInt32LE(state, at)
  }
  return block
}

/** Connects, says `ready`, sends on `go` and keeps the connections open. */
export function generate(path: string, connections: number, blocksEach: number): void {
  const template = noise()
  let connected = 0
  const sockets = Array.from({ length: connections }, () =>
    connect(path, () => {
      connected++
      if (connected === connections) process.send!('ready')
    }),
  )
  for (const socket of sockets) {
    socket.once('close', () => {
      throw new Error('the proxy closed a connection')
    })
  }
  process.once('message', () => {
    for (const [id, socket] of sockets.entries()) sendBlocks(socket, id, blocksEach, template)
  })
}

function sendBlocks(socket: Socket, id: number, count: number, template: Buffer): void {
  const block = Buffer.from(template)
  let sent = 0
  const next = () => {
    if (sent === count) return
    block.writeUInt32LE(id, 0)
    block.writeUInt32LE(sent, 4)
    sent++
    socket.write(block, next)
  }
  next()
}

/** Checks every byte; says `done` when all came, ends with an error at the first that is wrong. */
export function check(path: string, connections: number, blocksEach: number): void {
  const template = noise()
  let finished = 0
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    const memory = Buffer.allocUnsafeSlow(512 * 1024)
    const verify = createVerifier(template)
    readIntoUserBuffer(socket, {
      buffer: () => memory,
      read(count) {
        const blocks = verify(memory, count)
        if (blocks === blocksEach) finished++
        if (finished === connections) process.send!('done')
        return true
      },
    })
    socket.resume()
  })
  server.listen(path, () => process.send!('ready'))
}

/** @returns takes what came and tells how many blocks are complete; throws at a wrong byte */
function createVerifier(template: Buffer): (bytes: Buffer, count: number) => number {
  const header = Buffer.alloc(HEADER)
  let offset = 0
  let blocks = 0
  let id = -1
  return (bytes, count) => {
    let at = 0
    while (at < count) {
      if (offset < HEADER) {
        const part = Math.min(HEADER - offset, count - at)
        bytes.copy(header, offset, at, at + part)
        offset += part
        at += part
        if (offset < HEADER) break
        if (id < 0) id = header.readUInt32LE(0)
        if (header.readUInt32LE(0) !== id || header.readUInt32LE(4) !== blocks) {
          throw new Error(`connection ${id}: block ${blocks} is missing or out of order`)
        }
      }
      const part = Math.min(BLOCK - offset, count - at)
      if (bytes.compare(template, offset, offset + part, at, at + part) !== 0) {
        throw new Error(`connection ${id}: wrong bytes in block ${blocks}`)
      }
      offset += part
      at += part
      if (offset === BLOCK) {
        offset = 0
        blocks++
      }
    }
    return blocks
  }
}

export const BLOCK_BYTES = BLOCK
