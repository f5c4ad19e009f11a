import { TYPES } from './types.ts'

export type FieldType =
  | { shape: 'scalar'; scalar: Scalar }
  | { shape: 'struct'; name: string }
  | { shape: 'map'; of: FieldType }
  /**
   * `mergeKey` names the field that tells items apart, `+` makes it a set; without it a list is one value. Server-side
   * apply tells them apart by all `keys`.
   */
  | { shape: 'list'; of: FieldType; mergeKey: string | undefined; keys: readonly string[] }

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

/** A field as the table has it. */
export interface Field {
  name: string
  type: FieldType
  /** Go writes it even where nothing is in it: it is in every object. */
  isAlways: boolean
  /** Whether it must be there, as Kubernetes publishes it. */
  isRequired: boolean
  /** Its number in protobuf, after those of the messages that it is embedded in; empty for none. */
  numbers: readonly number[]
  /** Whether 0, false and an empty text are values: else they are none. */
  keepsZero: boolean
}

const FIELDS: ReadonlyMap<string, ReadonlyMap<string, Field>> = new Map(
  TYPES.trim()
    .split('\n')
    .map((line) => {
      const [name, ...fields] = line.trim().split(' ')
      return [name!, new Map(fields.map(parseField).map((field) => [field.name, field]))]
    }),
)

const TABLE: ReadonlyMap<string, Struct> = new Map(
  [...FIELDS].map(([name, fields]) => [
    name,
    new Map([...fields].map(([field, { type }]) => [field, type])),
  ]),
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

/** All that the table has of a type's fields; undefined for no type. */
export function fieldsOf(name: string): ReadonlyMap<string, Field> | undefined {
  return FIELDS.get(name)
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

function parseField(text: string): Field {
  const [, name = '', type = '', always, demanded, numbers, zero] =
    /^(\w+):(.*?)(!?)(\*?)(?:=([\d.]+)(\??))?$/.exec(text) ?? []
  return {
    name,
    type: parseType(type),
    isAlways: always === '!',
    isRequired: demanded === '*',
    numbers: numbers === undefined ? [] : numbers.split('.').map(Number),
    keepsZero: zero === '?',
  }
}

function parseType(text: string): FieldType {
  if (text.endsWith('{}')) return { shape: 'map', of: parseType(text.slice(0, -2)) }
  const list = /^(.*)\[([^[\]]*)\]$/.exec(text)
  if (list) {
    const keys = list[2]?.split(',').filter((key) => key !== '') ?? []
    return { shape: 'list', of: parseType(list[1]!), mergeKey: keys[0], keys }
  }
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
      return `v1.${type.name.replace(/^\w+\./, '')}`
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
