import { once } from 'node:events'
import { request } from 'node:https'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { CORE, configMap, next, startTestApi } from './harness.ts'

const LABEL = { metadata: { labels: { on: 'yes' } } }
const merge = { method: 'PATCH', contentType: 'application/merge-patch+json' }

test('a watch from a list tells everything since, in order', async () => {
  const { send, watch } = await startTestApi()
  const { body: list } = await send(`${CORE}/configmaps`)
  await send(`${CORE}/configmaps`, { body: configMap('a') })
  const since = list.metadata.resourceVersion
  const events = await watch(`${CORE}/configmaps?watch=true&resourceVersion=${since}`)
  expect(await next(events)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } })
  await send(`${CORE}/configmaps/a`, { ...merge, body: LABEL })
  expect((await next(events)).type).toBe('MODIFIED')
  await send(`${CORE}/configmaps/a`, { method: 'DELETE' })
  const last = await next(events)
  expect(last.type).toBe('DELETED')
  expect(Number(last.object.metadata.resourceVersion)).toBeGreaterThan(Number(since) + 2)
})

test('a watch without a revision starts with what is there', async () => {
  const { send, watch } = await startTestApi()
  await send(`${CORE}/configmaps`, { body: configMap('a') })
  const events = await watch(`${CORE}/configmaps?watch=1`)
  expect((await next(events)).type).toBe('ADDED')
})

test('to a watch with a selector, objects come and go as they match', async () => {
  const { send, watch } = await startTestApi()
  const events = await watch(`${CORE}/configmaps?watch=1&labelSelector=on%3Dyes`)
  await send(`${CORE}/configmaps`, { body: configMap('a') })
  await send(`${CORE}/configmaps/a`, { ...merge, body: LABEL })
  expect((await next(events)).type).toBe('ADDED')
  await send(`${CORE}/configmaps/a`, { ...merge, body: { metadata: { labels: { on: 'no' } } } })
  expect((await next(events)).type).toBe('DELETED')
})

test('a watch from before the history is told 410, and so is a page from then', async () => {
  const { send, watch } = await startTestApi({ historyLength: 4 })
  for (const name of ['a', 'b', 'c']) await send(`${CORE}/configmaps`, { body: configMap(name) })
  const { body: page } = await send(`${CORE}/configmaps?limit=2`)
  expect(page.items).toHaveLength(2)
  expect(page.metadata.remainingItemCount).toBe(1)
  for (let i = 0; i < 10; i++)
    await send(`${CORE}/configmaps/a`, { ...merge, body: { data: { i: String(i) } } })
  const events = await watch(`${CORE}/configmaps?watch=1&resourceVersion=2`)
  expect(await next(events)).toMatchObject({
    type: 'ERROR',
    object: {
      code: 410,
      reason: 'Expired',
      message: expect.stringMatching(/^too old resource version: 2 \(\d+\)$/),
    },
  })
  const late = await send(`${CORE}/configmaps?limit=2&continue=${page.metadata.continue}`)
  expect(late.status).toBe(410)
  const offered = late.body.metadata.continue
  const rest = await send(`${CORE}/configmaps?limit=2&continue=${offered}`)
  expect(rest.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(
    ['c'],
  )
})

test('pages put together are the whole list', async () => {
  const { send } = await startTestApi()
  const names = Array.from({ length: 7 }, (_, i) => `c-${i}`)
  for (const name of names) await send(`${CORE}/configmaps`, { body: configMap(name) })
  const seen: string[] = []
  let token = ''
  do {
    const { body } = await send(`${CORE}/configmaps?limit=3&continue=${token}`)
    seen.push(...body.items.map((item: { metadata: { name: string } }) => item.metadata.name))
    token = body.metadata.continue ?? ''
  } while (token)
  expect(seen).toEqual(names)
})

test('a watch list ends its beginning with a bookmark that says so', async () => {
  const { send, watch } = await startTestApi()
  await send(`${CORE}/configmaps`, { body: configMap('a') })
  const events = await watch(
    `${CORE}/configmaps?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`,
  )
  expect((await next(events)).type).toBe('ADDED')
  expect(await next(events)).toMatchObject({
    type: 'BOOKMARK',
    object: {
      kind: 'ConfigMap',
      metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
    },
  })
})

test('a watch ends after timeoutSeconds', async () => {
  const { watch } = await startTestApi()
  const events = await watch(`${CORE}/configmaps?watch=1&timeoutSeconds=1`)
  expect((await events.next()).done).toBe(true)
})

test('a watch from a revision of another life of the server is told 410', async () => {
  const { watch } = await startTestApi()
  const events = await watch(`${CORE}/configmaps?watch=1&resourceVersion=999999`)
  expect(await next(events)).toMatchObject({ type: 'ERROR', object: { code: 410 } })
})

test('a change after the end of a watch whose client has not read it yet does not end the server', async () => {
  const { send, server, watch } = await startTestApi()
  // More than what connections hold on the way.
  for (let i = 0; i < 16; i++)
    await send(`${CORE}/configmaps`, {
      body: { ...configMap(`a-${i}`), data: { x: 'x'.repeat(1_000_000) } },
    })
  const { users } = parse(server.kubeconfig('admin'))
  const { token } = users.find(({ name }: { name: string }) => name === 'admin').user
  const unread = request(`${server.url}${CORE}/configmaps?watch=1&timeoutSeconds=1`, {
    ca: server.caCert,
    agent: false,
    headers: { authorization: `Bearer ${token}` },
  })
  unread.on('error', () => {})
  unread.end()
  onTestFinished(() => void unread.destroy())
  const [response] = await once(unread, 'response')
  response.on('error', () => {})
  // It ends later than the other.
  const events = await watch(`${CORE}/secrets?watch=1&timeoutSeconds=1`)
  expect(await events.next()).toMatchObject({ done: true })
  await send(`${CORE}/configmaps/a-0`, { method: 'DELETE' })
  expect((await send(`${CORE}/configmaps/a-1`, { method: 'DELETE' })).status).toBe(200)
})
