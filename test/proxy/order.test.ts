import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tempDir, testManager, unixClient, unixServer } from './fixtures.ts'
import { testPki } from './pki.ts'

test('connections reach the target in their order, even when the first one is slow on its way', async () => {
  const dir = await tempDir()
  const heard: string[] = []
  await unixServer(join(dir, 'backend'), (socket) => {
    const place = heard.push('') - 1
    socket.on('data', (bytes) => {
      heard[place] = `${heard[place]}${bytes}`
    })
  })
  const pki = await testPki()
  const target = testManager(pki)
  const source = testManager(pki)
  await target.startTargetListener('uid', [join(dir, 'backend')])
  const [port = ''] = Object.keys(target.targetListenerPorts('uid'))
  const way = await slowForTheFirst(Number(port))
  await source.startSourceListener('uid', '127.0.0.1', { [way]: 0 }, dir)
  const [file = ''] = source.sourceListenerFiles('uid')
  for (const name of ['main', 'second', 'third']) (await unixClient(file)).write(name)
  await expect.poll(() => heard, { timeout: 5000 }).toEqual(['main', 'second', 'third'])
})

/** A way to a port on which the first connection takes its time. */
async function slowForTheFirst(port: number): Promise<number> {
  const open = new Set<Socket>()
  let first = true
  const server = createServer({ pauseOnConnect: true }, (near) => {
    const far = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
    }
    const join = () => void near.pipe(far).pipe(near)
    if (first) setTimeout(join, 200)
    else join()
    first = false
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}
