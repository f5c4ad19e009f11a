import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CATALOGUE } from '../../src/diagnose/catalogue.ts'

test('every code of the catalogue is one that a check, a known text or the verdict gives', () => {
  const folder = new URL('../../src/diagnose/', import.meta.url)
  const given = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && file !== 'catalogue.ts')
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
    .join('\n')
  expect(Object.keys(CATALOGUE).filter((code) => !given.includes(`'${code}'`))).toEqual([])
})
