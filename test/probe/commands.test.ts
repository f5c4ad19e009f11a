import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { platform } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import {
  ADDRESSES,
  CONNECTIONS,
  connectionsIn,
  LISTENERS,
  type NodeCommand,
  PROXY_SOCKETS,
  routeTo,
  UNIX_LISTENERS,
} from '../../src/probe/commands.ts'
import {
  parseTcpTable,
  parseUnixTable,
  progressOf,
  retransmissions,
} from '../../src/probe/socket-table.ts'

const execute = promisify(execFile)
const has = async (tool: string) =>
  platform() === 'linux' &&
  (await execute(tool, ['-V']).then(
    () => true,
    () => false,
  ))
const [ss, ip] = await Promise.all([has('ss'), has('ip')])

async function run<T>({ argv, parse }: NodeCommand<T>): Promise<T> {
  const [program = '', ...args] = argv
  return parse((await execute(program, args)).stdout)
}

async function listening(at: { port: number; host: string } | { path: string }): Promise<Server> {
  const server = createServer((socket) => void socket.on('error', () => {}).write('hello'))
  server.listen(at)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return server
}

test('addresses, states and queues are read from both forms of the table', () => {
  const text = [
    'ESTAB    0      1288   [::ffff:10.244.1.5]:43210 [fe80::1%eth0]:49152',
    'LISTEN   0      4096   *:8443                    *:*',
    'SYN-SENT 0      1      10.244.1.5:50112          10.244.2.7:35001',
    'garbage',
  ].join('\n')
  expect(parseTcpTable(text)).toEqual([
    {
      state: 'ESTAB',
      recvQ: 0,
      sendQ: 1288,
      local: { address: '10.244.1.5', port: 43210 },
      peer: { address: 'fe80::1', port: 49152 },
    },
    {
      state: 'LISTEN',
      recvQ: 0,
      sendQ: 4096,
      local: { address: '*', port: 8443 },
      peer: { address: '*', port: undefined },
    },
    {
      state: 'SYN-SENT',
      recvQ: 0,
      sendQ: 1,
      local: { address: '10.244.1.5', port: 50112 },
      peer: { address: '10.244.2.7', port: 35001 },
    },
  ])
})

test('a second line has the counters of the connection before it', () => {
  const text = [
    '0      0       10.244.1.5:43210 10.244.2.7:35001',
    '\t cubic wscale:7,7 rto:204 bytes_sent:7290 bytes_retrans:10 retrans:0/3 bytes_received:14277 app_limited',
    '0      0       10.244.1.5:43212 10.244.2.7:35002',
  ].join('\n')
  const [first, second] = parseTcpTable(text)
  expect(first).not.toHaveProperty('state')
  expect(first?.info).toMatchObject({ bytes_sent: '7290', bytes_received: '14277' })
  expect(first && retransmissions(first)).toBe(3)
  expect(second && retransmissions(second)).toBe(0)
})

test('of unix sockets those that are listened on count, whatever their name', () => {
  const text = [
    'u_str LISTEN 0      511   /var/run/kubevirt/migrationproxy/a b-source.sock 1056297 * 0',
    'u_str ESTAB  0      0     /run/other 1 * 2',
    'u_seq LISTEN 0      128   @abstract 7 * 0',
  ].join('\n')
  expect(parseUnixTable(text)).toEqual([
    '/var/run/kubevirt/migrationproxy/a b-source.sock',
    '@abstract',
  ])
})

test('an interface of a pod is known without its other end', () => {
  const text = [
    'lo               UNKNOWN        127.0.0.1/8 ::1/128 ',
    'eth0@if12        UP             10.244.1.5/24 fe80::1/64 ',
    'migration0@if3   UP             192.168.50.3/24 ',
    'tunl0            DOWN           ',
  ].join('\n')
  expect(ADDRESSES.parse(text)).toEqual([
    { name: 'lo', state: 'UNKNOWN', addresses: ['127.0.0.1', '::1'] },
    { name: 'eth0', state: 'UP', addresses: ['10.244.1.5', 'fe80::1'] },
    { name: 'migration0', state: 'UP', addresses: ['192.168.50.3'] },
    { name: 'tunl0', state: 'DOWN', addresses: [] },
  ])
})

test('a route tells its device, its gateway and the address that is left from', () => {
  const { parse } = routeTo('10.1.2.3')
  expect(parse('10.1.2.3 via 192.0.2.1 dev eth0 src 192.0.2.2 uid 0 \n    cache \n')).toEqual({
    device: 'eth0',
    via: '192.0.2.1',
    source: '192.0.2.2',
  })
  expect(parse('')).toBe('none')
})

test('of a folder only sockets count', () => {
  const text = [
    'total 0',
    'srwxr-xr-x. 1 qemu qemu 0 Nov 29 18:20 f00-49152-source.sock',
    'drwxr-xr-x. 1 qemu qemu 0 Nov 29 18:20 folder',
  ].join('\n')
  expect(PROXY_SOCKETS.parse(text)).toEqual(['f00-49152-source.sock'])
})

test.runIf(ss)('the real ss shows a listener and a connection to it', async () => {
  const server = await listening({ port: 0, host: '127.0.0.1' })
  const { port } = server.address() as AddressInfo
  const client = connect(port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  await once(client, 'data')
  const local = { address: '127.0.0.1', port }
  expect(await run(LISTENERS)).toContainEqual(expect.objectContaining({ state: 'LISTEN', local }))
  const all = await run(CONNECTIONS)
  expect(all).toContainEqual(expect.objectContaining({ state: 'ESTAB', peer: local }))
  const open = (await run(connectionsIn('established'))).find((row) => row.peer.port === port)
  expect(open?.info).toMatchObject({ bytes_received: '5' })
})

test.runIf(ss)('the real ss shows a unix listener by its path', async () => {
  const folder = await mkdtemp('/tmp/probe-')
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'x-source.sock')
  await listening({ path })
  expect(await run(UNIX_LISTENERS)).toContain(path)
})

test.runIf(ip)('the real ip shows loopback, and the way to it', async () => {
  const addresses = await run(ADDRESSES)
  expect(addresses.find(({ name }) => name === 'lo')?.addresses).toContain('127.0.0.1')
  expect(await run(routeTo('127.0.0.1'))).toMatchObject({ device: 'lo' })
})

test('what arrived is what was acknowledged and received; what waits or was sent again is not', () => {
  const progress = (counters: string, sendQ = 0) =>
    parseTcpTable(`0 ${sendQ} 10.0.0.1:1 10.0.0.2:2\n\t ${counters}`).map(progressOf)
  expect(progress('bytes_sent:900 bytes_acked:500 bytes_received:7', 400)).toEqual([507])
  expect(progress('bytes_sent:900 bytes_received:7', 400)).toEqual([507])
  expect(progress('bytes_sent:900 bytes_retrans:600', 300)).toEqual([0])
  expect(progress('cubic rto:204')).toEqual([undefined])
})
