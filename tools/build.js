// Bundles the commands into dist/ and writes oclif.manifest.json, which lets oclif start without importing them all.
// Also docs/commands, whose pages are made of the manifest, and docs/scenarios.md, of scenarios/.
// Split chunks keep start-up small: a command loads only what it imports (measured: npm run bench:startup).
import { globSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Plugin } from '@oclif/core'
import { build } from 'rolldown'
import { renewCommandPages } from './docs/command-pages.ts'
import { renewScenarioPage } from './docs/scenario-page.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const entries = [
  ...globSync('commands/**/*.ts', { cwd: root }),
  'src/cli.ts',
  'src/completion/main.ts',
  'src/lab/node/worker.ts',
]

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })
await build({
  cwd: root,
  input: Object.fromEntries(entries.map((file) => [file.replace(/\.ts$/, ''), file])),
  platform: 'node',
  transform: { target: 'node22.19' },
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    // Names stay: they are in stack traces, and oclif shows class names.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  },
})

const plugin = new Plugin({
  root,
  ignoreManifest: true,
  errorOnManifestCreate: true,
  respectNoCacheDefault: true,
  isRoot: true,
  type: 'core',
})
await plugin.load()
// Found in the order in which folders were read, which is not the same everywhere.
const commands = Object.entries(plugin.manifest.commands).sort(([a], [b]) => (a < b ? -1 : 1))
const manifest = { ...plugin.manifest, commands: Object.fromEntries(commands) }
writeFileSync(
  new URL('../oclif.manifest.json', import.meta.url),
  `${JSON.stringify(manifest, null, 2)}\n`,
)
await renewCommandPages(root)
await renewScenarioPage(root)
