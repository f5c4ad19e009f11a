import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openQmp } from '../../../../src/lab/node/guest/qemu/qmp.ts'

/** A monitor that says what the test has it say, and our end of the connection. */
async function monitor(
  answer: (command: string, id: number, how: string) => object[],
  capabilities: string[] = [],
) {
  const folder = await mkdtemp('/tmp/mig-')
  const server = createServer()
  server.listen(join(folder, 'qmp'))
  await once(server, 'listening')
  const calling = connect(join(folder, 'qmp'))
  const [qemu] = (await once(server, 'connection')) as [Socket]
  onTestFinished(async () => {
    calling.destroy()
    qemu.destroy()
    server.close()
    await rm(folder, { recursive: true })
  })
  const say = (message: object) => qemu.write(`${JSON.stringify(message)}\r\n`)
  qemu.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().trim().split('\n')) {
      const { id, arguments: args, ...rest } = JSON.parse(line)
      const [[how, command]] = Object.entries<string>(rest) as [[string, string]]
      if (command === 'qmp_capabilities') expect(args).toEqual({ enable: capabilities })
      for (const message of command === 'qmp_capabilities'
        ? [{ return: {}, id }]
        : answer(command, id, how))
        say(message)
    }
  })
  say({ QMP: { version: { qemu: { major: 7, minor: 2 } }, capabilities } })
  return { qmp: await openQmp(calling), qemu, say }
}

test('the greeting says which QEMU it is', async () => {
  expect((await monitor(() => [])).qmp.version).toEqual([7, 2])
})

test('answers find their commands, in whatever order they come', async () => {
  const held: object[] = []
  const { qmp } = await monitor((command, id) => {
    held.push({ return: command.length, id })
    return held.length === 2 ? held.reverse() : []
  })
  expect(await Promise.all([qmp.execute('stop'), qmp.execute('query-status')])).toEqual([4, 12])
})

test.each([
  ['exec-oob', ['oob']],
  ['execute', []],
])('what does not wait its turn goes by %s where QEMU offers %j', async (way, offered) => {
  const { qmp } = await monitor((_, id, how) => [{ return: how, id }], offered)
  expect(await qmp.executeNow('yank')).toBe(way)
  expect(await qmp.execute('stop')).toBe('execute')
})

test('what QEMU refuses is worded as libvirt words it', async () => {
  const { qmp } = await monitor((_, id) => [{ error: { class: 'GenericError', desc: 'no' }, id }])
  await expect(qmp.execute('migrate')).rejects.toThrow(
    "internal error: unable to execute QEMU command 'migrate': no",
  )
})

test('events come with their time, until they are not wanted any more', async () => {
  const { qmp, say } = await monitor((_, id) => [{ return: null, id }])
  const events: unknown[] = []
  const forget = qmp.on((event) => events.push(event))
  say({ event: 'STOP', timestamp: { seconds: 2, microseconds: 500_000 } })
  await expect.poll(() => events).toEqual([{ event: 'STOP', data: {}, at: 2500 }])
  forget()
  say({ event: 'RESUME', timestamp: { seconds: 3, microseconds: 0 } })
  await qmp.execute('query-status')
  expect(events).toHaveLength(1)
})

test('a QEMU that is gone answers nothing more', async () => {
  const { qmp, qemu } = await monitor(() => [])
  const asked = qmp.execute('query-status')
  qemu.destroy()
  await expect(asked).rejects.toThrow('QEMU unexpectedly closed the monitor')
  await expect(qmp.gone).rejects.toThrow('QEMU unexpectedly closed the monitor')
  await expect(qmp.execute('query-status')).rejects.toThrow('QEMU unexpectedly closed the monitor')
})
