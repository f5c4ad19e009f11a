import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { impatientClock } from './clock.ts'
import { startHttpProxy, startSocksProxy } from './proxies.ts'
import {
  base64,
  clientPair,
  closing,
  connectTo,
  type Handler,
  serve,
  startServer,
  status,
} from './server.ts'
import { until } from './until.ts'

const version = { path: '/version' }
/** Never answers. */
const silent: Handler = () => undefined

describe('connections', () => {
  test('requests one after another share one connection', async () => {
    const server = await serve(() => ({}))
    const cluster = await connectTo(server)
    for (let i = 0; i < 10; i++) await cluster.request(version)
    expect(server.connections()).toBe(1)
  })

  test('a hundred requests at once share few connections', async () => {
    const server = await serve(() => ({}))
    const cluster = await connectTo(server)
    await Promise.all(Array.from({ length: 100 }, () => cluster.request(version)))
    expect(server.seen).toHaveLength(100)
    expect(server.connections()).toBeLessThanOrEqual(8)
  })

  test('streams that stay open do not keep requests waiting', async () => {
    const server = await serve(({ url }, response) =>
      url === '/stream' ? void response.write('a\n') : {},
    )
    const cluster = await connectTo(server)
    for (let i = 0; i < 20; i++) await cluster.stream({ path: '/stream' })
    expect(await cluster.request(version)).toEqual({})
  })

  test('close ends what is in flight, and may be called again', async () => {
    const server = await serve(silent)
    const cluster = await connectTo(server)
    const pending = cluster.request(version)
    pending.catch(() => undefined)
    await until(() => expect(server.seen).toHaveLength(1))
    await cluster.close()
    await cluster.close()
    await expect(pending).rejects.toThrow(`the connection to ${server.url} was closed`)
    await expect(cluster.request(version)).rejects.toThrow('was closed')
  })

  test('a server of plain http needs no setting, as with kubectl proxy', async () => {
    const server = await serve(() => ({ plain: true }), { plain: true })
    expect(await (await connectTo(server)).request(version)).toEqual({ plain: true })
  })

  test('a path below which the API is served is kept', async () => {
    const server = await serve(() => ({}))
    const cluster = await connectTo({ ...server, url: `${server.url}/k8s/clusters/c-1/` })
    await cluster.request({
      path: '/api/v1/nodes',
      query: { limit: 5, continue: undefined, fieldSelector: 'a=b,c!=d' },
    })
    expect(server.seen[0]?.url).toBe(
      '/k8s/clusters/c-1/api/v1/nodes?limit=5&fieldSelector=a%3Db%2Cc%21%3Dd',
    )
  })

  test('ports that browsers refuse are ports like others', async () => {
    // fetch refuses these; one of them is free.
    for (const port of [6000, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 10080]) {
      const server = await startServer(() => ({ port }), { port }).catch(() => undefined)
      if (!server) continue
      closing(server)
      expect(await (await connectTo(server)).request(version)).toEqual({ port })
      return
    }
    throw new Error('none of the ports was free')
  })

  test('tls-server-name is the name that the certificate must have', async () => {
    const server = await serve(() => ({}), { names: ['api.internal'] })
    await expect((await connectTo(server)).request(version)).rejects.toThrow(
      'is for other names: DNS:api.internal',
    )
    const cluster = await connectTo(server, { cluster: { 'tls-server-name': 'api.internal' } })
    expect(await cluster.request(version)).toEqual({})
  })

  test('insecure-skip-tls-verify skips the check, and a missing authority does not', async () => {
    const server = await serve(() => ({}))
    const lax = {
      cluster: { 'certificate-authority-data': undefined, 'insecure-skip-tls-verify': true },
    }
    expect(await (await connectTo(server, lax)).request(version)).toEqual({})
    const noAuthority = { cluster: { 'certificate-authority-data': undefined } }
    await expect((await connectTo(server, noAuthority)).request(version)).rejects.toThrow(
      'from an authority that',
    )
  })
})

describe('proxies', () => {
  test.each([
    ['proxy-url', true],
    ['HTTPS_PROXY', false],
  ])('%s is used, with kept connections and the right name', async (_, inConfig) => {
    const server = await serve(() => ({}), { names: ['api.example.com'] })
    const proxy = closing(await startHttpProxy(server.url))
    const cluster = await connectTo(
      { ...server, url: 'https://api.example.com:6443' },
      inConfig ? { cluster: { 'proxy-url': proxy.url } } : {},
      inConfig ? {} : { env: { HTTPS_PROXY: proxy.url } },
    )
    await cluster.request(version)
    await cluster.request(version)
    expect(proxy.targets).toEqual(['api.example.com:6443'])
    for await (const line of await cluster.stream(version)) expect(line).toBe('{}')
  })

  test('a client certificate passes through a proxy', async () => {
    const server = await serve(
      (_, __, request) => ({ authorized: (request.socket as { authorized?: boolean }).authorized }),
      { requestClientCertificate: true },
    )
    const proxy = closing(await startHttpProxy(server.url))
    const { cert, key } = await clientPair()
    const cluster = await connectTo(server, {
      cluster: { 'proxy-url': proxy.url },
      user: { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) },
    })
    expect(await cluster.request(version)).toEqual({ authorized: true })
  })

  test('a socks5 proxy is used', async () => {
    const server = await serve(() => ({}), { names: ['api.example.com'] })
    const proxy = closing(await startSocksProxy(server.url))
    const cluster = await connectTo(
      { ...server, url: 'https://api.example.com:6443' },
      { cluster: { 'proxy-url': proxy.url } },
    )
    await cluster.request(version)
    await cluster.request(version)
    expect(proxy.targets).toEqual(['api.example.com'])
  })

  test('a proxy that refuses, is silent or is not there is named', async () => {
    const server = await serve(() => ({}))
    const refusing = closing(await startHttpProxy(server.url, 407))
    const mute = createServer().listen(0, '127.0.0.1')
    await once(mute, 'listening')
    const mutePort = (mute.address() as { port: number }).port
    const through = (url: string, requestTimeoutMs?: number) =>
      connectTo(server, { cluster: { 'proxy-url': url } }, { requestTimeoutMs })
    await expect((await through(refusing.url)).request(version)).rejects.toThrow(
      `proxy ${refusing.url} refuses to connect to ${server.url} (HTTP 407)`,
    )
    await expect(
      (await through(`http://u:secret@127.0.0.1:${mutePort}`, 100)).request(version),
    ).rejects.toThrow(
      `no answer from ${server.url} through proxy http://127.0.0.1:${mutePort} within 0.1s`,
    )
    mute.close()
    await expect((await through('http://127.0.0.1:1')).request(version)).rejects.toThrow(
      'proxy http://127.0.0.1:1 refuses connections',
    )
  })
})

describe('requests', () => {
  test('everything but JSON is asked for after JSON, which the subresources of KubeVirt need', async () => {
    const server = await serve(({ headers }, response) =>
      headers.accept === 'application/json' ? void response.writeHead(406).end() : {},
    )
    expect(
      await (await connectTo(server)).request({ path: '/apis/subresources.kubevirt.io/v1/x' }),
    ).toEqual({})
  })

  test('objects come and go as they are: unknown fields, times, numbers', async () => {
    const object = {
      metadata: { name: 'a', creationTimestamp: '2025-01-02T03:04:05Z' },
      spec: { newField: { x: [1, null] } },
    }
    const server = await serve(({ method, body }) => (method === 'GET' ? object : JSON.parse(body)))
    const cluster = await connectTo(server)
    const read = await cluster.request<typeof object>({ path: '/api/v1/nodes/a' })
    expect(read).toEqual(object)
    expect(await cluster.request({ method: 'PUT', path: '/api/v1/nodes/a', body: read })).toEqual(
      object,
    )
    expect(server.seen[1]?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'kubectl-mig',
    })
  })

  test('a body of UTF-8 arrives whole, however it is cut', async () => {
    const text = JSON.stringify({ text: 'größer 🚚' })
    const server = await serve((_, response) => {
      response.setHeader('content-type', 'application/json')
      for (const byte of Buffer.from(text)) response.write(Buffer.from([byte]))
      response.end()
    })
    expect(await (await connectTo(server)).request(version)).toEqual({ text: 'größer 🚚' })
  })

  test('an empty answer is undefined, and text is text', async () => {
    const server = await serve(
      ({ url }, response) => void response.end(url === '/text' ? 'a\nb\n' : ''),
    )
    const cluster = await connectTo(server)
    expect(await cluster.request(version)).toBeUndefined()
    expect(await cluster.text({ path: '/text' })).toBe('a\nb\n')
    expect(server.seen[1]?.headers.accept).toBe('*/*')
  })

  test('a stream gives lines as they come', async () => {
    let more: () => void = () => undefined
    const server = await serve((_, response) => {
      response.write('one\r\ntw')
      more = () => response.end('o\n\nlast')
    })
    const lines = (await (await connectTo(server)).stream(version))[Symbol.asyncIterator]()
    expect((await lines.next()).value).toBe('one')
    more()
    expect([
      (await lines.next()).value,
      (await lines.next()).value,
      (await lines.next()).value,
    ]).toEqual(['two', '', 'last'])
    expect((await lines.next()).done).toBe(true)
  })
})

describe('time and signals', () => {
  test('a server that never answers is given up after the time limit', async () => {
    const server = await serve(silent)
    const cluster = await connectTo(server, {}, { requestTimeoutMs: 50 })
    await expect(cluster.request({ path: '/api/v1/nodes' })).rejects.toMatchObject({
      message: `cannot list nodes: no answer from ${server.url} within 0.05s`,
      code: 'TIMEOUT',
      exit: 1,
    })
    await expect(cluster.stream({ path: '/api/v1/nodes' })).rejects.toMatchObject({
      code: 'TIMEOUT',
    })
    await expect(cluster.request({ ...version, timeoutMs: 20 })).rejects.toThrow('within 0.02s')
  })

  test('so is one that accepts the connection and does not speak TLS', async () => {
    const mute = createServer().listen(0, '127.0.0.1')
    await once(mute, 'listening')
    const url = `https://127.0.0.1:${(mute.address() as { port: number }).port}`
    const cluster = await connectTo({ ...(await serve(silent)), url }, {}, { requestTimeoutMs: 50 })
    await expect(cluster.request(version)).rejects.toThrow(`no answer from ${url} within 0.05s`)
    mute.close()
  })

  test('an answer that stops midway counts too, but a stream may be silent', async () => {
    const server = await serve((_, response) => void response.write('{"a":'))
    const cluster = await connectTo(server, {}, { requestTimeoutMs: 50 })
    await expect(cluster.request(version)).rejects.toMatchObject({ code: 'TIMEOUT' })
    const stop = new AbortController()
    const lines = await cluster.stream({ ...version, timeoutMs: 600, signal: stop.signal })
    setTimeout(() => stop.abort('enough'), 700)
    await expect(lines[Symbol.asyncIterator]().next()).rejects.toBe('enough')
  })

  test('no limit means none', async () => {
    const server = await serve(async () => {
      await new Promise((resolve) => setTimeout(resolve, 60))
      return {}
    })
    const cluster = await connectTo(server, {}, { requestTimeoutMs: 20 })
    expect(await cluster.request({ ...version, timeoutMs: 0 })).toEqual({})
  })

  test('a signal ends a request with its own reason, before and while it runs', async () => {
    const server = await serve(silent)
    const cluster = await connectTo(server)
    const stop = new AbortController()
    const pending = cluster.request({ ...version, signal: stop.signal })
    pending.catch(() => undefined)
    await until(() => expect(server.seen).toHaveLength(1))
    const reason = new Error('ctrl-c')
    stop.abort(reason)
    await expect(pending).rejects.toBe(reason)
    await expect(cluster.request({ ...version, signal: stop.signal })).rejects.toBe(reason)
    await expect(cluster.stream({ ...version, signal: stop.signal })).rejects.toBe(reason)
    expect(server.seen).toHaveLength(1)
  })

  test('a signal ends a request that waits for a connection', async () => {
    const server = await serve(silent)
    const cluster = await connectTo(server)
    const waiting = Array.from({ length: 8 }, () => cluster.request(version))
    const all = Promise.allSettled(waiting)
    const stop = new AbortController()
    const last = cluster.request({ ...version, signal: stop.signal })
    setTimeout(() => stop.abort('enough'), 50)
    await expect(last).rejects.toBe('enough')
    await cluster.close()
    expect((await all).map(({ status }) => status)).toEqual(Array(8).fill('rejected'))
  })

  test('a signal ends a request that waits for its next try', async () => {
    const server = await serve((_, response) => status(response, 429, {}, { 'retry-after': '5' }))
    const stop = new AbortController()
    const sleep = (ms: number, signal?: AbortSignal) => {
      stop.abort('enough')
      return systemClock.sleep(ms, signal)
    }
    const cluster = await connectTo(server, {}, { clock: { ...systemClock, sleep } })
    await expect(cluster.request({ ...version, signal: stop.signal })).rejects.toBe('enough')
    expect(server.seen).toHaveLength(1)
  })
})

describe('retries', () => {
  const flaky = (failures: number, fail: (response: Parameters<Handler>[1]) => void): Handler => {
    let left = failures
    return (_, response) => (left-- > 0 ? fail(response) : { ok: true })
  }
  const reset = (response: Parameters<Handler>[1]) => void response.socket!.destroy()

  test.each([
    [
      '429 with Retry-After',
      'POST',
      2,
      (r: Parameters<Handler>[1]) => status(r, 429, {}, { 'retry-after': '2' }),
      [2000, 2000],
    ],
    [
      '503 with Retry-After',
      'PATCH',
      1,
      (r: Parameters<Handler>[1]) => status(r, 503, {}, { 'retry-after': '1' }),
      [1000],
    ],
    ['503', 'GET', 3, (r: Parameters<Handler>[1]) => status(r, 503, {}), [100, 200, 400]],
    ['a connection that broke', 'GET', 2, reset, [100, 200]],
    ['a connection that broke', 'PUT', 1, reset, [100]],
    ['a connection that broke', 'DELETE', 1, reset, [100]],
  ] as const)('after %s a %s is sent again', async (_, method, failures, fail, waits) => {
    const clock = impatientClock()
    const server = await serve(flaky(failures, fail))
    const cluster = await connectTo(server, {}, { clock })
    expect(await cluster.request({ ...version, method })).toEqual({ ok: true })
    expect(clock.slept).toEqual(waits)
  })

  test.each([
    ['429 without Retry-After', 'POST', (r: Parameters<Handler>[1]) => status(r, 429, {})],
    ['503', 'POST', (r: Parameters<Handler>[1]) => status(r, 503, {})],
    ['500', 'GET', (r: Parameters<Handler>[1]) => status(r, 500, {})],
    ['a connection that broke', 'POST', reset],
    ['a connection that broke', 'PATCH', reset],
    ['401 of a fixed token', 'GET', (r: Parameters<Handler>[1]) => status(r, 401, {})],
  ] as const)('after %s a %s is not sent again', async (_, method, fail) => {
    const server = await serve(flaky(1, fail))
    const cluster = await connectTo(server, { user: { token: 't' } }, { clock: impatientClock() })
    await expect(cluster.request({ ...version, method })).rejects.toMatchObject({
      name: 'ApiError',
    })
    expect(server.seen).toHaveLength(1)
  })

  test('it ends after five times, and at once when the server names a time beyond the limit', async () => {
    const server = await serve(({ url }, response) =>
      status(
        response,
        429,
        { message: 'too busy' },
        { 'retry-after': url === '/late' ? '60' : '0' },
      ),
    )
    const cluster = await connectTo(server)
    await expect(cluster.request(version)).rejects.toMatchObject({
      status: 429,
      message: expect.stringContaining('too busy'),
    })
    expect(server.seen).toHaveLength(5)
    await expect(cluster.request({ path: '/late' })).rejects.toMatchObject({
      status: 429,
      retryAfterMs: 60_000,
    })
    expect(server.seen).toHaveLength(6)
  })
})
