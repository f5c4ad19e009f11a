import { timestamp } from '../api.ts'
import { type Field, type FieldType, fieldsOf, type Scalar } from '../schema/type-table.ts'
import { type WireField, wireFields } from './wire.ts'

type Json = Record<string, unknown>

/** Every Kubernetes protobuf body begins with this, then comes runtime.Unknown. */
const MAGIC = Buffer.from('k8s\0')

/**
 * The object in a protobuf body, as JSON would have it: kubectl writes whatever it builds itself so (from 1.32 on).
 * Undefined when it is of a kind that the table of types knows no numbers of; RangeError when it is no protobuf.
 */
export function decodeObject(body: Uint8Array): Json | undefined {
  if (!MAGIC.equals(body.subarray(0, 4)))
    throw new RangeError(
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    )
  let apiVersion = ''
  let kind = ''
  let raw: Uint8Array = new Uint8Array()
  for (const { number, value } of wireFields(body.subarray(4))) {
    if (number === 2) raw = bytesOf(value)
    if (number !== 1) continue
    for (const field of wireFields(bytesOf(value))) {
      if (field.number === 1) apiVersion = textOf(field.value)
      if (field.number === 2) kind = textOf(field.value)
    }
  }
  const members = membersOf(kind)
  return members.size === 0 ? undefined : { apiVersion, kind, ...decodeMessage(members, raw) }
}

/** What a number stands for: a field, or a message whose fields are the outer one's. */
type Members = Map<number, Field | Members>

function membersOf(typeName: string): Members {
  const root: Members = new Map()
  for (const field of fieldsOf(typeName)?.values() ?? []) {
    const [last, ...outer] = field.numbers.toReversed()
    if (last === undefined) continue
    let at = root
    for (const number of outer.reverse()) {
      const known = at.get(number)
      const inner: Members = known instanceof Map ? known : new Map()
      at.set(number, inner)
      at = inner
    }
    at.set(last, field)
  }
  return root
}

function decodeMessage(members: Members, bytes: Uint8Array): Json {
  const result: Json = {}
  for (const { number, value } of wireFields(bytes)) {
    const member = members.get(number)
    if (!member) continue
    if (member instanceof Map) {
      Object.assign(result, decodeMessage(member, bytesOf(value)))
      continue
    }
    const { name, type, keepsZero } = member
    if (type.shape === 'list')
      result[name] = [...((result[name] as unknown[]) ?? []), decodeValue(type.of, value)]
    else if (type.shape === 'map')
      result[name] = { ...(result[name] as Json), ...mapEntry(type.of, bytesOf(value)) }
    else {
      const decoded = decodeValue(type, value)
      if (decoded !== undefined && (keepsZero || !isZero(decoded))) result[name] = decoded
    }
  }
  return result
}

function isZero(value: unknown): boolean {
  return value === 0 || value === false || value === ''
}

function mapEntry(type: FieldType, bytes: Uint8Array): Json {
  let key = ''
  let value: unknown = ''
  for (const field of wireFields(bytes)) {
    if (field.number === 1) key = textOf(field.value)
    if (field.number === 2) value = decodeValue(type, field.value)
  }
  return { [key]: value }
}

function decodeValue(type: FieldType, value: WireField['value']): unknown {
  if (type.shape === 'struct') return decodeMessage(membersOf(type.name), bytesOf(value))
  return type.shape === 'scalar' ? scalar(type.scalar, value) : undefined
}

function scalar(type: Scalar, value: WireField['value']): unknown {
  switch (type) {
    case 'any':
      return JSON.parse(textOf(fieldOf(value, 1) ?? Buffer.from('null')))
    case 'string':
      return textOf(value)
    case 'bytes':
      return Buffer.from(bytesOf(value)).toString('base64')
    case 'bool':
      return value !== 0n
    case 'quantity':
      return textOf(fieldOf(value, 1) ?? new Uint8Array())
    case 'intorstring':
      return fieldOf(value, 1) === 1n ? textOf(fieldOf(value, 3)!) : Number(fieldOf(value, 2) ?? 0)
    case 'time': {
      const seconds = fieldOf(value, 1)
      return seconds === undefined ? undefined : timestamp(Number(seconds) * 1000)
    }
    default:
      return Number(value)
  }
}

function fieldOf(message: WireField['value'], number: number): WireField['value'] | undefined {
  for (const field of wireFields(bytesOf(message))) if (field.number === number) return field.value
  return undefined
}

function bytesOf(value: WireField['value']): Uint8Array {
  if (typeof value === 'bigint') throw new RangeError('wrong wireType')
  return value
}

function textOf(value: WireField['value']): string {
  return Buffer.from(bytesOf(value)).toString('utf8')
}
