import { TYPES } from './types.ts'

export type FieldType =
  | { shape: 'scalar'; scalar: Scalar }
  | { shape: 'struct'; name: string }
  | { shape: 'map'; of: FieldType }
  /** `mergeKey` names the field that tells items apart, `+` makes it a set; without it a list is one value. */
  | { shape: 'list'; of: FieldType; mergeKey: string | undefined }

export type Scalar = (typeof SCALARS)[number]

const SCALARS = [
  'any',
  'bool',
  'bytes',
  'float64',
  'int',
  'int32',
  'int64',
  'intorstring',
  'quantity',
  'string',
  'time',
  'uint',
  'uint16',
  'uint32',
  'uint8',
  'uint64',
] as const

export type Struct = ReadonlyMap<string, FieldType>

const TABLE: ReadonlyMap<string, Struct> = new Map(
  TYPES.trim()
    .split('\n')
    .map((line) => {
      const [name, ...fields] = line.trim().split(' ')
      return [name!, new Map(fields.map(parseField))]
    }),
)

const PLACES: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map(
  [...TABLE].map(([name, struct]) => [name, new Map([...struct.keys()].map((f, i) => [f, i]))]),
)

/** The fields of a type; throws for one that no line defines. */
export function structNamed(name: string): Struct {
  const struct = TABLE.get(name)
  if (!struct) throw new Error(`no type ${name}`)
  return struct
}

/** Where in a type's declaration each of its fields stands. */
export function placesIn(name: string): ReadonlyMap<string, number> {
  return PLACES.get(name) ?? new Map()
}

/** The type of a struct's field or of a map's value; undefined where nothing is known of it. */
export function fieldType(type: FieldType | undefined, field: string): FieldType | undefined {
  if (type?.shape === 'map') return type.of
  return type?.shape === 'struct' ? structNamed(type.name).get(field) : undefined
}

function parseField(text: string): [string, FieldType] {
  const colon = text.indexOf(':')
  return [text.slice(0, colon), parseType(text.slice(colon + 1))]
}

function parseType(text: string): FieldType {
  if (text.endsWith('{}')) return { shape: 'map', of: parseType(text.slice(0, -2)) }
  const list = /^(.*)\[([^[\]]*)\]$/.exec(text)
  if (list) return { shape: 'list', of: parseType(list[1]!), mergeKey: list[2] || undefined }
  const scalar = SCALARS.find((name) => name === text)
  return scalar ? { shape: 'scalar', scalar } : { shape: 'struct', name: text }
}

/** What Go calls a type: `string`, `[]v1.Container`, `map[string]string`, `v1.PodSpec`. */
export function goType(type: FieldType): string {
  switch (type.shape) {
    case 'list':
      return `[]${goType(type.of)}`
    case 'map':
      return `map[string]${goType(type.of)}`
    case 'struct':
      return `v1.${type.name.replace(/^kv\./, '')}`
    case 'scalar':
      return GO_SCALARS[type.scalar] ?? type.scalar
  }
}

const GO_SCALARS: Partial<Record<Scalar, string>> = {
  any: 'interface {}',
  bytes: '[]uint8',
  intorstring: 'intstr.IntOrString',
  quantity: 'resource.Quantity',
  time: 'v1.Time',
}
