import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Plugin } from '@oclif/core'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)

/** The manifest that the sources would give, with the paths that a build gives them. */
async function fromSource() {
  const pjson = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  pjson.oclif.commands.target = './commands'
  const plugin = new Plugin({
    root: fileURLToPath(root),
    pjson,
    ignoreManifest: true,
    errorOnManifestCreate: true,
    respectNoCacheDefault: true,
    isRoot: true,
    type: 'core',
  } as never)
  await plugin.load()
  const manifest = JSON.parse(JSON.stringify(plugin.manifest))
  for (const command of Object.values<{ relativePath: string[] }>(manifest.commands)) {
    command.relativePath = [
      'dist',
      ...command.relativePath.map((part) => part.replace(/\.ts$/, '.js')),
    ]
  }
  return manifest
}

test('the committed oclif.manifest.json is what the commands give (npm run build renews it)', async () => {
  const committed = JSON.parse(readFileSync(new URL('oclif.manifest.json', root), 'utf8'))
  expect(committed).toEqual(await fromSource())
})
