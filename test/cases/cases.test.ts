import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import schema from '../../schema/diagnosis-report.json' with { type: 'json' }
import { diagnoseFiles } from '../../src/diagnose/from-files.ts'
import { exitCodeOf } from '../../src/diagnose/outcome.ts'
import { asStream, caseFiles, caseKeys, faultsOf } from './cases.ts'

const validate = new Ajv({ allErrors: true }).compile(schema)
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mig-cases-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function report(kind: string, id: string) {
  const paths: string[] = []
  for (const { name, text } of caseFiles(kind, id)) {
    const path = join(folder, `${kind}-${id}-${name}`)
    await writeFile(path, text)
    paths.push(path)
  }
  return diagnoseFiles({ paths, stdin: asStream(''), generatedAt: 0 })
}

for (const [kind, title] of [
  ['public', 'what operators reported in public'],
  ['recorded', 'recorded control planes with something wrong, or nothing'],
] as const) {
  const keys = caseKeys(kind)
  describe(title, () => {
    test.each(Object.keys(keys).sort())('%s', async (id) => {
      const key = keys[id]!
      const found = await report(kind, id)
      const others = Object.entries(keys).flatMap(([other, k]) => (other === id ? [] : [k]))
      expect(faultsOf(key, found, exitCodeOf(found, { failOn: 'fail' }), others)).toEqual([])
      expect(validate(found) ? [] : validate.errors).toEqual([])
    })
  })
}

test('the same files give the same report', async () => {
  const [first, second] = [await report('recorded', '213'), await report('recorded', '213')]
  expect(second).toEqual(first)
})
