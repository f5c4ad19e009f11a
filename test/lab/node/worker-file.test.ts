import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { workerFile } from '../../../src/lab/node/worker-file.ts'

let root: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'mig-')))
})
afterEach(() => rm(root, { recursive: true }))

async function file(path: string): Promise<string> {
  const full = join(root, path)
  await mkdir(dirname(full), { recursive: true })
  await writeFile(full, '')
  return pathToFileURL(full).href
}

test('in a checkout it is the TypeScript beside the code that asks', () => {
  expect(workerFile().href).toBe(new URL('../../../src/lab/node/worker.ts', import.meta.url).href)
})

test.each([
  ['a chunk at the root of the bundle', 'dist/run-Ab1.js'],
  ['a command in the bundle', 'dist/commands/lab/up.js'],
  ['an installed package', 'node_modules/kubectl-mig/dist/run-Ab1.js', 'node_modules/kubectl-mig/'],
])('from %s it is the entry below dist', async (_, asking, at = '') => {
  const worker = await file(`${at}dist/src/lab/node/worker.js`)
  expect(workerFile(await file(asking)).href).toBe(worker)
})

test('a single executable finds it in the dist beside itself', async () => {
  const worker = await file('app/dist/src/lab/node/worker.js')
  expect(workerFile('node:embedded', join(root, 'app/kubectl-mig')).href).toBe(worker)
})

test('an incomplete copy says so', async () => {
  const asking = await file('dist/run-Ab1.js')
  expect(() => workerFile(asking, join(root, 'kubectl-mig'))).toThrow(
    'this copy of kubectl-mig is incomplete: src/lab/node/worker.js is missing',
  )
})
