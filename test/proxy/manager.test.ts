import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { dialTcp } from '../../src/proxy/dial.ts'
import {
  blackHole,
  echo,
  proxyPair,
  randomBytes,
  readAll,
  tempDir,
  testManager,
  unixClient,
  unixServer,
  until,
} from './fixtures.ts'
import { testPki } from './pki.ts'

const pki = await testPki()

describe.each([
  ['mutual TLS', pki],
  ['no TLS', 'disabled' as const],
])('over %s', (_, tls) => {
  test('bytes go both ways and come back whole', async () => {
    const { source, target, file } = await proxyPair(tls, echo)
    const sent = randomBytes(5_000_000)
    const client = await unixClient(file)
    client.end(sent)
    expect((await readAll(client)).equals(sent)).toBe(true)
    await Promise.all([source.idle(), target.idle()])
    expect(source.records.map(({ msg }) => msg)).toContain(
      '5000000 bytes copied from inbound to outbound',
    )
  })

  test('the end of one direction leaves the other open', async () => {
    const { file } = await proxyPair(tls, async (socket) => {
      const got = await readAll(socket)
      socket.end(`got ${got.length}`)
    })
    const client = await unixClient(file)
    client.end(randomBytes(100_000))
    expect(String(await readAll(client))).toBe('got 100000')
  })

  test('a backend that speaks first and ends first is heard to the end', async () => {
    const { file, target } = await proxyPair(tls, (socket) => {
      socket.end('NBDMAGIC')
      socket.resume()
    })
    const client = await unixClient(file)
    expect(String(await readAll(client))).toBe('NBDMAGIC')
    client.end()
    await target.idle()
  })

  test('a leg that dies takes the other with it', async () => {
    const { source, target, file } = await proxyPair(tls, (socket) => {
      socket.once('data', () => socket.destroy())
    })
    const client = await unixClient(file)
    const closed = new Promise((resolve) => client.once('close', resolve).resume())
    client.write('x')
    client.once('end', () => client.end())
    await closed
    await Promise.all([source.idle(), target.idle()])
  })
})

test('a bare connection and a failed handshake never reach the backend', async () => {
  let reached = 0
  const { target } = await proxyPair(pki, () => reached++, { limits: { handshakeMs: 200 } })
  const port = Number(Object.keys(target.targetListenerPorts('uid'))[0])
  const silent = connect(port, '127.0.0.1')
  const rude = connect(port, '127.0.0.1')
  rude.write('GET / HTTP/1.0\r\n\r\n')
  await Promise.all(
    [silent, rude].map((socket) => {
      socket.on('error', () => {})
      return new Promise((resolve) => socket.once('close', resolve).resume())
    }),
  )
  await target.idle()
  expect(reached).toBe(0)
  expect(target.records.filter(({ level }) => level === 'error')).toHaveLength(2)
})

test('dialling has a time limit and a typed failure', async () => {
  const dir = await tempDir()
  const closed: string[] = []
  const source = testManager('disabled', {
    limits: { dialMs: 200 },
    onClosed: ({ failure }) => closed.push(failure?.code ?? 'none'),
  })
  const port = await blackHole()
  await source.startSourceListener('uid', '127.0.0.1', { [port]: 0 }, dir)
  const client = await unixClient(source.sourceListenerFiles('uid')[0]!)
  await readAll(client)
  await source.idle()
  expect(closed).toEqual(['dial-timeout'])
})

test('a silent target is given up after the handshake limit', async () => {
  const dir = await tempDir()
  const silent = createServer((socket) => socket.resume())
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as { port: number }
  const source = testManager(pki, { limits: { handshakeMs: 100 } })
  await source.startSourceListener('uid', '127.0.0.1', { [port]: 0 }, dir)
  const client = await unixClient(source.sourceListenerFiles('uid')[0]!)
  await readAll(client)
  await source.idle()
  silent.close()
  expect(source.records.find(({ level }) => level === 'error')).toMatchObject({
    msg: 'unable to create outbound leg of proxy to host',
    code: 'tls-timeout',
    uid: 'uid',
    listening: 'uid-source.sock',
    outbound: `127.0.0.1:${port}`,
  })
})

test('the port map has one random port for each label, and it is found in the socket names', async () => {
  const target = testManager('disabled')
  const dir = await tempDir()
  await target.startTargetListener('abc', [
    `${dir}/virtqemud-sock`,
    `${dir}/abc-49152-source.sock`,
    `${dir}/abc-49153-source.sock`,
  ])
  expect(Object.values(target.targetListenerPorts('abc')).sort()).toEqual([0, 49152, 49153])
  expect(target.targetListenerPorts('unknown')).toEqual({})
  expect(target.openListenerCount()).toBe(1)
})

test('the same target files in another order are no change, other files are', async () => {
  const target = testManager('disabled')
  await target.startTargetListener('a', ['/x/virtqemud-sock', '/x/a-49152-source.sock'])
  const before = target.targetListenerPorts('a')
  await target.startTargetListener('a', ['/x/a-49152-source.sock', '/x/virtqemud-sock'])
  expect(target.targetListenerPorts('a')).toEqual(before)
  await target.startTargetListener('a', ['/y/a-49152-source.sock', '/y/virtqemud-sock'])
  expect(target.targetListenerPorts('a')).not.toEqual(before)
  expect(target.records.map(({ msg }) => msg)).toContain(
    'Manager stopping proxy on target node due to new unix filepath location',
  )
})

test('a source with equal ports but swapped labels or another folder is a change', async () => {
  const source = testManager('disabled')
  const [one, two] = [await tempDir(), await tempDir()]
  const starts = () => source.records.filter(({ msg }) => msg.startsWith('Manager created')).length
  await source.startSourceListener('a', '127.0.0.1', { '4001': 0, '4002': 49152 }, one)
  await source.startSourceListener('a', '127.0.0.1', { '4002': 49152, '4001': 0 }, one)
  expect(starts()).toBe(2)
  await source.startSourceListener('a', '127.0.0.1', { '4001': 49152, '4002': 0 }, one)
  expect(starts()).toBe(4)
  await source.startSourceListener('a', '127.0.0.1', { '4001': 49152, '4002': 0 }, two)
  expect(starts()).toBe(6)
  expect(source.sourceListenerFiles('a')).toEqual([
    `${two}/migrationproxy/a-source.sock`,
    `${two}/migrationproxy/a-49152-source.sock`,
  ])
  expect(existsSync(`${one}/migrationproxy/a-source.sock`)).toBe(false)
})

test('turning TLS off is a change for the next start', async () => {
  let tls: typeof pki | 'disabled' = pki
  const target = testManager('disabled', { tls: () => tls })
  await target.startTargetListener('a', ['/x/virtqemud-sock'])
  const before = target.targetListenerPorts('a')
  tls = 'disabled'
  await target.startTargetListener('a', ['/x/virtqemud-sock'])
  expect(target.targetListenerPorts('a')).not.toEqual(before)
})

test('stopping cuts connections, removes sockets and forgets the key', async () => {
  const { source, target, file } = await proxyPair(pki, echo)
  const client = await unixClient(file)
  client.write('hello')
  await new Promise((resolve) => client.once('data', resolve))
  expect(source.connections()).toMatchObject([
    { role: 'source', key: 'uid', label: 0, phase: 'open', bytesOut: 5, bytesIn: 5 },
  ])
  await source.stopSourceListener('uid')
  await source.stopSourceListener('unknown')
  await target.idle()
  expect(existsSync(file)).toBe(false)
  expect(source.sourceListenerFiles('uid')).toEqual([])
  expect(source.openListenerCount()).toBe(0)
  expect(source.records.map(({ msg }) => msg)).toContain('stop channel terminated proxy')
})

test('after a graceful shutdown has begun, starts are refused and streams go on', async () => {
  const { target, source, file, dir } = await proxyPair(pki, echo)
  const client = await unixClient(file)
  target.initiateGracefulShutdown()
  source.initiateGracefulShutdown()
  const refusal = 'unable to process new migration connections during virt-handler shutdown'
  await expect(target.startTargetListener('other', ['/x'])).rejects.toThrow(refusal)
  // Even where nothing would have to be done, as with KubeVirt's.
  await expect(target.startTargetListener('uid', [`${dir}/backend`])).rejects.toThrow(refusal)
  client.end('still here')
  expect(String(await readAll(client))).toBe('still here')
})

test('a stale socket is replaced; a live one and a file that is no socket are left alone', async () => {
  const dir = await tempDir()
  const script = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
  const file = `${dir}/migrationproxy/a-source.sock`
  await testManager('disabled').startSourceListener('b', '127.0.0.1', { '4001': 0 }, dir)
  spawnSync(process.execPath, ['-e', script, file])
  expect(existsSync(file)).toBe(true)

  const first = testManager('disabled')
  await first.startSourceListener('a', '127.0.0.1', { '4001': 0 }, dir)
  const second = testManager('disabled')
  await expect(
    second.startSourceListener('a', '127.0.0.1', { '4001': 0 }, dir),
  ).rejects.toMatchObject({ code: 'socket-in-use' })
  // The refused one must not have knocked: on a data channel QEMU would take it for a stream.
  expect(first.records.filter(({ level }) => level === 'error')).toEqual([])
  expect(existsSync(file)).toBe(true)

  await writeFile(`${dir}/migrationproxy/c-source.sock`, 'precious')
  await expect(
    second.startSourceListener('c', '127.0.0.1', { '4001': 0 }, dir),
  ).rejects.toMatchObject({ code: 'socket-not-a-socket' })
})

test('a failed start leaves nothing behind', async () => {
  const dir = await tempDir()
  const source = testManager('disabled')
  const deep = `${dir}/${'x'.repeat(107 - dir.length - '/migrationproxy/a-source.sock'.length - 1)}`
  await expect(
    source.startSourceListener('a', '127.0.0.1', { '1': 0, '2': 49152 }, deep),
  ).rejects.toMatchObject({ code: 'socket-path-too-long', exit: 2 })
  expect(existsSync(`${deep}/migrationproxy/a-source.sock`)).toBe(false)
  expect(source.openListenerCount()).toBe(0)
})

test('folders that were made for the sockets go with them, but not with what others put there', async () => {
  const dir = await tempDir()
  const source = testManager('disabled')
  await source.startSourceListener('a', '127.0.0.1', { '4001': 0 }, `${dir}/deep/er`)
  await source.stopSourceListener('a')
  expect(existsSync(`${dir}/deep`)).toBe(false)

  await source.startSourceListener('a', '127.0.0.1', { '4001': 0 }, `${dir}/deep/er`)
  await writeFile(`${dir}/deep/precious`, '')
  await source.stopSourceListener('a')
  expect(existsSync(`${dir}/deep/er`)).toBe(false)
  expect(existsSync(`${dir}/deep/precious`)).toBe(true)

  const foreign = testManager('disabled', { socketOwner: { uid: -1, gid: -7 } })
  await expect(
    foreign.startSourceListener('a', '127.0.0.1', { '4001': 0 }, `${dir}/new/er`),
  ).rejects.toMatchObject({ code: 'socket-unusable' })
  expect(existsSync(`${dir}/new`)).toBe(false)
})

test('a base folder below a process that is gone is refused, and does not hold up what comes after', async () => {
  const { pid } = spawnSync('true')
  const source = testManager('disabled')
  await expect(
    source.startSourceListener('a', '127.0.0.1', { '4001': 0 }, `/proc/${pid}/root/run/kubevirt`),
  ).rejects.toMatchObject({ code: 'socket-unusable', exit: 1 })
  await source.startSourceListener('a', '127.0.0.1', { '4001': 0 }, await tempDir())
})

test('a file in the place of a folder is refused and kept', async () => {
  const dir = await tempDir()
  await writeFile(`${dir}/migrationproxy`, 'precious')
  await expect(
    testManager('disabled').startSourceListener('a', '127.0.0.1', { '4001': 0 }, dir),
  ).rejects.toThrow(/its folder can't be created: EEXIST/)
  expect(await readFile(`${dir}/migrationproxy`, 'utf8')).toBe('precious')
})

test('a replacement that fails leaves nothing of the old either, and the key can be used again', async () => {
  const dir = await tempDir()
  const source = testManager('disabled')
  await source.startSourceListener('a', '127.0.0.1', { '4001': 0 }, dir)
  await writeFile(`${dir}/migrationproxy/a-49152-source.sock`, 'in the way')
  const two = { '4001': 0, '4002': 49152 }
  await expect(source.startSourceListener('a', '127.0.0.1', two, dir)).rejects.toThrow('no socket')
  expect(source.openListenerCount()).toBe(0)
  expect(existsSync(`${dir}/migrationproxy/a-source.sock`)).toBe(false)
  await source.stopSourceListener('a')
  await source.startSourceListener('a', '127.0.0.1', { '4001': 0 }, dir)
  expect(source.openListenerCount()).toBe(1)
})

test('a target without sockets is refused', async () => {
  const start = testManager('disabled').startTargetListener('a', [])
  await expect(start).rejects.toMatchObject({ code: 'bad-target', exit: 2 })
})

test.each([
  [{}, 'is empty'],
  [{ x: 0 }, 'no TCP port'],
  [{ '70000': 0 }, 'no TCP port'],
  [{ '4001': 7 }, 'the label 7, expected 0, 49152 or 49153'],
  [{ '4001': 0, '4002': 0 }, 'the same label 0'],
])('the port map %j is refused: %s', async (map, why) => {
  const start = testManager('disabled').startSourceListener('a', '127.0.0.1', map as never, '/x')
  await expect(start).rejects.toMatchObject({ exit: 2, message: expect.stringContaining(why) })
})

test('a target address that is no address is refused', async () => {
  const start = testManager('disabled').startSourceListener('a', 'node-1', { '4001': 0 }, '/x')
  await expect(start).rejects.toMatchObject({ code: 'bad-address', exit: 2 })
})

test('target ports come from the range, and a full range is said so', async () => {
  const blocker = createServer()
  await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve))
  const { port } = blocker.address() as { port: number }
  const target = testManager('disabled', { portRange: { first: port, last: port } })
  await expect(target.startTargetListener('a', ['/x'])).rejects.toMatchObject({
    code: 'port-in-use',
    message: expect.stringContaining(`${port} and ${port}`),
  })
  await new Promise((resolve) => blocker.close(resolve))
  await target.startTargetListener('a', ['/x'])
  expect(target.targetListenerPorts('a')).toEqual({ [port]: 0 })
})

test('a range gives its ports from the lowest up, in the order of the labels, past those in use', async () => {
  const first = 21_000 + (process.pid % 1000) * 10
  const [one, two] = [0, 1].map(() =>
    testManager('disabled', { portRange: { first, last: first + 7 } }),
  )
  const labels = [49153, 0, 49152]
  const files = labels.map((label) => ({ file: `/x/${label}`, label }))
  await Promise.all([one!, two!].map((target) => target.startTargetListener('a', files)))
  const ports = [one!, two!].map((target) =>
    Object.entries(target.targetListenerPorts('a')).map(([port, label]) => [Number(port), label]),
  )
  expect(ports.map((some) => some.map(([, label]) => label))).toEqual([
    [0, 49152, 49153],
    [0, 49152, 49153],
  ])
  const taken = ports.flat().map(([port]) => port!)
  expect(taken.sort()).toEqual(Array.from({ length: 6 }, (_, i) => first + i))
})

test.each([
  ['127.0.0.1', '127.0.0.1', '::1'],
  ['::1', '::1', '127.0.0.1'],
])('a target bound to %s answers there and nowhere else', async (bind, here, elsewhere) => {
  const target = testManager('disabled', { bind })
  await target.startTargetListener('a', ['/nonexistent/a'])
  const port = Number(Object.keys(target.targetListenerPorts('a'))[0])
  await expect(dialTcp(here, port, dialling())).resolves.toBeDefined()
  await expect(dialTcp(elsewhere, port, dialling())).rejects.toMatchObject({ code: 'dial-refused' })
})

test('bound to :: a target answers on IPv4 too, as KubeVirt does', async () => {
  const { source, target, dir } = await proxyPair('disabled', echo, { bind: '::' })
  for (const address of ['127.0.0.1', '::1']) {
    await source.startSourceListener('b', address, target.targetListenerPorts('uid'), dir)
    const client = await unixClient(source.sourceListenerFiles('b')[0]!)
    client.end(address)
    expect(String(await readAll(client))).toBe(address)
  }
})

test.runIf(process.getuid?.() === 0)("a source's sockets are given to their owner", async () => {
  const dir = await tempDir()
  const source = testManager('disabled', { socketOwner: { uid: 107, gid: 107 } })
  await source.startSourceListener('a', '127.0.0.1', { '4001': 0 }, dir)
  expect(statSync(source.sourceListenerFiles('a')[0]!)).toMatchObject({ uid: 107, gid: 107 })
})

test('a running connection tells its rate', async () => {
  const clock = { ...systemClock, now: () => now }
  let now = 1_000_000
  const { source, file } = await proxyPair('disabled', echo, { clock })
  const client = await unixClient(file)
  await until(() => source.connections()[0]?.phase === 'open')
  now += 500
  client.write(Buffer.alloc(5000))
  await until(() => source.connections()[0]?.bytesIn === 5000)
  expect(source.connections()[0]).toMatchObject({
    since: 1_000_000,
    rateOut: 10_000,
    rateIn: 10_000,
  })
})

test('the manager runs in a worker thread', async () => {
  const dir = await tempDir()
  await unixServer(join(dir, 'backend'), echo)
  const worker = new Worker(new URL('./manager-worker.ts', import.meta.url), {
    workerData: { dir, tls: { ca: pki.ca, server: pki.server, client: pki.client } },
  })
  const file: string = await new Promise((resolve, reject) =>
    worker.once('message', resolve).once('error', reject),
  )
  const client = await unixClient(file)
  client.end('through a thread')
  expect(String(await readAll(client))).toBe('through a thread')
  await worker.terminate()
})

test('connections are gone from the list when they are done', async () => {
  const { source, file } = await proxyPair(pki, echo)
  const client = await unixClient(file)
  await until(() => source.connections()[0]?.phase === 'open')
  client.end()
  await readAll(client)
  await until(() => source.connections().length === 0)
})

function dialling(): { dialMs: number; signal: AbortSignal } {
  return { dialMs: 1000, signal: new AbortController().signal }
}
