import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { TLSSocket } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createFailures } from '../../src/proxy/failures.ts'
import type { PumpEnd } from '../../src/proxy/pump.ts'
import type { Direction } from '../../src/proxy/relay.ts'
import { start } from '../commands/run.ts'
import { tempDir, unixClient, until } from './fixtures.ts'
import { testPki } from './pki.ts'

const coded = (code: string) => Object.assign(new Error(code), { code })
const wrote = (code: string): PumpEnd => ({ how: 'write-failed', error: coded(code) })
const read = (error: Error): PumpEnd => ({ how: 'read-failed', error })
const BARE = new Error('unexpected EOF')
const END: PumpEnd = { how: 'end' }

describe('of a source whose two directions end,', () => {
  test.each<[string, [Direction, PumpEnd][], string[]]>([
    [
      'nothing is told when both end well',
      [
        ['out', END],
        ['in', END],
      ],
      [],
    ],
    [
      'an alert tells why, not the write that failed before it',
      [
        ['out', wrote('EPIPE')],
        ['in', read(coded('ERR_SSL_X'))],
      ],
      ['in ERR_SSL_X'],
    ],
    [
      'nor one that fails after it',
      [
        ['in', read(coded('ERR_SSL_X'))],
        ['out', wrote('ECONNRESET')],
      ],
      ['in ERR_SSL_X'],
    ],
    [
      'a reset that reading saw is told once',
      [
        ['in', read(coded('ECONNRESET'))],
        ['out', wrote('EPIPE')],
      ],
      ['in ECONNRESET'],
    ],
    [
      'a reset that the write took is told, not the bare end',
      [
        ['out', wrote('ECONNRESET')],
        ['in', read(BARE)],
      ],
      ['out ECONNRESET'],
    ],
    [
      'also when reading ended first',
      [
        ['in', read(BARE)],
        ['out', wrote('ECONNRESET')],
      ],
      ['in unexpected EOF', 'out ECONNRESET'],
    ],
    [
      'a bare end tells better than a broken pipe',
      [
        ['out', wrote('EPIPE')],
        ['in', read(BARE)],
      ],
      ['in unexpected EOF'],
    ],
    ['a write that failed waits for reading to end', [['out', wrote('EPIPE')]], []],
    [
      'and is told when that ends well',
      [
        ['out', wrote('EPIPE')],
        ['in', END],
      ],
      ['out EPIPE'],
    ],
    [
      'a launcher that takes no more is told besides',
      [
        ['out', wrote('EPIPE')],
        ['in', wrote('EPIPE')],
      ],
      ['out EPIPE', 'in EPIPE'],
    ],
    ['a launcher that broke off is told at once', [['out', read(coded('EIO'))]], ['out EIO']],
  ])('%s', (_, ends, told) => {
    const heard: string[] = []
    const failures = createFailures('out', (direction, { error }) => {
      heard.push(`${direction} ${error.message}`)
    })
    for (const [direction, end] of ends) failures.ended(direction, end)
    expect(heard).toEqual(told)
  })

  test('what waits is told once when the connection is cut', () => {
    const heard: string[] = []
    const failures = createFailures('out', (direction) => heard.push(direction))
    failures.ended('out', wrote('ECONNRESET'))
    failures.flush()
    failures.flush()
    expect(heard).toEqual(['out'])
  })
})

/** As under load: what was sent to it and the reset are both there when the proxy comes to look. */
test.each([
  ['tls', 1000],
  ['tls', 200_000],
  ['plain', 1000],
  ['plain', 200_000],
] as const)(
  'a reset is named as one, by whichever direction meets it first (%s, %i bytes on their way)',
  async (transport, bytes) => {
    const { proxy, client, other } = await sourceBefore(transport)
    proxy.child.kill('SIGSTOP')
    client.write(Buffer.alloc(bytes))
    other.resetAndDestroy()
    // Both have to have arrived; nobody can ask one that stands still.
    await delay(100)
    proxy.child.kill('SIGCONT')
    await until(() => proxy.stderr().includes('bytes copied outbound to inbound'))
    await until(() => proxy.stderr().includes('bytes copied from inbound to outbound'))
    const errors = proxy
      .stderr()
      .split('\n')
      .filter((line) => line.includes('"error encountered copying data'))
    expect(errors).toEqual([expect.stringMatching(/(read|write) ECONNRESET: /)])
  },
)

test('of a target that has answered on another connection a reset is no refusal, however soon', async () => {
  const { proxy, another } = await sourceBefore('tls')
  const peer = await another()
  peer.resetAndDestroy()
  await until(() => proxy.stderr().includes('error encountered'))
  expect(proxy.stderr()).toMatch(/(read|write) ECONNRESET: the other proxy/)
  expect(proxy.stderr()).not.toContain('tls-refused')
})

/** A source's proxy as a process of its own, a client on its socket, and its connection as the other node has it. */
async function sourceBefore(transport: 'tls' | 'plain') {
  const pki = await testPki()
  const dir = await tempDir()
  let accepted: Socket | undefined
  let answered = false
  const server = createServer((socket) => {
    accepted = socket.on('error', () => {})
    const secure = { ...pki.server, ca: pki.ca, isServer: true, requestCert: true }
    const peer = transport === 'tls' ? new TLSSocket(socket, secure) : socket
    peer.on('error', () => {}).resume()
    if (!answered) peer.write('x')
    answered = true
  })
  server.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const files = { ca: pki.ca, cert: pki.client.cert, key: pki.client.key }
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text)
  const { port } = server.address() as { port: number }
  const tls = ['--ca', join(dir, 'ca'), '--client-cert', join(dir, 'cert')]
  const proxy = start([
    ...['proxy', 'source', '--key', 'uid', '--target', '127.0.0.1'],
    ...['--port-map', JSON.stringify({ [port]: 49152 }), '--base-dir', dir],
    ...(transport === 'tls' ? [...tls, '--client-key', join(dir, 'key')] : ['--disable-tls']),
  ])
  await until(() => proxy.stdout().endsWith('\n'))
  const [file] = JSON.parse(proxy.stdout())
  const client = await unixClient(file)
  // A byte has come through: this is no peer that refuses.
  await once(client, 'data')
  const other = accepted!
  /** One more, with a little on its way, that nobody answers. */
  const another = async () => {
    const second = await unixClient(file)
    second.write('to nobody')
    await until(() => accepted !== other && accepted!.bytesRead > 0)
    await delay(100)
    return accepted!
  }
  return { proxy, client, other, another }
}
