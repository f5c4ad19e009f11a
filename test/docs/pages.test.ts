import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { CommandEntry, Manifest } from '../../src/completion/manifest.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const { commands }: Manifest = JSON.parse(read('oclif.manifest.json'))
const written = readdirSync(new URL('docs/', root))
  .filter((file) => file.endsWith('.md'))
  .map((file) => `docs/${file}`)

/** Of pages that people write. What is generated has a test of its own. */
describe.each(['README.md', ...written])('%s', (page) => {
  const text = read(page)
  const withoutPictures = text.replace(/!\[[^\]]*\]/g, '')

  test('links to files that are there', () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link]) => link!)
    expect(links.filter((link) => !existsSync(new URL(link, new URL(page, root))))).toEqual([])
  })

  test('names commands and flags that exist', () => {
    const calls = [...withoutPictures.matchAll(/kubectl[ -]mig ((?:[^\n`|"\\]|\\\n)*)/g)].map(
      ([, call]) => call!,
    )
    expect(calls.length).toBeGreaterThan(0)
    expect(calls.flatMap(unknownIn)).toEqual([])
  })

  test('tells nothing of the machine on which it was made', () => {
    expect(text.match(/\/tmp\/(?:kubectl-)?mig-|\/work\/|\/root\//g)).toBeNull()
  })
})

test.each(readdirSync(new URL('docs/img/', root)))('the picture %s is used', (file) => {
  expect(read('README.md')).toContain(`(docs/img/${file})`)
})

/** Words of a call that no command or flag of its command is called by. */
function unknownIn(call: string): string[] {
  const words = call.replaceAll('\\\n', ' ').split(/[;>]/)[0]!.trim().split(/\s+/)
  if (words[0]!.startsWith('--')) return []
  const command: CommandEntry | undefined =
    commands[words.slice(0, 2).join(':')] ?? commands[words[0]!]
  const topic = words.length === 1 && Object.keys(commands).some((id) => id.startsWith(`${words}:`))
  if (topic) return []
  if (!command) return /^[a-z]/.test(words[0]!) ? [words.join(' ')] : []
  const flags = Object.values(command.flags).flatMap((flag) => [
    `--${flag.name}`,
    ...(flag.char ? [`-${flag.char}`] : []),
    ...(flag.allowNo ? [`--no-${flag.name}`] : []),
  ])
  return words
    .filter((word) => /^--?[a-z]/i.test(word))
    .map((word) => word.split('=')[0]!)
    .filter((word) => !flags.includes(word))
    .map((word) => `${command.id} ${word}`)
}
