import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { startApiServer } from '../../src/lab/api/server.ts'
import { wellKnownUsers } from '../../src/lab/api/users.ts'
import { findBinaries } from '../../src/lab/real-api/binaries.ts'
import { type AnyApiServer, startRealApiServer } from '../../src/lab/real-api/server.ts'
import { type Client, createClient } from './conformance/client.ts'

/** What an API server says when its history does not reach back any more: the same of both. */
const options = { clock: systemClock, users: wellKnownUsers([]) }

compaction('the embedded API server', () => startApiServer({ ...options, historyLength: 2 }))

const binaries = await findBinaries(process.env)
if (binaries)
  compaction('kube-apiserver', () =>
    startRealApiServer({ ...options, binaries, compactEvery: '1s' }),
  )
else
  test.skip(
    'kube-apiserver: not built (test/e2e/build-kube-apiserver.sh), nor in KUBEBUILDER_ASSETS',
  )

const MAPS = '/api/v1/namespaces/default/configmaps'

function compaction(which: string, start: () => Promise<AnyApiServer>): void {
  describe(which, () => {
    let server: AnyApiServer
    let client: Client
    beforeAll(async () => {
      server = await start()
      client = createClient(server)
    }, 150_000)
    afterAll(() => server?.close())

    async function ask(method: string, path: string, body?: object) {
      const headers = body ? { 'content-type': 'application/json' } : {}
      const sent = body && JSON.stringify(body)
      const { status, text } = await client.send({ method, path, body: sent, headers, as: 'admin' })
      return { status, body: JSON.parse(text) }
    }

    test('a page and a list of what is too long ago are gone, and how to go on is told', async () => {
      for (const name of ['a', 'b', 'c']) await ask('POST', MAPS, { metadata: { name } })
      const first = await ask('GET', `${MAPS}?limit=1`)
      const { continue: token, resourceVersion } = first.body.metadata
      const next = () => ask('GET', `${MAPS}?limit=1&continue=${token}`)
      expect((await next()).body.items[0].metadata.name).toBe('b')
      await ask('DELETE', `${MAPS}/b`)
      let count = 0
      await expect
        .poll(
          async () => {
            await ask('PUT', `${MAPS}/c`, { metadata: { name: 'c' }, data: { x: String(count++) } })
            return (await next()).status
          },
          { timeout: 20_000, interval: 100 },
        )
        .toBe(410)

      const { body: gone } = await next()
      expect(gone).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: { continue: expect.any(String) },
        status: 'Failure',
        message: expect.stringMatching(
          /^The provided continue parameter is too old to display a consistent list result\. You can start a new list without the continue parameter, or use the continue token in this response/,
        ),
        reason: 'Expired',
        code: 410,
      })
      const rest = await ask('GET', `${MAPS}?continue=${gone.metadata.continue}`)
      expect(
        rest.body.items.map((one: { metadata: { name: string } }) => one.metadata.name),
      ).toEqual(['c'])

      const exact = `${MAPS}?resourceVersionMatch=Exact&resourceVersion=${resourceVersion}`
      expect(await ask('GET', exact)).toEqual({
        status: 410,
        body: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: 'The resourceVersion for the provided list is too old.',
          reason: 'Expired',
          code: 410,
        },
      })
    })
  })
}
