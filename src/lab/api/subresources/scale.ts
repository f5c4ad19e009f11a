import type { Api } from '../api.ts'
import { mediaTypeOf, readBody } from '../body.ts'
import { decodeOptions, readObject, writeOptions } from '../call-options.ts'
import { decodeObject } from '../decode-object.ts'
import { inOrder } from '../field-order.ts'
import type { Call } from '../handler.ts'
import { type ApiObject, defineKind, type Kind } from '../kind.ts'
import { invalid as invalidField } from '../kinds/faults.ts'
import { selectorText } from '../kinds/fields.ts'
import { parsePatch } from '../patch.ts'
import { get } from '../read.ts'
import { reply } from '../reply.ts'
import type { SpecialRoute } from '../router.ts'
import { badRequest, invalid, methodNotAllowed, noSuchResource } from '../status.ts'
import { update } from '../update.ts'

const SCALE = defineKind({ group: 'autoscaling', version: 'v1', plural: 'scales', kind: 'Scale' })

/** `deployments/NAME/scale` and `replicasets/NAME/scale`: how many are wanted, in the form that all kinds have in common. */
export const SCALE_ROUTES: SpecialRoute[] = ['deployments', 'replicasets'].map((resource) => ({
  group: 'apps',
  resource,
  subresource: 'scale',
  async handle(api, call, kind) {
    if (!kind) throw noSuchResource()
    const { namespace, name = '', verb } = call.info
    if (verb === 'get') return answer(call, get(api, kind, namespace, name))
    if (verb !== 'update' && verb !== 'patch') throw methodNotAllowed()
    const wanted = await scaleFrom(call)
    answer(call, scale(api, kind, call, wanted))
  },
}))

/** What a scale is to become, as a function of what it is. */
async function scaleFrom(call: Call): Promise<(scale: ApiObject) => ApiObject> {
  if (call.info.verb === 'update') {
    const sent = await readObject(SCALE, call)
    return () => sent
  }
  const text = (await readBody(call.request)).toString('utf8')
  const patch = parsePatch(SCALE, mediaTypeOf(call.request), text)
  return (scale) => {
    const patched = patch.change(scale)
    return decodeObject(SCALE, patched, { ...decodeOptions(call), patch: patch.patchedBy(patched) })
  }
}

function scale(
  api: Api,
  kind: Kind,
  call: Call,
  wanted: (scale: ApiObject) => ApiObject,
): ApiObject {
  const { namespace, name = '' } = call.info
  const at = { namespace, name, subresource: 'scale' }
  const produce = (current: ApiObject): ApiObject => {
    const { metadata, spec } = wanted(scaleOf(current)) as ApiObject & Scale
    if (metadata.name && metadata.name !== name)
      throw badRequest(
        `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
      )
    const replicas = spec?.replicas ?? 0
    if (replicas < 0)
      throw invalid(SCALE, name, [
        invalidField('spec.replicas', replicas, 'must be greater than or equal to 0'),
      ])
    const next = structuredClone(current) as ApiObject & Scale
    next.spec = { ...next.spec, replicas }
    if (metadata.resourceVersion) next.metadata.resourceVersion = metadata.resourceVersion
    return next
  }
  return update(api, kind, at, produce, writeOptions(call))
}

interface Scale {
  spec?: { replicas?: number; selector?: object }
  status?: { replicas?: number }
}

function scaleOf(object: ApiObject): ApiObject {
  const { metadata, spec, status } = object as ApiObject & Scale
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata
  const own = { name, namespace, uid, resourceVersion, creationTimestamp }
  return inOrder(SCALE, {
    kind: SCALE.kind,
    apiVersion: 'autoscaling/v1',
    metadata: JSON.parse(JSON.stringify(own)),
    spec: spec?.replicas ? { replicas: spec.replicas } : {},
    status: { replicas: status?.replicas ?? 0, selector: selectorText(spec?.selector) },
  })
}

function answer({ response }: Call, object: ApiObject): void {
  reply(response, 200, JSON.stringify(scaleOf(object)))
}
