import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { commandPages, type DocumentedManifest } from '../../tools/docs/command-pages.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const manifest: DocumentedManifest = JSON.parse(read('oclif.manifest.json'))

test('the pages of docs/commands are what the commands give (npm run build renews them)', () => {
  const folder = new URL('docs/commands/', root)
  const committed = readdirSync(folder).map((file) => [
    file,
    readFileSync(new URL(file, folder), 'utf8'),
  ])
  expect(Object.fromEntries(committed)).toEqual(commandPages(manifest))
})

describe.each(Object.values(manifest.commands).filter(({ hidden }) => !hidden))(
  'the help of $id',
  ({ id, summary, examples = [], flags, args }) => {
    test('says in one line what it does', () => {
      expect(summary).toMatch(/^[A-Z].{10,}[^.]$/)
    })

    test('has two examples, each with a word on it', () => {
      expect(examples.length).toBeGreaterThanOrEqual(2)
      for (const example of examples) {
        const { description, command } = example as { description: string; command: string }
        expect(description).toMatch(/\w{3}/)
        expect(command).toContain('<%= config.bin %> <%= command.id %>')
      }
    })

    test('gives flags in its examples that exist', () => {
      const known = Object.values(flags).flatMap((flag) => [
        `--${flag.name}`,
        ...(flag.char ? [`-${flag.char}`] : []),
        ...(flag.allowNo ? [`--no-${flag.name}`] : []),
      ])
      for (const example of examples) {
        const command = typeof example === 'string' ? example : example.command
        const own = command.split('<%= command.id %>')[1]!.split(/[|)]/)[0]!
        const given = own.match(/(?<=\s)--?[a-z][-a-z]*/g) ?? []
        expect(given.filter((flag) => !known.includes(flag))).toEqual([])
      }
    })

    test('describes every flag and argument', () => {
      const all = [...Object.values(flags), ...Object.values(args)]
      expect(
        all.filter(({ description }) => !description).map(({ name }) => `${id} ${name}`),
      ).toEqual([])
    })
  },
)
