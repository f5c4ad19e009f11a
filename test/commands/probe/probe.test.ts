import { readFileSync, writeFileSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { Ajv } from 'ajv'
import { expect, onTestFinished, test } from 'vitest'
import { blackHole, echo, tempDir, testManager, unixServer } from '../../proxy/fixtures.ts'
import { testPki } from '../../proxy/pki.ts'
import { run } from '../run.ts'

const isValid = new Ajv().compile(
  JSON.parse(
    readFileSync(new URL('../../../schema/diagnosis-report.json', import.meta.url), 'utf8'),
  ),
)

/** As JSON, which has to be what the schema says. */
async function probe(
  ...args: string[]
): Promise<{ exit: number | null; verdict: string; stage: string }> {
  const { code, stdout, stderr } = await run(['probe', ...args, '-o', 'json'])
  if (!stdout) throw new Error(stderr)
  const report = JSON.parse(stdout)
  isValid(report)
  expect(isValid.errors).toBeNull()
  expect(report.source.kind).toBe('node')
  return { exit: code, verdict: report.verdict.code, stage: report.verdict.stage }
}

test('a socket: live, missing, and what is there in its place', async () => {
  const dir = await tempDir()
  await unixServer(`${dir}/virtqemud-sock`, echo)
  const live = { exit: 0, verdict: 'MIG0010', stage: 'live' }
  expect(await probe('socket', `${dir}/virtqemud-sock`)).toEqual(live)
  expect(await probe('socket', `${dir}/virtqemud-sock`, '--connect')).toEqual(live)
  expect(await probe('socket', `${dir}/none/virtqemud-sock`)).toEqual({
    exit: 3,
    verdict: 'MIG5004',
    stage: 'absent',
  })
  await symlink(`${dir}/virtqemud-sock`, `${dir}/linked-sock`)
  expect(await probe('socket', `${dir}/linked-sock`)).toEqual(live)
  expect(await probe('socket', `${dir}/linked-sock`, '--connect')).toEqual(live)
  const { stdout } = await run(['probe', 'socket', `${dir}/linked-sock`])
  expect(stdout).toContain(`yes, by a link to ${dir}/virtqemud-sock`)
  await symlink(`${dir}/none`, `${dir}/dangling-sock`)
  expect(await probe('socket', `${dir}/dangling-sock`)).toMatchObject({ stage: 'absent' })
  expect(await probe('socket', dir)).toEqual({ exit: 3, verdict: 'MIG5007', stage: 'other' })
})

test("the proxy's own socket is seen without a connection to it; a data channel is never knocked at", async () => {
  const dir = await tempDir()
  const source = testManager('disabled', { socketOwner: { uid: 107, gid: 107 } })
  const start = source.startSourceListener('uid', '127.0.0.1', { '4001': 49152 }, dir)
  // Only root may give files away.
  await start.catch(() => {})
  const [file = `${dir}/uid-49152-source.sock`] = source.sourceListenerFiles('uid')
  if (process.getuid?.() === 0)
    expect(await probe('socket', file)).toEqual({ exit: 0, verdict: 'MIG0010', stage: 'live' })
  const knocked = await run(['probe', 'socket', file, '--connect'])
  expect(knocked).toMatchObject({ code: 2, stdout: '' })
  expect(knocked.stderr).toContain('is a socket of memory or disks')
  await symlink(file, `${dir}/innocent-sock`)
  expect(await run(['probe', 'socket', `${dir}/innocent-sock`, '--connect'])).toMatchObject({
    code: 2,
  })
  expect(source.records.some(({ level }) => level === 'error')).toBe(false)
})

test('a listener: taken, refused, not answered in time', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  expect(await probe('listener', `127.0.0.1:${port}`)).toMatchObject({
    exit: 0,
    stage: 'connected',
  })
  await new Promise((resolve) => server.close(resolve))
  expect(await probe('listener', `127.0.0.1:${port}`)).toEqual({
    exit: 3,
    verdict: 'MIG5002',
    stage: 'refused',
  })
  const silent = await blackHole()
  expect(await probe('listener', `127.0.0.1:${silent}`, '--timeout', '500ms')).toEqual({
    exit: 3,
    verdict: 'MIG7001',
    stage: 'timed-out',
  })
})

test("TLS: a target's proxy as a source finds it, and no key in what is printed", async () => {
  const dir = await tempDir()
  const pki = await testPki()
  const odd = await pki.issue('localhost', 'client')
  writeFileSync(`${dir}/ca`, pki.ca)
  for (const [name, pair] of Object.entries({ client: pki.client, odd })) {
    writeFileSync(`${dir}/${name}-cert`, pair.cert)
    writeFileSync(`${dir}/${name}-key`, pair.key)
  }
  await unixServer(`${dir}/backend`, echo)
  const target = testManager(pki)
  await target.startTargetListener('uid', [`${dir}/backend`])
  onTestFinished(() => target.close())
  const [port] = Object.keys(target.targetListenerPorts('uid'))
  const with_ = (name: string) => ['--cert', `${dir}/${name}-cert`, '--key', `${dir}/${name}-key`]
  const tls = ['tls', `127.0.0.1:${port}`, '--ca', `${dir}/ca`]
  expect(await probe(...tls)).toEqual({ exit: 0, verdict: 'MIG0010', stage: 'handshake' })
  expect(await probe(...tls, ...with_('client'))).toMatchObject({ exit: 0, stage: 'let in' })
  expect(await probe(...tls, ...with_('odd'))).toMatchObject({ exit: 3, verdict: 'MIG6008' })
  expect(await probe(...tls, '--expect-name', 'somebody')).toMatchObject({ verdict: 'MIG6004' })
  const crossed = ['--cert', `${dir}/client-cert`, '--key', `${dir}/odd-key`]
  expect(await run(['probe', ...tls, ...crossed])).toMatchObject({ code: 2, stdout: '' })
  const noBundle = ['probe', 'tls', `127.0.0.1:${port}`, '--ca', `${dir}/client-key`]
  expect(await run(noBundle)).toMatchObject({ code: 2, stdout: '' })
  const text = await run(['probe', ...tls, ...with_('odd')])
  expect(text.stdout).toContain('CN=localhost (signed by kubevirt.io@')
  expect(text.stdout + text.stderr).not.toContain('PRIVATE KEY')
})

test.each([
  [['listener', '127.0.0.1'], '"127.0.0.1" is no HOST:PORT'],
  [['listener', '127.0.0.1:70000'], 'is no HOST:PORT'],
  [['listener', '127.0.0.1:1', '--timeout', '0'], '--timeout: "0" is no time'],
  [['tls', '127.0.0.1:1'], 'Missing required flag ca'],
  [['tls', '127.0.0.1:1', '--ca', '/x', '--cert', '/y'], '--cert and --key belong together'],
  [['tls', '127.0.0.1:1', '--ca', '/none'], "can't read /none: no such file"],
  [['socket', ''], 'the path is empty'],
])('%j is told in one line', async (args, says) => {
  const { code, stdout, stderr } = await run(['probe', ...args])
  expect(stdout).toBe('')
  expect(stderr).toContain(says)
  expect(code).toBe(2)
})
