import fastJsonPatch, { type Operation } from 'fast-json-patch'
import type { PatchedBy } from './decode-object.ts'
import { parseJson } from './json.ts'
import type { ApiObject, Kind } from './kind.ts'
import { complaintsOf, sortedAlong, touchedBy } from './patch-texts.ts'
import { goText } from './schema/fault-texts.ts'
import { jsonType } from './schema/scalars.ts'
import { badRequest, StatusError, unprocessablePatch, unsupportedMediaType } from './status.ts'
import { strategicMerge } from './strategic-merge.ts'
import { duplicatesFirst, notesOfJson } from './text-notes.ts'

/** What a request wants changed. */
interface Patch {
  /** @throws StatusError 422 where it does not fit the object */
  change(current: ApiObject): ApiObject
  /** For the refusal of what came of it. */
  patchedBy(patched: ApiObject): PatchedBy
}

type Change = Patch['change']

/** @throws StatusError 415 for a sort of patch that the object's kind does not take, 400 for a malformed one */
export function parsePatch(kind: Kind, contentType: string, text: string): Patch {
  const accepted = [
    'application/json-patch+json',
    'application/merge-patch+json',
    ...(kind.builtIn ? ['application/strategic-merge-patch+json'] : []),
    'application/apply-patch+yaml',
  ]
  if (!PATCH_TYPES.includes(contentType))
    throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})
  if (!accepted.includes(contentType)) throw unsupportedMediaType(accepted)
  const prefix = contentType.startsWith('application/strategic') ? '' : 'error decoding patch: '
  const patch = parse(text, prefix)
  const complaints = duplicatesFirst(notesOfJson(text, patch), [])
  if (contentType === 'application/json-patch+json')
    return {
      change: jsonPatch(patch),
      patchedBy: (patched) => ({
        quote: () => JSON.stringify(sortedAlong(touchedBy(patch as Operation[]), patched)),
        isStrategic: false,
        complaints: complaintsOf(text, patch as object[]),
      }),
    }
  const isMerge = contentType === 'application/merge-patch+json'
  if (!isObject(patch))
    throw badRequest(
      `${prefix}json: cannot unmarshal ${jsonType(patch)} into Go value of type map[string]interface {}`,
    )
  if (isMerge)
    return {
      change: (current) => mergePatch(current, patch) as ApiObject,
      patchedBy: (patched) => ({
        quote: () => JSON.stringify(sortedAlong(patch, patched)),
        isStrategic: false,
        complaints,
      }),
    }
  return {
    change: (current) => strategicMerge(kind, structuredClone(current), patch),
    patchedBy: () => ({ quote: () => goText(patch), isStrategic: true, complaints }),
  }
}

const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
]

function parse(text: string, prefix: string): unknown {
  try {
    return parseJson(text)
  } catch (err) {
    throw err instanceof SyntaxError ? badRequest(`${prefix}${err.message}`) : err
  }
}

function jsonPatch(patch: unknown): Change {
  demandOperations(patch)
  return (current) => {
    try {
      let document = structuredClone(current)
      for (const operation of patch as Operation[])
        if (!holdsByAbsence(document, operation))
          document = fastJsonPatch.applyOperation(document, asMeant(document, operation), true)
            .newDocument as ApiObject
      if (isContainer(document)) return document
    } catch {
      throw unprocessablePatch()
    }
    // The whole was replaced by what is no object.
    throw unprocessablePatch()
  }
}

/** @throws StatusError 400 for what is no list of operations, 413 for too many */
function demandOperations(patch: unknown): asserts patch is Operation[] {
  const refuse = (value: unknown, place: string) =>
    badRequest(`error decoding patch: json: cannot unmarshal ${jsonType(value)} into Go ${place}`)
  if (!Array.isArray(patch)) throw refuse(patch, 'value of type []handlers.jsonPatchOp')
  for (const operation of patch as unknown[]) {
    if (operation === null) continue
    if (!isObject(operation)) throw refuse(operation, 'value of type handlers.jsonPatchOp')
    for (const field of ['op', 'path', 'from'])
      if (typeof (operation[field] ?? '') !== 'string')
        throw refuse(operation[field], `struct field jsonPatchOp.${field} of type string`)
  }
  if (patch.length > MAX_OPERATIONS)
    throw new StatusError(
      413,
      'RequestEntityTooLarge',
      `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`,
    )
}

/** To Kubernetes' library, what is not there is null. */
function holdsByAbsence(document: object, operation: Operation): boolean {
  return operation.op === 'test' && operation.value === null && isMissing(document, operation.path)
}

/** It replaces even a member that is not there, and takes a missing value for null. */
function asMeant(document: object, sent: Operation): Operation {
  const isWriting = sent.op === 'add' || sent.op === 'replace'
  const operation = isWriting ? { ...sent, value: sent.value ?? null } : sent
  return operation.op === 'replace' && isMissing(document, operation.path)
    ? { ...operation, op: 'add' }
    : operation
}

/** Whether the path leads to an object that has no such member. */
function isMissing(document: object, path: string): boolean {
  const names = path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = names.pop()
  let parent: unknown = document
  for (const name of names)
    parent = isContainer(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined
  return isObject(parent) && last !== undefined && !Object.hasOwn(parent, last)
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Kubernetes' own limit for one JSON patch. */
const MAX_OPERATIONS = 10_000

/**
 * RFC 7386: null deletes, objects merge, everything else replaces; of what is new, nulls are dropped even in the objects of
 * lists, as Kubernetes' library does. Never changes its arguments.
 */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return Array.isArray(patch) && !isObject(target) ? pruned(patch) : patch
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {}
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete result[field]
    else result[field] = mergePatch(result[field], value)
  }
  return result
}

function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruned)
  if (!isObject(value)) return value
  const fields = Object.entries(value).filter(([, field]) => field !== null)
  return Object.fromEntries(fields.map(([name, field]) => [name, pruned(field)]))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
