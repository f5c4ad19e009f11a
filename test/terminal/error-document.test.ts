import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { EXIT } from '../../src/errors.ts'
import { errorDocument } from '../../src/terminal/error-document.ts'

const ERROR = { exit: EXIT.notFound, message: 'no VM "vm-9"' }
const NOW = Date.parse('2026-11-29T15:20:22Z')
const DOCUMENT = {
  apiVersion: 'kubectl-mig/v1alpha1',
  kind: 'ErrorReport',
  generatedAt: '2026-11-29T15:20:22.000Z',
  error: { exit: 9, message: 'no VM "vm-9"', hint: null },
}

test.each([
  'status vm-9 -o json',
  'status vm-9 -ojson',
  'status vm-9 -o=json',
  'status -Ao json',
  'status vm-9 --output json',
  'status vm-9 --output=json',
  'status -o yaml -o json',
])('%s asks for a document', async (line) => {
  const text = await errorDocument(ERROR, line.split(' '), NOW)
  expect(JSON.parse(text!)).toEqual(DOCUMENT)
})

test.each(['status vm-9', 'status -o wide', 'diagnose -o junit', 'status -o', 'status -- -o json'])(
  '%s does not',
  async (line) => {
    expect(await errorDocument(ERROR, line.split(' '), NOW)).toBeUndefined()
  },
)

test('while watching, it is one of many', async () => {
  const line = await errorDocument(ERROR, ['status', '-w', '-o', 'json'], NOW)
  expect(line).toBe(`${JSON.stringify(DOCUMENT)}\n`)
  const yaml = await errorDocument(ERROR, ['status', '--watch', '-o', 'yaml'], NOW)
  expect(yaml).toMatch(/^---\n/)
  expect(parse(yaml!)).toEqual(DOCUMENT)
})

test('it is what its schema says', async () => {
  const file = new URL('../../schema/error-report.json', import.meta.url)
  const validate = new Ajv({ validateFormats: false }).compile(
    JSON.parse(readFileSync(file, 'utf8')),
  )
  const told = { ...ERROR, hint: 'kubectl get vm' }
  const text = await errorDocument(told, ['queue', '-o', 'json'], NOW)
  expect(validate(JSON.parse(text!))).toBe(true)
})
