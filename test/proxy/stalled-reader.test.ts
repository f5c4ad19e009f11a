import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Started, start } from '../commands/run.ts'
import { readAll, tempDir, unixClient, unixServer, until } from './fixtures.ts'

/** A minute by hand: STALL_SECONDS=60. */
const STALL_MS = Number(process.env['STALL_SECONDS'] ?? 3) * 1000
const MIB = 2 ** 20

test('memory stays flat while a reader stalls, and the stream is whole when it reads on', {
  timeout: STALL_MS + 60_000,
}, async () => {
  const dir = await tempDir()
  const readers: Socket[] = []
  await unixServer(`${dir}/backend`, (socket) => void readers.push(socket.pause()))
  const common = ['--key', 'uid', '--disable-tls']
  const target = start([
    'proxy',
    'target',
    ...common,
    '--bind',
    '127.0.0.1',
    '--unix',
    `0=${dir}/backend`,
  ])
  const map = await firstLine(target)
  const source = start(
    ['proxy', 'source', ...common, '--target', '127.0.0.1', '--port-map', map].concat([
      '--base-dir',
      dir,
    ]),
  )
  const client = await unixClient(JSON.parse(await firstLine(source))[0])
  let accepted = 0
  const piece = Buffer.alloc(MIB, 7)
  const push = (err?: Error | null) => {
    if (err || client.writableEnded) return
    accepted += piece.length
    client.write(piece, push)
  }
  push()
  // Until every buffer on the way is full.
  for (let before = -1; before !== accepted; await delay(300)) before = accepted
  const proxies = [source, target]
  const before = proxies.map(residentMib)
  const peaks = [...before]
  for (const end = Date.now() + STALL_MS; Date.now() < end; await delay(100)) {
    for (const [i, proxy] of proxies.entries()) peaks[i] = Math.max(peaks[i]!, residentMib(proxy))
  }
  console.log(`stalled for ${STALL_MS / 1000} s: MiB before ${before}, at most ${peaks}`)
  for (const [i, peak] of peaks.entries()) expect(peak - before[i]!).toBeLessThan(3)

  const whole = readAll(readers[0]!.resume())
  client.end()
  expect((await whole).length).toBe(accepted)
})

function residentMib({ child }: Started): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}

async function firstLine(proxy: Started): Promise<string> {
  await until(() => proxy.stdout().endsWith('\n'))
  return proxy.stdout().trim()
}
