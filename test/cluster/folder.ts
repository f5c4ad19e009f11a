import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder of the test's own, gone when it ends. Returns a function that writes files into it and gives their paths. */
export function testFolder(): {
  path: string
  write(name: string, text: string, mode?: number): string
} {
  const path = mkdtempSync(join(tmpdir(), 'mig-cluster-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return {
    path,
    write: (name, text, mode = 0o600) => {
      const file = join(path, name)
      writeFileSync(file, text, { mode })
      return file
    },
  }
}
