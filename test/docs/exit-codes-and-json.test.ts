import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { EXIT } from '../../src/errors.ts'

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('docs/exit-codes-and-json.md', root), 'utf8')

/** The first column of a section's table. */
function firstColumn(title: string): string[] {
  const section = page.split(/^#+ /m).find((text) => text.startsWith(`${title}\n`)) ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('| '))
  return rows.slice(2).map((line) => line.split('|')[1]!.trim())
}

test('the page names every exit code, and no other', () => {
  const codes = Object.values(EXIT).sort((a, b) => a - b)
  expect(firstColumn('Exit codes')).toEqual(codes.map(String))
})

interface Schema {
  title: string
  properties?: Record<string, Schema>
  oneOf?: Schema[]
}

const schemas = readdirSync(new URL('schema/', root)).map(
  (file): Schema => JSON.parse(readFileSync(new URL(`schema/${file}`, root), 'utf8')),
)

test.each(schemas)(
  'the page names every field of $title, and no other',
  ({ title, properties }) => {
    const documented = firstColumn(title).flatMap((cell) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => path!),
    )
    expect(documented).toEqual(
      Object.entries(properties!).flatMap(([name, schema]) => {
        const inner = documented.some((path) => path.startsWith(`${name}.`)) && fieldsOf(schema)
        return inner ? inner.map((field) => `${name}.${field}`) : [name]
      }),
    )
  },
)

/** Of an object that may be null. */
function fieldsOf({ properties, oneOf = [] }: Schema): string[] {
  return Object.keys(properties ?? oneOf.find((one) => one.properties)?.properties ?? {})
}
