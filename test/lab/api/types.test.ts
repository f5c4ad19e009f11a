import * as models from '@kubernetes/client-node/dist/gen/models/all.js'
import { expect, test } from 'vitest'
import { createKindTable } from '../../../src/lab/api/kind-table.ts'
import { ALL_KINDS } from '../../../src/lab/api/kinds/index.ts'
import { type FieldType, structNamed } from '../../../src/lab/api/schema/type-table.ts'

interface Model {
  getAttributeTypeMap(): { baseName: string; type: string }[]
}

/** Every type that a kind is made of, each once. */
function typesOf(root: string, seen = new Set<string>()): Set<string> {
  if (seen.has(root)) return seen
  seen.add(root)
  const visit = (type: FieldType): void => {
    if (type.shape === 'struct') typesOf(type.name, seen)
    if (type.shape === 'list' || type.shape === 'map') visit(type.of)
  }
  for (const type of structNamed(root).values()) visit(type)
  return seen
}

test('every type that a kind is made of is in the table', () => {
  for (const { type } of createKindTable(ALL_KINDS).all)
    if (type) expect(typesOf(type).size).toBeGreaterThan(0)
})

test("the fields of Kubernetes' own types are those of the client library's models", () => {
  const types = ALL_KINDS.flatMap(({ type, builtIn }) =>
    builtIn && type ? [...typesOf(type)] : [],
  )
  const compared = new Set<string>()
  for (const name of new Set(types)) {
    const model = (models as unknown as Record<string, Model>)[`V1${name}`]
    if (!model) continue
    const fields = model.getAttributeTypeMap().map(({ baseName }) => baseName)
    expect([name, ...[...structNamed(name).keys()].sort()]).toEqual([name, ...fields.sort()])
    compared.add(name)
  }
  expect(compared.size).toBeGreaterThan(150)
})
