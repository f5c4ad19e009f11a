import type { Kind } from '../kind.ts'
import { type FieldType, type Scalar, structNamed } from '../schema/type-table.ts'

export type JsonSchema = Record<string, unknown>

/**
 * The schemas of kinds and of all that they are made of, by name: as Kubernetes publishes them, built-in kinds refer to
 * one schema a type, custom resources are written out in place (but for their metadata).
 */
export function schemasOf(kinds: Kind[]): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {}
  const refer = (name: string): JsonSchema => {
    if (!schemas[schemaName(name)]) {
      const placeholder: JsonSchema = {}
      schemas[schemaName(name)] = placeholder
      Object.assign(placeholder, structSchema(name, refer))
    }
    return { $ref: `#/components/schemas/${schemaName(name)}` }
  }
  const inline = (name: string): JsonSchema =>
    name === 'ObjectMeta' ? refer(name) : structSchema(name, inline)

  for (const kind of kinds) {
    const schema = kind.type
      ? structSchema(kind.type, kind.builtIn ? refer : inline)
      : { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    schemas[kindSchemaName(kind)] = {
      ...schema,
      'x-kubernetes-group-version-kind': [
        { group: kind.group, version: kind.version, kind: kind.kind },
      ],
    }
  }
  return schemas
}

export function kindSchemaName({ group, version, kind }: Kind): string {
  const reversed = (group || 'core.api.k8s.io').split('.').reverse().join('.')
  return `${reversed}.${version}.${kind}`
}

function schemaName(type: string): string {
  return `io.k8s.types.v1.${type.replace(/^kv\./, '')}`
}

function structSchema(name: string, struct: (name: string) => JsonSchema): JsonSchema {
  const fields = [...structNamed(name)].map(([field, type]) => [field, typeSchema(type, struct)])
  return { type: 'object', properties: Object.fromEntries(fields) }
}

function typeSchema(type: FieldType, struct: (name: string) => JsonSchema): JsonSchema {
  switch (type.shape) {
    case 'list':
      return {
        type: 'array',
        items: typeSchema(type.of, struct),
        ...(type.mergeKey === undefined ? {} : { 'x-kubernetes-patch-strategy': 'merge' }),
        ...(type.mergeKey && type.mergeKey !== '+'
          ? { 'x-kubernetes-patch-merge-key': type.mergeKey }
          : {}),
      }
    case 'map':
      return { type: 'object', additionalProperties: typeSchema(type.of, struct) }
    case 'struct':
      return struct(type.name)
    case 'scalar':
      return scalarSchema(type.scalar)
  }
}

function scalarSchema(scalar: Scalar): JsonSchema {
  switch (scalar) {
    case 'any':
      return { 'x-kubernetes-preserve-unknown-fields': true }
    case 'bool':
      return { type: 'boolean' }
    case 'bytes':
      return { type: 'string', format: 'byte' }
    case 'float64':
      return { type: 'number', format: 'double' }
    case 'intorstring':
    case 'quantity':
      return {
        'x-kubernetes-int-or-string': true,
        anyOf: [{ type: 'integer' }, { type: 'string' }],
      }
    case 'string':
      return { type: 'string' }
    case 'time':
      return { type: 'string', format: 'date-time' }
    default:
      return { type: 'integer', format: /(8|16|32)$/.test(scalar) ? 'int32' : 'int64' }
  }
}
