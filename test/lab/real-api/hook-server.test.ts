import { request } from 'node:https'
import { expect, onTestFinished, test } from 'vitest'
import { createAuthority } from '../../../src/lab/certificates.ts'
import { startHookServer } from '../../../src/lab/real-api/hook-server.ts'

test('who asks for what is no path is answered, and so is the next one', async () => {
  const dates = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 60_000 }
  const authority = await createAuthority('lab', dates)
  const identity = await authority.issue({
    commonName: 'hooks',
    usage: ['server'],
    names: ['localhost'],
    ...dates,
  })
  const server = await startHookServer(
    { ...identity, ca: authority.cert },
    { trusted: {}, secret: { '/hook': () => ({ allowed: true }) }, aggregated: () => {} },
  )
  onTestFinished(() => server.close())
  const ask = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const at = { host: '127.0.0.1', port: server.port, path, method: 'POST', agent: false }
      request({ ...at, ca: authority.cert, servername: 'localhost' }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end('{}')
    })
  expect(await ask('//[')).toBe(404)
  expect(await ask('/hook')).toBe(200)
})
