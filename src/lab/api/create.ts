import { randomBytes, randomUUID } from 'node:crypto'
import { runMutation, runValidation } from './admission/hook.ts'
import { type Api, admissionRequest, timestamp, type WriteOptions } from './api.ts'
import { trackUpdate } from './apply/track.ts'
import { inOrder } from './field-order.ts'
import type { ApiObject, Kind } from './kind.ts'
import { dropEmptyMaps } from './metadata.ts'
import { demandNamespace } from './namespaces.ts'
import { alreadyExists, badRequest, invalid, StatusError } from './status.ts'
import { demandSpec, validateObject } from './validate.ts'

/**
 * Creates the object, which becomes the server's own (pass a private copy). Everything that can refuse it does so
 * before anything is written.
 */
export function create(
  api: Api,
  kind: Kind,
  namespace: string | undefined,
  sent: ApiObject,
  options: WriteOptions,
): ApiObject {
  const { store } = api
  placeIn(kind, sent, namespace)
  const { metadata } = sent
  if (metadata.resourceVersion)
    throw new StatusError(
      500,
      undefined,
      'resourceVersion should not be set on objects to be created',
    )
  if (!metadata.name && metadata.generateName)
    metadata.name = generateName(metadata.generateName, (name) =>
      Boolean(store.get(kind, metadata.namespace, name)),
    )
  demandNamespace(api, kind, metadata.namespace, metadata.name ?? '')
  if (!metadata.name)
    throw invalid(kind, '', [
      {
        field: 'metadata.name',
        reason: 'FieldValueRequired',
        message: 'Required value: name or generateName is required',
      },
    ])
  stampNew(kind, sent, api.now())
  kind.defaults?.(sent)
  demandSpec(kind, sent, true)
  // Before anything is added: what the server and its webhooks do belongs to nobody.
  if (!options.ownershipSettled) trackUpdate(api, kind, undefined, sent, options, '')
  kind.prepare?.(sent)

  const request = {
    ...admissionRequest(api, kind, metadata, options),
    operation: 'CREATE' as const,
    subresource: '',
    oldObject: undefined,
  }
  const object = runMutation(api.admission, { ...request, object: sent })
  dropEmptyMaps(object)
  validateObject(kind, object, undefined)
  const effects = runValidation(api.admission, { ...request, object })
  const present = store.get(kind, metadata.namespace, metadata.name)
  if (present) throw taken(kind, present, sent.metadata.generateName)
  if (options.dryRun) return inOrder(kind, object)
  const stored = store.insert(kind, object)
  for (const effect of effects) effect()
  return stored
}

/** 409; whoever had a name generated, or gave one beside it, may try again. */
function taken(kind: Kind, { metadata }: ApiObject, generateName: string | undefined): StatusError {
  const refusal = alreadyExists(kind, metadata.name)
  const { status } = refusal
  if (generateName) {
    status.message += ', the server was not able to generate a unique name for the object'
    status.details = { ...status.details, retryAfterSeconds: 1 }
  } else if (metadata.deletionTimestamp)
    status.message = `object is being deleted: ${status.message}`
  return refusal
}

function placeIn(kind: Kind, object: ApiObject, namespace: string | undefined): void {
  const { metadata } = object
  if (!kind.namespaced) {
    delete metadata.namespace
    return
  }
  if (namespace !== undefined && metadata.namespace && metadata.namespace !== namespace)
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    )
  metadata.namespace = namespace ?? metadata.namespace ?? 'default'
}

function stampNew(kind: Kind, object: ApiObject, now: number): void {
  const { metadata } = object
  metadata.uid = randomUUID()
  metadata.creationTimestamp = timestamp(now)
  delete metadata.resourceVersion
  Reflect.deleteProperty(metadata, 'selfLink')
  delete metadata.deletionTimestamp
  delete metadata.deletionGracePeriodSeconds
  if (kind.hasGeneration) metadata.generation = 1
  if (kind.hasStatus && !kind.keepsStatusOnCreate) delete object['status']
}

/** Kubernetes' alphabet: no vowels (no words), nothing that is mistaken for another sign. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'
const MAX_GENERATED_PREFIX = 58

function generateName(prefix: string, taken: (name: string) => boolean): string {
  for (;;) {
    const suffix = Array.from(randomBytes(5), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
    const name = prefix.slice(0, MAX_GENERATED_PREFIX) + suffix
    if (!taken(name)) return name
  }
}
