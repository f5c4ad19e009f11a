// Writes oclif.manifest.json, which lets oclif start without importing every command. Run by `npm run build`.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Plugin } from '@oclif/core'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The manifest's text, from the built commands. */
export async function manifest() {
  const plugin = new Plugin({
    root,
    ignoreManifest: true,
    errorOnManifestCreate: true,
    respectNoCacheDefault: true,
    isRoot: true,
    type: 'core',
  })
  await plugin.load()
  return `${JSON.stringify(plugin.manifest, null, 2)}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('../oclif.manifest.json', import.meta.url), await manifest())
}
