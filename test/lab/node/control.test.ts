import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import {
  type Control,
  type ControlServer,
  connectControl,
  serveControl,
} from '../../../src/lab/node/control.ts'
import { VirError } from '../../../src/lab/node/vir-error.ts'

let folder: string
let server: ControlServer
let control: Control | undefined
const ended = vi.fn()
const never = new Promise<never>(() => {})

beforeEach(async () => {
  folder = await mkdtemp('/tmp/mig-')
  ended.mockReset()
  const methods = {
    double: async ({ n }: { n: number }) => n * 2,
    refuse: async () => {
      throw new VirError('operationFailed', 'qemu', 'no room')
    },
    hang: () => never,
  }
  server = await serveControl(join(folder, 's'), () => ({ methods, ended }))
})
afterEach(async () => {
  control?.close()
  await server.close()
  await rm(folder, { recursive: true })
})

const open = async () => {
  control = await connectControl(join(folder, 's'), systemClock)
  return control
}

test('calls are answered, each with its own answer, and a refusal comes back as it was', async () => {
  const { call } = await open()
  expect(await Promise.all([1, 2, 3].map((n) => call('double', { n })))).toEqual([2, 4, 6])
  const refused = await call('refuse', {}).catch((err: unknown) => err)
  expect(String(refused)).toBe("virError(Code=9, Domain=10, Message='no room')")
  await expect(call('constructor', {})).rejects.toThrow('unknown procedure: constructor')
})

test('closing it fails what is under way, and the other side hears of it', async () => {
  const { call, close } = await open()
  const pending = call('hang', {})
  close()
  await expect(pending).rejects.toThrow('End of file while reading data: Input/output error')
  await expect(call('double', { n: 1 })).rejects.toThrow('End of file')
  await expect.poll(() => ended.mock.calls.length).toBe(1)
})

test('what is under way fails when the other side goes', async () => {
  const { call } = await open()
  const pending = call('hang', {})
  const failed = expect(pending).rejects.toThrow(/End of file|Connection reset/)
  await server.close()
  await failed
})

test('who does not talk JSON is cut off', async () => {
  const socket = connect(join(folder, 's'))
  socket.write('\x16\x03\x01\x02\n')
  socket.on('error', () => {})
  await once(socket, 'close')
  expect(ended).toHaveBeenCalledTimes(1)
})

test("a silent other side is given up after libvirt's keepalive", async () => {
  let now = 0
  const clock = {
    now: () => now,
    sleep: async (ms: number, signal?: AbortSignal) => {
      now += ms
      await systemClock.sleep(1, signal)
    },
  }
  const { createServer } = await import('node:net')
  const mute = createServer(() => {}).listen(join(folder, 'mute'))
  await once(mute, 'listening')
  control = await connectControl(join(folder, 'mute'), clock)
  await expect(control.call('double', { n: 1 })).rejects.toThrow(
    'connection closed due to keepalive timeout',
  )
  expect(now).toBe(30_000)
  mute.close()
})
