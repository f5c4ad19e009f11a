// Starts completion. Says nothing but candidates: what is wrong with an installation, commands say.
import { existsSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const built = new URL('dist/src/completion/main.js', root)
const entry =
  existsSync(built) || !process.features.typescript
    ? built
    : new URL('src/completion/main.ts', root)

complete().catch(() => process.stdout.write(':4\n'))

async function complete() {
  const { cacheCompiledCode } = await import('./compile-cache.js')
  await cacheCompiledCode()
  const { main } = await import(entry.href)
  await main(process.argv.slice(2), root)
}
