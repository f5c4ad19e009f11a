import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../bin/dev.js', import.meta.url))

test.skipIf(!existsSync('/dev/full'))(
  'an answer that cannot be written is told in one line',
  () => {
    const command = '"$0" "$1" explain MIG3001 > /dev/full'
    const { status, stderr } = spawnSync('sh', ['-c', command, process.execPath, script], {
      encoding: 'utf8',
    })
    expect(stderr).toMatch(/^error: cannot write the answer: ENOSPC.*\n$/)
    expect(status).toBe(1)
  },
)
