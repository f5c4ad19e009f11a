import { timestamp } from '../api.ts'
import { MESSAGES } from './messages.ts'
import { type WireField, wireFields } from './wire.ts'

type Json = Record<string, unknown>

/** Every Kubernetes protobuf body begins with this, then comes runtime.Unknown. */
const MAGIC = Buffer.from('k8s\0')

/**
 * The object in a protobuf body, as JSON would have it. Undefined when it is of a kind that no table describes;
 * RangeError when it is no protobuf.
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
  const name = `${apiVersion} ${kind}`
  return MESSAGES[name] === undefined
    ? undefined
    : { apiVersion, kind, ...decodeMessage(name, raw) }
}

interface FieldType {
  name: string
  type: string
  shape: 'one' | 'list' | 'map'
}

function decodeMessage(message: string, bytes: Uint8Array): Json {
  const types = fieldsOf(message)
  const result: Json = {}
  for (const { number, value } of wireFields(bytes)) {
    const field = types.get(number)
    if (!field) continue
    const { name, type, shape } = field
    if (shape === 'list')
      result[name] = [...((result[name] as unknown[]) ?? []), scalar(type, value)]
    else if (shape === 'map')
      result[name] = { ...(result[name] as Json), ...mapEntry(type, bytesOf(value)) }
    else {
      const decoded = scalar(type, value)
      if (decoded !== undefined && decoded !== '') result[name] = decoded
    }
  }
  return result
}

function mapEntry(type: string, bytes: Uint8Array): Json {
  let key = ''
  let value: unknown = ''
  for (const field of wireFields(bytes)) {
    if (field.number === 1) key = textOf(field.value)
    if (field.number === 2) value = scalar(type, field.value)
  }
  return { [key]: value }
}

function scalar(type: string, value: WireField['value']): unknown {
  switch (type) {
    case 'string':
      return textOf(value)
    case 'bytes':
      return Buffer.from(bytesOf(value)).toString('base64')
    case 'bool':
      return value !== 0n
    case 'int?':
      return Number(value)
    case 'int':
      return value === 0n ? undefined : Number(value)
    case 'Quantity':
      return textOf(fieldOf(value, 1) ?? new Uint8Array())
    case 'IntOrString':
      return fieldOf(value, 1) === 1n ? textOf(fieldOf(value, 3)!) : Number(fieldOf(value, 2) ?? 0)
    case 'Time': {
      const seconds = fieldOf(value, 1)
      return seconds === undefined ? undefined : timestamp(Number(seconds) * 1000)
    }
    default:
      return decodeMessage(type, bytesOf(value))
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

function fieldsOf(message: string): Map<number, FieldType> {
  return new Map(
    (MESSAGES[message] ?? '').split(' ').map((entry) => {
      const [, name, number, type, shape] =
        /^(\w+)=(\d+)(?::(\w+\??))?(\[\]|\{\})?$/.exec(entry) ?? []
      const shapes = { '[]': 'list', '{}': 'map' } as const
      return [
        Number(number),
        {
          name: name!,
          type: type ?? 'string',
          shape: shape ? shapes[shape as '[]' | '{}'] : 'one',
        },
      ]
    }),
  )
}
