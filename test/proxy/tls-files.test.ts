import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { ProxyRecord } from '../../src/proxy/log.ts'
import { type TlsFiles, watchTlsFiles } from '../../src/proxy/tls-files.ts'
import { tempDir, until } from './fixtures.ts'
import { testPki } from './pki.ts'

async function filesOf(pki: Awaited<ReturnType<typeof testPki>>) {
  const dir = await tempDir()
  await writeFile(`${dir}/ca`, pki.ca)
  await writeFile(`${dir}/cert`, pki.server.cert)
  await writeFile(`${dir}/key`, pki.server.key)
  return { ca: `${dir}/ca`, server: { cert: `${dir}/cert`, key: `${dir}/key` } }
}

async function watch(files: TlsFiles) {
  const records: ProxyRecord[] = []
  const log = (record: ProxyRecord) => void records.push(record)
  const watched = await watchTlsFiles(files, { clock: systemClock, log })
  onTestFinished(() => watched.close())
  return { watched, records }
}

test('what comes through a pipe is read once, and nobody waits at its end for more', async () => {
  const pki = await testPki()
  const files = await filesOf(pki)
  const pipe = `${files.ca}.pipe`
  execFileSync('mkfifo', [pipe])
  const written = writeFile(pipe, pki.ca)
  const { watched } = await watch({ ...files, ca: pipe })
  await written
  expect(watched.current().ca).toBe(pki.ca)
  // Longer than files are left alone; who opens a pipe that nobody reads is told so.
  await new Promise((resolve) => setTimeout(resolve, 1300))
  expect(() => closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK))).toThrow(
    'ENXIO',
  )
})

test('a certificate that peers will refuse is told when it comes, also later', async () => {
  const pki = await testPki()
  const files = await filesOf(pki)
  const { records } = await watch(files)
  const warnings = () => records.filter(({ level }) => level === 'warning')
  expect(warnings()).toEqual([])
  const odd = await pki.issue('localhost', 'server')
  await writeFile(files.server.key, odd.key)
  await writeFile(files.server.cert, odd.cert)
  await until(() => warnings().length > 0)
  expect(warnings()).toMatchObject([
    {
      msg: `peers will refuse the certificate in ${files.server.cert}`,
      reason: expect.stringContaining('CN=localhost (signed by kubevirt.io@'),
      code: 'tls-own-certificate',
    },
  ])
})
