import type { Kind } from '../kind.ts'
import { type FieldType, fieldsOf, type Scalar, structNamed } from '../schema/type-table.ts'
import { COMMON_DESCRIPTIONS, DESCRIPTIONS, KIND_DESCRIPTIONS } from './descriptions.ts'

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
      Object.assign(placeholder, structSchema(name, builtIn))
    }
    return { $ref: `#/components/schemas/${schemaName(name)}` }
  }
  const builtIn: Dialect = {
    custom: false,
    struct: refer,
    scalar(scalar, place) {
      const name = NAMED[scalar] ?? NAMED_PLACES[place]
      if (!name) return scalarSchema(scalar)
      schemas[name] = scalarSchema(scalar)
      return { $ref: `#/components/schemas/${name}` }
    },
  }
  const custom: Dialect = {
    custom: true,
    scalar: scalarSchema,
    struct: (name) => (name === 'ObjectMeta' ? refer(name) : structSchema(name, custom)),
  }

  for (const kind of kinds) {
    const schema = kind.type
      ? structSchema(kind.type, kind.builtIn ? builtIn : custom)
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

/** A custom resource's type as a CustomResourceDefinition has it: everything in place, no references. */
export function structuralSchema(type: string): JsonSchema {
  return structSchema(type, CUSTOM)
}

/** How the schema of a type within another is given, and whose words beside JSON schema's are used. */
interface Dialect {
  struct(name: string): JsonSchema
  /** @param place `Type.field` */
  scalar(scalar: Scalar, place: string): JsonSchema
  custom: boolean
}

const CUSTOM: Dialect = { custom: true, struct: structuralSchema, scalar: scalarSchema }

/** Fields in which anything may be, under a name. */
const NAMED_PLACES: Record<string, string> = {
  'ControllerRevision.data': 'io.k8s.apimachinery.pkg.runtime.RawExtension',
  'ManagedFieldsEntry.fieldsV1': 'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1',
}

/** Scalars that have schemas, and so names, of their own. */
const NAMED: Partial<Record<Scalar, string>> = {
  intorstring: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  quantity: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
}

function structSchema(name: string, dialect: Dialect): JsonSchema {
  const struct = structNamed(name)
  const own = { ...(struct.has('metadata') && COMMON_DESCRIPTIONS), ...DESCRIPTIONS[name] }
  const fields = [...struct].map(([field, type]) => [
    field,
    described(typeSchema(type, dialect, `${name}.${field}`), own[field]),
  ])
  const required = dialect.custom
    ? []
    : [...(fieldsOf(name)?.values() ?? [])].filter((f) => f.isRequired).map((f) => f.name)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(fields),
    ...(required.length > 0 && { required }),
  }
  return described(schema, KIND_DESCRIPTIONS[name])
}

function described(schema: JsonSchema, description: string | undefined): JsonSchema {
  return description === undefined ? schema : { description, ...schema }
}

function typeSchema(type: FieldType, dialect: Dialect, place: string): JsonSchema {
  switch (type.shape) {
    case 'list':
      return {
        type: 'array',
        items: typeSchema(type.of, dialect, place),
        ...(dialect.custom ? {} : mergeStrategy(type.mergeKey)),
      }
    case 'map':
      return { type: 'object', additionalProperties: typeSchema(type.of, dialect, place) }
    case 'struct':
      return dialect.struct(type.name)
    case 'scalar':
      // Times are null until they are set, and KubeVirt's definitions say so.
      return type.scalar === 'time' && dialect.custom
        ? { ...dialect.scalar(type.scalar, place), nullable: true }
        : dialect.scalar(type.scalar, place)
  }
}

/** Custom resources know no strategic merge. */
function mergeStrategy(mergeKey: string | undefined): JsonSchema {
  if (mergeKey === undefined) return {}
  return {
    'x-kubernetes-patch-strategy': 'merge',
    ...(mergeKey === '+' ? {} : { 'x-kubernetes-patch-merge-key': mergeKey }),
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
