// Runs the TypeScript itself, without a build. Needs a Node that strips types (24).
import { existsSync } from 'node:fs'

const root = new URL('../', import.meta.url)
if (!existsSync(new URL('node_modules/@oclif/core', root))) {
  process.stderr.write(
    'error: nothing is installed in this checkout yet; run "npm test" or "npm run demo"\n',
  )
  process.exitCode = 1
} else if (process.features.typescript) {
  const cli = await import(new URL('src/cli.ts', root).href)
  await cli.main(process.argv.slice(2), root, { fromSource: true })
} else {
  process.stderr.write('error: nothing is built in this checkout yet; run "npm run build"\n')
  process.exitCode = 1
}
