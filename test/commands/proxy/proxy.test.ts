import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { MIGRATION_CLIENT_NAME } from '../../../src/tls/names.ts'
import { echo, readAll, unixClient, unixServer, until } from '../../proxy/fixtures.ts'
import { testPki } from '../../proxy/pki.ts'
import { type Ended, run, type Started, start } from '../run.ts'

const HOUR = 3_600_000
const dir = mkdtempSync(join(tmpdir(), 'mig-'))
const pem = (name: string) => `${dir}/${name}.pem`
const SERVER = [
  '--ca',
  pem('ca'),
  '--server-cert',
  pem('server-cert'),
  '--server-key',
  pem('server-key'),
]
const CLIENT = [
  '--ca',
  pem('ca'),
  '--client-cert',
  pem('client-cert'),
  '--client-key',
  pem('client-key'),
]

beforeAll(async () => {
  const pki = await testPki()
  const expired = await pki.issue(MIGRATION_CLIENT_NAME, 'client', {
    notBefore: Date.now() - 2 * HOUR,
    notAfter: Date.now() - HOUR,
  })
  writeFileSync(pem('ca'), pki.ca)
  for (const [name, pair] of Object.entries({ server: pki.server, client: pki.client, expired })) {
    writeFileSync(pem(`${name}-cert`), pair.cert)
    writeFileSync(pem(`${name}-key`), pair.key)
  }
  return () => rmSync(dir, { recursive: true, force: true })
})

describe('two processes', () => {
  test('a target prints its port map, a source takes it and prints its sockets; bytes go both ways', async () => {
    await unixServer(`${dir}/virtqemud-sock`, echo)
    const target = startTarget(['--unix', `${dir}/virtqemud-sock`, '--unix', `49152=${dir}/memory`])
    const map = await answer(target)
    expect(Object.values(JSON.parse(map)).sort()).toEqual([0, 49152])
    const source = startSource(['--port-map', map])
    const files = JSON.parse(await answer(source))
    expect(files).toEqual([
      `${dir}/base/migrationproxy/uid-source.sock`,
      `${dir}/base/migrationproxy/uid-49152-source.sock`,
    ])
    const client = await unixClient(files[0])
    client.end('through two processes')
    expect(String(await readAll(client))).toBe('through two processes')

    for (const { child } of [source, target]) child.kill('SIGTERM')
    const [s, t] = await Promise.all([source.ended, target.ended])
    expect([s.code, t.code]).toEqual([0, 0])
    expect(existsSync(files[0])).toBe(false)
    expect(logOf(t).map(({ msg }) => msg)).toEqual([
      "certificate with common name 'kubevirt.io:system:node:virt-handler' retrieved.",
      'proxy started listening',
      'Manager created proxy on target',
      'proxy started listening',
      'Manager created proxy on target',
      '21 bytes copied from inbound to outbound',
      '21 bytes copied outbound to inbound',
      'Received signal SIGTERM, initiating graceful shutdown',
      'cleanly exiting with reason: migration proxy cleanly shutdown',
      'Manager stopping proxy on target node',
      'Manager stopping proxy on target node',
      'proxy stopped listening',
      'proxy stopped listening',
    ])
    expect(logOf(s)[1]).toEqual({
      component: 'kubectl-mig',
      level: 'info',
      listening: 'uid-source.sock',
      msg: 'proxy started listening',
      outbound: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      uid: 'uid',
    })
  })

  test('SIGTERM lets a stream finish, a second one ends it at once', async () => {
    await unixServer(`${dir}/patient`, echo)
    const target = startTarget(['--unix', `0=${dir}/patient`])
    const source = startSource(['--port-map', await answer(target)])
    const [file] = JSON.parse(await answer(source))
    const client = await unixClient(file)
    client.write('before ')
    await new Promise((resolve) => client.once('data', resolve))
    source.child.kill('SIGTERM')
    target.child.kill('SIGTERM')
    await until(() => source.stderr().includes('Received signal SIGTERM'))
    const rest = readAll(client)
    client.write('after')
    await until(() => client.bytesRead >= 12)
    source.child.kill('SIGTERM')
    const [s, t] = [await source.ended, await target.ended]
    expect(String(await rest)).toBe('after')
    expect(s.code).toBe(1)
    expect(s.stderr).toMatch(/\nerror: 1 stream was cut after a second SIGTERM\n$/)
    expect(t.code).toBe(0)
  })

  test('a start that hangs, as on a pipe that nothing comes through, is ended by signals too', async () => {
    spawnSync('mkfifo', [`${dir}/pipe`])
    const flags = ['--unix', '0=/x', '--ca', `${dir}/pipe`, ...SERVER.slice(2)]
    const target = start(['proxy', 'target', '--key', 'uid', '--bind', '127.0.0.1', ...flags])
    const { child } = target
    await until(() => {
      try {
        const writer = openSync(`${dir}/pipe`, constants.O_WRONLY | constants.O_NONBLOCK)
        onTestFinished(() => closeSync(writer))
        return true
      } catch {
        return false // as long as nobody reads
      }
    })
    await until(() => {
      child.kill('SIGTERM')
      return child.signalCode !== null
    })
    expect(child.signalCode).toBe('SIGTERM')
  })

  test('streams that outlast the grace are cut', async () => {
    await unixServer(`${dir}/forever`, echo)
    const target = startTarget(['--unix', `0=${dir}/forever`, '--grace', '200ms'])
    const source = startSource(['--port-map', await answer(target)])
    const client = await unixClient(JSON.parse(await answer(source))[0])
    client.write('x')
    await new Promise((resolve) => client.once('data', resolve))
    const rest = readAll(client)
    target.child.kill('SIGTERM')
    const { code, stderr } = await target.ended
    expect(code).toBe(1)
    expect(stderr).toContain('1 stream was cut after the grace of 0.2 s')
    expect(await rest).toHaveLength(0)
  })

  test('certificates that are replaced are taken up; a half-written pair is not', async () => {
    const fresh = mkdtempSync(`${dir}/fresh-`)
    const own = { ca: `${fresh}/ca`, cert: `${fresh}/cert`, key: `${fresh}/key` }
    const write = (pki: Awaited<ReturnType<typeof testPki>>, what: (keyof typeof own)[]) => {
      const texts = { ca: pki.ca, cert: pki.server.cert, key: pki.server.key }
      for (const name of what) writeFileSync(own[name], texts[name])
    }
    const [old, next] = [await testPki(), await testPki()]
    write(old, ['ca', 'cert', 'key'])
    const target = start([
      ...['proxy', 'target', '--key', 'uid', '--bind', '127.0.0.1', '--unix', `0=${dir}/none`],
      ...['--ca', own.ca, '--server-cert', own.cert, '--server-key', own.key],
    ])
    await answer(target)
    write(next, ['cert'])
    await until(() => target.stderr().includes('failed to load the certificates'))
    write(next, ['key', 'ca'])
    await until(() => target.stderr().split(' retrieved.').length === 3)
    target.child.kill('SIGTERM')
    const { stderr } = await target.ended
    expect(stderr).toContain(`the key in ${own.key} is not that of the certificate in ${own.cert}`)
  })

  test('a certificate that no peer will take is told in one line', async () => {
    const pki = await testPki()
    const odd = await pki.issue('localhost', 'server')
    writeFileSync(pem('odd-cert'), odd.cert)
    writeFileSync(pem('odd-key'), odd.key)
    const target = start([
      ...[
        'proxy',
        'target',
        '--key',
        'uid',
        '--bind',
        '127.0.0.1',
        '--unix',
        '0=/x',
        '--ca',
        pem('ca'),
      ],
      ...['--server-cert', pem('odd-cert'), '--server-key', pem('odd-key')],
    ])
    await answer(target)
    const warnings = target
      .stderr()
      .split('\n')
      .filter((line) => line.includes('"warning"'))
    expect(warnings).toHaveLength(1)
    expect(JSON.parse(warnings[0]!)).toMatchObject({
      msg: `peers will refuse the certificate in ${pem('odd-cert')}`,
      reason: expect.stringMatching(
        /^CN=localhost \(signed by \S+, valid .*\): they expect the name kubevirt.io:system:node:virt-handler; no authority .* has signed it: .*; give tls.crt and tls.key of secret kubevirt-virt-handler-server-certs, /,
      ),
      code: 'tls-own-certificate',
    })
  })

  test('metrics are served for Prometheus', async () => {
    await unixServer(`${dir}/counted`, echo)
    const target = startTarget(['--unix', `0=${dir}/counted`, '--metrics-addr', '127.0.0.1:0'])
    const source = startSource(['--port-map', await answer(target)])
    const client = await unixClient(JSON.parse(await answer(source))[0])
    client.write('12345')
    await new Promise((resolve) => client.once('data', resolve))
    const [, port] = /metrics are served on port (\d+)/.exec(target.stderr())!
    const scrape = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    expect(scrape).toContain(
      'kubectl_mig_proxy_connections{role="target",label="0",phase="open"} 1',
    )
    expect(scrape).toContain('kubectl_mig_proxy_connections_total{role="target",label="0"} 1')
    expect(scrape).toContain(
      'kubectl_mig_proxy_bytes_total{role="target",label="0",direction="out"} 5',
    )
    expect(scrape).toContain(
      'kubectl_mig_proxy_bytes_per_second{role="target",label="0",direction="in"}',
    )
    for (const [path, status] of [
      ['/metrics?all', 200],
      ['/', 404],
      ['//[', 404],
    ] as const) {
      const [response] = await once(get({ port, path }), 'response')
      expect(response.resume().statusCode).toBe(status)
    }
    client.destroy()
  })

  test('without TLS it says what that exposes', async () => {
    const target = start(
      'proxy target --key uid --bind 127.0.0.1 --disable-tls --unix 0=/x'.split(' '),
    )
    await answer(target)
    expect(target.stderr()).toContain('"level":"warning"')
    expect(target.stderr()).toContain(
      'the memory and the disks of the guest cross the network in clear',
    )
  })
})

describe('bad input is told in one line, and nothing is left behind', () => {
  const target = 'proxy target --key uid --bind 127.0.0.1 --disable-tls'
  const source = `proxy source --key uid --target 127.0.0.1 --base-dir ${dir}/left --disable-tls`
  test.each<[string, string[], number, string]>([
    ['no socket', target.split(' '), 2, 'Missing required flag unix'],
    ['a relative path', [...target.split(' '), '--unix', 'x'], 2, 'no [LABEL=]/absolute/path'],
    [
      'an unknown label',
      [...target.split(' '), '--unix', '7=/x'],
      2,
      'unknown label 7 of /x, expected 0, 49152 or 49153',
    ],
    [
      'a label twice',
      [...target.split(' '), '--unix', '0=/x', '--unix', '0=/y'],
      2,
      '/x and /y have the same label 0',
    ],
    [
      'a long path',
      [...target.split(' '), '--unix', `0=/${'x'.repeat(120)}`],
      2,
      'is too long for a unix socket: 121 bytes',
    ],
    [
      'a bad range',
      [...target.split(' '), '--unix', '0=/x', '--port-range', '9-1'],
      2,
      'the port range "9-1"',
    ],
    [
      'a bad bind address',
      'proxy target --key uid --bind here --disable-tls --unix 0=/x'.split(' '),
      2,
      '"here" is no IP address',
    ],
    [
      'a foreign bind address',
      'proxy target --key uid --bind 192.0.2.7 --disable-tls --unix 0=/x'.split(' '),
      1,
      "can't listen on 192.0.2.7: it is no address of this machine",
    ],
    [
      'a key that is a path',
      'proxy target --key a/b --bind :: --disable-tls --unix 0=/x'.split(' '),
      2,
      "can't be part of a file name",
    ],
    [
      'no TLS decision',
      'proxy target --key uid --bind :: --unix 0=/x'.split(' '),
      2,
      '--ca, --server-cert and --server-key are needed',
    ],
    [
      'TLS and no TLS',
      [...target.split(' '), '--unix', '0=/x', ...SERVER],
      2,
      'exclude each other',
    ],
    [
      'half a pair',
      ['proxy', 'target', '--key', 'uid', '--bind', '::', '--unix', '0=/x', ...SERVER.slice(0, 4)],
      2,
      '--server-cert and --server-key belong together',
    ],
    [
      'a missing file',
      [
        'proxy',
        'target',
        '--key',
        'uid',
        '--bind',
        '::',
        '--unix',
        '0=/x',
        '--ca',
        `${dir}/none`,
        ...SERVER.slice(2),
      ],
      2,
      `can't read ${dir}/none: no such file`,
    ],
    [
      'a file without a certificate',
      [
        'proxy',
        'target',
        '--key',
        'uid',
        '--bind',
        '::',
        '--unix',
        '0=/x',
        '--ca',
        pem('server-key'),
        ...SERVER.slice(2),
      ],
      2,
      'holds no certificate',
    ],
    [
      'the key of another',
      [
        'proxy',
        'target',
        '--key',
        'uid',
        '--bind',
        '::',
        '--unix',
        '0=/x',
        ...SERVER.slice(0, 5),
        pem('client-key'),
      ],
      2,
      `the key in ${pem('client-key')} is not that of the certificate in ${pem('server-cert')}`,
    ],
    [
      'an expired certificate',
      [
        ...source.split(' ').slice(0, -1),
        '--port-map',
        '{"1":0}',
        '--ca',
        pem('ca'),
        '--client-cert',
        pem('expired-cert'),
        '--client-key',
        pem('expired-key'),
      ],
      2,
      `the certificate in ${pem('expired-cert')} has expired`,
    ],
    [
      'an empty name to accept',
      ['proxy', 'target', '--key', 'uid', '--bind', '::', '--unix', '0=/x', ...SERVER].concat([
        '--accept-client-name',
        '',
      ]),
      2,
      '--accept-client-name: "" is no Common Name',
    ],
    [
      'a port map that is no JSON',
      [...source.split(' '), '--port-map', '{1:0}'],
      2,
      'the port map is no JSON',
    ],
    [
      'a port map with a bad label',
      [...source.split(' '), '--port-map', '{"4001":1}'],
      2,
      'gives port 4001 the label 1',
    ],
    [
      'a port map with a port twice',
      [...source.split(' '), '--port-map', '{"4001":0, "4001":49152}'],
      2,
      'has the port 4001 more than once',
    ],
    ['an empty port map', [...source.split(' '), '--port-map', '{}'], 2, 'the port map is empty'],
    [
      'a name for the target',
      [
        ...source.replace('--target 127.0.0.1', '--target node-1').split(' '),
        '--port-map',
        '{"4001":0}',
      ],
      2,
      '"node-1" is no IP address',
    ],
    [
      'a bad metrics address',
      [...source.split(' '), '--port-map', '{"4001":0}', '--metrics-addr', '9090'],
      2,
      '--metrics-addr: "9090" is no ADDRESS:PORT',
    ],
    [
      'a bad owner',
      [...source.split(' '), '--port-map', '{"4001":0}', '--socket-owner', 'qemu'],
      2,
      '--socket-owner: "qemu" is no UID:GID',
    ],
    [
      'an owner that no system has',
      [...source.split(' '), '--port-map', '{"4001":0}', '--socket-owner', '4294967295:1'],
      2,
      '--socket-owner: "4294967295:1" is no UID:GID',
    ],
    [
      'a relative base folder',
      [...source.replace(`${dir}/left`, 'left').split(' '), '--port-map', '{"4001":0}'],
      2,
      'the base folder "left" is no absolute path',
    ],
    [
      'no time to dial in',
      [...source.split(' '), '--port-map', '{"4001":0}', '--dial-timeout', '0'],
      2,
      '--dial-timeout: "0" is no time',
    ],
    [
      'a grace for ever',
      [...source.split(' '), '--port-map', '{"4001":0}', '--grace', '9999h'],
      2,
      '--grace: "9999h" is too long',
    ],
    [
      'a bundle without end',
      [
        'proxy',
        'target',
        '--key',
        'uid',
        '--bind',
        '::',
        '--unix',
        '0=/x',
        '--ca',
        '/dev/zero',
        ...SERVER.slice(2),
      ],
      2,
      "can't read /dev/zero: it is larger than 1 MiB",
    ],
    [
      'a long base folder',
      [
        ...source
          .split(' ')
          .map((w) => (w === `${dir}/left` ? `${dir}/left/${'x'.repeat(90)}` : w)),
        '--port-map',
        '{"4001":0}',
      ],
      2,
      'is too long for a unix socket',
    ],
  ])('%s', async (_, args, code, says) => {
    const ended = await run(args)
    expect(oneLine(ended)).toContain(says)
    expect(ended.code).toBe(code)
    expect(existsSync(`${dir}/left`)).toBe(false)
  })

  test('a port in use', async () => {
    const blocker = createServer()
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void blocker.close())
    const { port } = blocker.address() as { port: number }
    const ended = await run([...target.split(' '), '--unix', '0=/x', '--port-range', String(port)])
    expect(oneLine(ended)).toContain('all are in use')
    expect(ended.code).toBe(1)
  })

  test('a live proxy on the same sockets', async () => {
    mkdirSync(`${dir}/shared`)
    const args = [
      ...source.replace(`${dir}/left`, `${dir}/shared`).split(' '),
      '--port-map',
      '{"4001":0}',
    ]
    const first = start(args)
    const [file] = JSON.parse(await answer(first))
    const second = await run(args)
    expect(oneLine(second)).toContain(`another process listens on ${file}`)
    expect(second.code).toBe(1)
    expect(existsSync(file)).toBe(true)
  })
})

function startTarget(args: string[]): Started {
  return start(['proxy', 'target', '--key', 'uid', '--bind', '127.0.0.1', ...SERVER, ...args])
}

function startSource(args: string[]): Started {
  const to = ['--target', '127.0.0.1', '--base-dir', `${dir}/base`]
  return start(['proxy', 'source', '--key', 'uid', ...to, ...CLIENT, ...args])
}

/** The line that a proxy prints when it listens. */
async function answer(proxy: Started): Promise<string> {
  await Promise.race([until(() => proxy.stdout().endsWith('\n')), proxy.ended])
  if (!proxy.stdout()) throw new Error(proxy.stderr())
  return proxy.stdout().trim()
}

function oneLine({ stdout, stderr }: Ended): string {
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^error: [^\n]+\n(hint: [^\n]+\n)?$/)
  return stderr
}

function logOf({ stderr }: Ended): Record<string, string>[] {
  return stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}
