import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

// In `while read vm; do kubectl mig status; done` the list would be eaten, and taken for a name.
test.each(globSync('commands/**/*.ts', { cwd: root }))(
  '%s takes its arguments from the command line only',
  async (file) => {
    const { default: command } = await import(new URL(`../../${file}`, import.meta.url).href)
    const fromStdin = Object.entries<{ ignoreStdin?: boolean }>(command.args ?? {})
      .filter(([, arg]) => arg.ignoreStdin !== true)
      .map(([name]) => name)
    expect(fromStdin).toEqual([])
  },
)
