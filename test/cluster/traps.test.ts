import { existsSync, readFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { expect, test } from 'vitest'
import { connect } from '../../src/cluster/config.ts'
import { testFolder } from './folder.ts'
import { closing, kubeconfig, serve } from './server.ts'

/**
 * The defects and traps of @kubernetes/client-node, by number (its protocol, 20, and its size, 21, are
 * none that a test shows), each with what shows that this client is free of it, against a server on this machine.
 */
const TRAPS: [trap: string, file: string, ...names: string[]][] = [
  ['1 a connection for every request', 'client', 'requests one after another share one connection'],
  [
    '2 no time limit',
    'client',
    'a server that never answers is given up after the time limit',
    'so is one that accepts the connection and does not speak TLS',
  ],
  [
    '2 no time limit of a credential plugin',
    'credentials',
    'one that hangs is ended by the time limit, with all that it started',
  ],
  [
    '3 a signal that ends only half',
    'client',
    'a signal ends a request with its own reason, before and while it runs',
    'a signal ends a request that waits for a connection',
    'a signal ends a request that waits for its next try',
  ],
  ['4 no repetition', 'client', 'after %s a %s is sent again'],
  ['4 an expired token', 'credentials', 'is asked again, once, when its token is refused'],
  [
    '5 errors that say nothing',
    'errors',
    'an answer that is cut off within its length',
    'nobody listens',
    'TLS asked of a plain server',
  ],
  ['5 a watch that says nothing', 'watch', 'when the server reports an error within the watch'],
  [
    '5 a WebSocket that says nothing',
    'exec',
    'a refusal says what is not permitted, and is not repeated',
  ],
  ['6 ports of browsers', 'client', 'ports that browsers refuse are ports like others'],
  ['7 plain http', 'client', 'a server of plain http needs no setting, as with kubectl proxy'],
  ['8 several kubeconfigs', 'traps', '8: of several kubeconfigs the first counts'],
  ['9 impersonation', 'credentials', 'impersonation of a user with groups, uid and extra'],
  [
    '10 tokenFile',
    'credentials',
    'a token file goes before a token, and is read again when it has been rotated',
  ],
  [
    '11 credential plugins',
    'credentials',
    'is told what it is for, with its own arguments and environment',
    'may talk to a person when there is one, and it wants to',
    'one %s is told in one line',
  ],
  [
    '11 a plugin by a relative path',
    'config',
    'a plugin that is a path counts from the kubeconfig, one that is a name does not',
  ],
  [
    '12 proxies of the environment',
    'client',
    '%s is used, with kept connections and the right name',
  ],
  ['13 a user that is not there', 'traps', '13: a context without its user asks nothing'],
  ['14 how a patch is sent', 'objects', 'merge patch'],
  [
    '15 unknown fields and times',
    'client',
    'objects come and go as they are: unknown fields, times, numbers',
  ],
  [
    '16 watches that fall silent',
    'watch',
    'asks for bookmarks, a limited time and what was selected',
    'when nothing came for longer than the server was asked to watch',
    'after an event that was cut in the middle',
    'when a 410 is the answer to the watch itself',
  ],
  ['17 informers that stop', 'informer', 'a reset loses nothing, and is told'],
  [
    '18 exec that waits for ever',
    'exec',
    'a connection that ends before the status rejects, instead of waiting for ever',
  ],
  [
    '19 port-forward without bounds',
    'port-forward',
    'while nobody reads, what comes waits at the server',
    'data that come with the header are kept',
  ],
  [
    '22 406 of the aggregated API',
    'client',
    'everything but JSON is asked for after JSON, which the subresources of KubeVirt need',
  ],
]

test.each(TRAPS)('trap %s has its test', (_, file, ...names) => {
  const path = new URL(`./${file}.test.ts`, import.meta.url)
  expect(existsSync(path)).toBe(true)
  const text = readFileSync(path, 'utf8')
  for (const name of names) expect(text).toContain(`'${name}'`)
})

test('8: of several kubeconfigs the first counts', async () => {
  const [first, second] = [await serve(() => ({})), await serve(() => ({}))]
  const folder = testFolder()
  const files = [
    folder.write('one', kubeconfig(first, { user: { token: 'one' } })),
    `${folder.path}/missing`,
    // The same names of cluster, user and context.
    folder.write('two', kubeconfig(second, { user: { token: 'two' } })),
  ]
  const env = { KUBECONFIG: files.join(delimiter) }
  const cluster = closing(await connect({ env }))
  await cluster.request({ path: '/version' })
  expect(first.seen[0]?.headers.authorization).toBe('Bearer one')
  expect(second.seen).toEqual([])
})

test('13: a context without its user asks nothing', async () => {
  const server = await serve(() => ({}))
  const kubeconfigText = kubeconfig(server, { context: { user: 'gone' } })
  await expect(connect({ kubeconfigText, env: {} })).rejects.toMatchObject({
    message: expect.stringContaining('names user "gone", which is not there'),
    exit: 2,
  })
  expect(server.seen).toEqual([])
})
