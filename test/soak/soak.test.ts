import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('a short soak loses nothing', { timeout: 90_000 }, () => {
  const soak = fileURLToPath(new URL('soak.ts', import.meta.url))
  const args = [
    '--no-warnings',
    soak,
    '--streams',
    '150',
    '--seed',
    '7',
    '--kills',
    '50',
    '--from-source',
  ]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(stdout).toMatch(/\nstreams 150, bytes \d+, faults \d+, lost 0\n$/)
})
