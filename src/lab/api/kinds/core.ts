import { dnsLabelFaults } from '../formats.ts'
import { ageOf } from '../human-duration.ts'
import { type ApiObject, type Column, defineKind, type Kind } from '../kind.ts'
import type { FieldError } from '../status.ts'
import { EVENT } from './event.ts'
import { required } from './faults.ts'
import { pick, text } from './fields.ts'
import { NODE } from './node.ts'
import { POD } from './pod.ts'
import { RESOURCE_QUOTA } from './resource-quota.ts'
import { SERVICE } from './service.ts'

const AGE: Column = {
  name: 'Age',
  cell: (object, now) => ageOf(object.metadata.creationTimestamp, now),
}

const NAMESPACE = defineKind({
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  nameFaults: dnsLabelFaults,
  shortNames: ['ns'],
  namespaced: false,
  isDeletedSingly: true,
  hasStatus: true,
  returnsDeleted: true,
  fields: { 'status.phase': (o) => text(o, 'status.phase') },
  subresources: [{ name: 'finalize', verbs: ['update'] }],
  columns: [{ name: 'Status', cell: 'status.phase' }, AGE],
  defaults(object) {
    object.metadata.labels = {
      ...object.metadata.labels,
      'kubernetes.io/metadata.name': object.metadata.name,
    }
  },
  prepare(object) {
    object['spec'] = { ...(pick(object, 'spec') as object), finalizers: ['kubernetes'] }
    object['status'] = { phase: 'Active' }
  },
  // What lies in it goes first (namespace-content.ts).
  isHeld: (object) => ((pick(object, 'spec.finalizers') as string[] | undefined) ?? []).length > 0,
  onDeletion: (object) => ({
    ...object,
    status: { ...(pick(object, 'status') as object), phase: 'Terminating' },
  }),
})

const CONFIG_MAP = defineKind({
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  shortNames: ['cm'],
  columns: [{ name: 'Data', cell: (o) => count(o, 'data', 'binaryData') }, AGE],
  validate: (object) => [...keyFaults(object), ...sizeFaults(object, '[]')],
})

const SECRET = defineKind({
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  fields: { type: (o) => text(o, 'type') },
  columns: [
    { name: 'Type', cell: 'type' },
    { name: 'Data', type: 'integer', cell: (o) => count(o, 'data') },
    AGE,
  ],
  validate: (object) => [
    ...keyFaults(object),
    ...sizeFaults(object, 'data'),
    ...certificateFaults(object),
  ],
  defaults(object) {
    object['type'] ??= 'Opaque'
    const { stringData } = object as { stringData?: Record<string, string> }
    if (!stringData) return
    const encoded = Object.entries(stringData).map(([key, value]) => [
      key,
      Buffer.from(value).toString('base64'),
    ])
    object['data'] = { ...(pick(object, 'data') as object), ...Object.fromEntries(encoded) }
    delete object['stringData']
  },
})

const SERVICE_ACCOUNT = defineKind({
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  shortNames: ['sa'],
  returnsDeleted: true,
  columns: [
    {
      name: 'Secrets',
      type: 'integer',
      cell: (o) => ((pick(o, 'secrets') as unknown[] | undefined) ?? []).length,
    },
    AGE,
  ],
})

const LIMIT_RANGE = defineKind({
  group: '',
  version: 'v1',
  plural: 'limitranges',
  kind: 'LimitRange',
  shortNames: ['limits'],
  columns: [{ name: 'Created At', cell: 'metadata.creationTimestamp' }],
})

export const CORE_KINDS: Kind[] = [
  CONFIG_MAP,
  EVENT,
  LIMIT_RANGE,
  NAMESPACE,
  NODE,
  POD,
  RESOURCE_QUOTA,
  SECRET,
  SERVICE_ACCOUNT,
  SERVICE,
]

function count(object: ApiObject, ...fields: string[]): number {
  return fields.reduce(
    (sum, field) => sum + Object.keys((pick(object, field) as object) ?? {}).length,
    0,
  )
}

function keyFaults(object: ApiObject): FieldError[] {
  const binary = (pick(object, 'binaryData') as object | undefined) ?? {}
  const twice = Object.keys((pick(object, 'data') as object | undefined) ?? {})
    .filter((key) => Object.hasOwn(binary, key))
    .map((key) => invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'))
  const malformed = ['data', 'binaryData'].flatMap((field) =>
    Object.keys((pick(object, field) as object | undefined) ?? {})
      .filter((key) => !/^[-._a-zA-Z0-9]+$/.test(key))
      .map((key) =>
        invalidValue(
          `${field}[${key}]`,
          key,
          "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
        ),
      ),
  )
  return [...malformed, ...twice]
}

/** Bytes of all values of a config map or of a secret. */
const MAX_SIZE = 1024 * 1024

/** @param field where it is said to be: a config map's has no name */
function sizeFaults(object: ApiObject, field: string): FieldError[] {
  const sizes = [
    ...valuesOf(object, 'data').map((value) =>
      object.kind === 'Secret' ? base64Size(value) : Buffer.byteLength(value),
    ),
    ...valuesOf(object, 'binaryData').map(base64Size),
  ]
  if (sizes.reduce((sum, size) => sum + size, 0) <= MAX_SIZE) return []
  const message = `Too long: may not be more than ${MAX_SIZE} bytes`
  return [{ field, reason: 'FieldValueTooLong', message }]
}

function valuesOf(object: ApiObject, field: string): string[] {
  return Object.values((pick(object, field) as Record<string, string> | undefined) ?? {})
}

function base64Size(text: string): number {
  return Buffer.from(text, 'base64').length
}

/** A secret of this type holds a certificate and its key. */
function certificateFaults(object: ApiObject): FieldError[] {
  if (text(object, 'type') !== 'kubernetes.io/tls') return []
  const data = (pick(object, 'data') as object | undefined) ?? {}
  return ['tls.crt', 'tls.key']
    .filter((key) => !Object.hasOwn(data, key))
    .map((key) => required(`data[${key}]`))
}

function invalidValue(field: string, value: string, why: string): FieldError {
  const message = `Invalid value: ${JSON.stringify(value)}: ${why}`
  return { field, reason: 'FieldValueInvalid', message }
}
