import { type Api, reader, timestamp } from '../api.ts'
import { permission, rulesFor } from '../authorization.ts'
import { mediaTypeOf, parseObject, readBody } from '../body.ts'
import type { VirtualResource } from '../discovery/entries.ts'
import type { Call } from '../handler.ts'
import type { ApiObject } from '../kind.ts'
import { reply } from '../reply.ts'
import type { SpecialRoute } from '../router.ts'
import { badRequest, invalid, methodNotAllowed } from '../status.ts'

const AUTHORIZATION = 'authorization.k8s.io'
const AUTHENTICATION = 'authentication.k8s.io'

/** `auth can-i`: may I do this? */
export const accessReviewRoute = review(
  AUTHORIZATION,
  'selfsubjectaccessreviews',
  (api, { user }, body) => {
    const spec = body['spec'] as AccessReviewSpec | undefined
    demandOne(spec)
    const resource = spec?.resourceAttributes
    const reason = permission(reader(api), user, {
      isResource: resource !== undefined,
      verb: (resource ?? spec?.nonResourceAttributes)?.verb ?? '',
      group: resource?.group ?? '',
      resource: resource?.resource ?? '',
      subresource: resource?.subresource ?? '',
      name: resource?.name || undefined,
      namespace: resource?.namespace || undefined,
      path: spec?.nonResourceAttributes?.path ?? '',
    })
    const allowed = reason !== undefined
    return { spec, status: { allowed, ...(reason ? { reason } : {}) } }
  },
)

function demandOne(spec: AccessReviewSpec | undefined): void {
  const { resourceAttributes, nonResourceAttributes } = spec ?? {}
  const refuse = (field: string, message: string) =>
    invalid({ group: AUTHORIZATION, kind: '' }, '', [
      { field, reason: 'FieldValueInvalid', message: `Invalid value: ${message}` },
    ])
  if (!resourceAttributes && !nonResourceAttributes)
    throw refuse(
      'spec.resourceAttributes',
      'null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    )
  if (resourceAttributes && nonResourceAttributes) {
    const { path: Path = '', verb: Verb = '' } = nonResourceAttributes
    throw refuse(
      'spec.nonResourceAttributes',
      `${JSON.stringify({ Path, Verb })}: cannot be specified in combination with resourceAttributes`,
    )
  }
}

interface AccessReviewSpec {
  resourceAttributes?: {
    namespace?: string
    verb?: string
    group?: string
    resource?: string
    subresource?: string
    name?: string
  }
  nonResourceAttributes?: { path?: string; verb?: string }
}

/** `auth can-i --list`: what may I do in this namespace? */
export const rulesReviewRoute = review(
  AUTHORIZATION,
  'selfsubjectrulesreviews',
  (api, { user }, body) => {
    const spec = body['spec'] as { namespace?: string } | undefined
    if (!spec?.namespace) throw badRequest('no namespace on request')
    const rules = rulesFor(reader(api), user, spec.namespace)
    return {
      spec: {},
      status: {
        resourceRules: rules.filter((rule) => rule.resources !== undefined),
        nonResourceRules: rules.filter((rule) => 'nonResourceURLs' in rule),
        incomplete: false,
      },
    }
  },
)

/** `auth whoami`: who am I? */
export const selfReviewRoute = review(AUTHENTICATION, 'selfsubjectreviews', (api, { user }) => ({
  metadata: { creationTimestamp: timestamp(api.now()) },
  status: {
    userInfo: {
      username: user.name,
      groups: user.groups,
      ...(user.extra ? { extra: user.extra } : {}),
    },
  },
}))

export const REVIEW_RESOURCES: VirtualResource[] = [
  resource(AUTHENTICATION, 'selfsubjectreviews', 'SelfSubjectReview'),
  resource(AUTHORIZATION, 'selfsubjectaccessreviews', 'SelfSubjectAccessReview'),
  resource(AUTHORIZATION, 'selfsubjectrulesreviews', 'SelfSubjectRulesReview'),
]

function resource(group: string, plural: string, kind: string): VirtualResource {
  return { group, version: 'v1', plural, kind, namespaced: false, verbs: ['create'] }
}

/** A question that is put by creating an object, which comes back with the answer and is never stored. */
function review(
  group: string,
  plural: string,
  answer: (api: Api, call: Call, body: ApiObject) => object,
): SpecialRoute {
  return {
    group,
    resource: plural,
    subresource: '',
    async handle(api, call) {
      if (call.info.verb !== 'create') throw methodNotAllowed()
      const body = parseObject(await readBody(call.request), mediaTypeOf(call.request))
      const { kind, apiVersion } = body
      const text = JSON.stringify({
        kind,
        apiVersion,
        metadata: {},
        ...answer(api, call, body),
      })
      reply(call.response, 201, text)
    },
  }
}
