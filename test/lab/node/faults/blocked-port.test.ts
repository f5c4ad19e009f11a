import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { platform } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { blockPort } from '../../../../src/lab/node/faults/blocked-port.ts'
import { seenByNode } from '../../../../src/lab/node/faults/relayed-port.ts'
import { tcpSockets } from '../../../../src/lab/node/kernel-sockets.ts'

test.skipIf(platform() !== 'linux')(
  'who dials a blocked port stays in SYN-SENT, and gets through when it is unblocked',
  async () => {
    const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
    await once(echo, 'listening')
    onTestFinished(() => void echo.close())
    const blocked = await blockPort('127.0.0.1', (echo.address() as AddressInfo).port)
    onTestFinished(() => blocked.close())

    const caller = connect({ host: '127.0.0.1', port: blocked.port })
    onTestFinished(() => void caller.destroy())
    const states = async () => {
      const sockets = (await tcpSockets()).filter(({ peer }) => peer.port === blocked.port)
      return seenByNode(sockets, [blocked]).map(({ state }) => state)
    }
    await expect.poll(states).toEqual(['SYN-SENT'])
    blocked.unblock()
    await once(caller, 'connect')
    caller.write('hello')
    expect(String((await once(caller, 'data'))[0])).toBe('hello')
  },
)
