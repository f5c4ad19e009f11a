// Starts kubectl-mig. Written so that any Node can read it: an old one gets one clear line, not a syntax error.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `error: kubectl-mig needs Node 22.19 or newer, this is ${process.versions.node} (${process.execPath})\n`,
  )
  process.exitCode = 1
} else {
  start()
}

async function start() {
  const { existsSync } = await import('node:fs')
  const root = new URL('../', import.meta.url)
  if (existsSync(new URL('dist/src/cli.js', root))) {
    const { cacheCompiledCode } = await import('./compile-cache.js')
    await cacheCompiledCode()
    const cli = await import(new URL('dist/src/cli.js', root).href)
    await cli.main(process.argv.slice(2), root)
  } else if (existsSync(new URL('src/cli.ts', root))) {
    await import('./dev.js')
  } else {
    process.stderr.write(
      'error: this copy of kubectl-mig is incomplete: dist/src/cli.js is missing\n',
    )
    process.exitCode = 1
  }
}
