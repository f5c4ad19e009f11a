import { isDeepStrictEqual } from 'node:util'
import type { Cluster } from '../../cluster/cluster.ts'
import { type AdmissionRequest, runMutation, runValidation } from '../api/admission/hook.ts'
import { migrationAdmission } from '../api/admission/migrations.ts'
import { kubevirtAdmission, policyAdmission } from '../api/admission/policies.ts'
import { vmiAdmission } from '../api/admission/vmis.ts'
import { vmAdmission } from '../api/admission/vms.ts'
import { decodeObject } from '../api/decode-object.ts'
import { customKinds } from '../api/definitions.ts'
import type { ApiObject, Kind } from '../api/kind.ts'
import { StatusError } from '../api/status.ts'
import type { UserInfo } from '../api/users.ts'
import { demandSpec } from '../api/validate.ts'
import { NOTHING, snapshot } from './snapshot.ts'

/** admission.k8s.io/v1 AdmissionReview, as far as it is looked at. */
export interface AdmissionReview {
  request: {
    uid: string
    kind: { group: string; kind: string }
    subResource?: string
    name?: string
    namespace?: string
    operation: 'CREATE' | 'UPDATE' | 'DELETE'
    userInfo: { username: string; groups?: string[]; extra?: Record<string, string[]> }
    object: ApiObject | null
    oldObject: ApiObject | null
    dryRun?: boolean
  }
}

const HOOKS = [migrationAdmission, vmAdmission, vmiAdmission, policyAdmission, kubevirtAdmission]

/** What KubeVirt's mutating webhooks answer: the same that the embedded server does by itself. */
export async function mutate(
  review: AdmissionReview,
  cluster: Cluster,
  now: number,
): Promise<object> {
  const request = await requestOf(review, cluster, now)
  const object = review.request.object!
  return answer(review, () => {
    if (request.operation === 'CREATE') demandSchema(request.kind, object)
    return changes(object, runMutation(HOOKS, { ...request, object }))
  })
}

/** What the validating webhook of this name answers; what another one refuses is not for it to say. */
export async function validate(
  webhook: string,
  review: AdmissionReview,
  cluster: Cluster,
  now: number,
): Promise<object> {
  const request = await requestOf(review, cluster, now)
  return answer(review, () => {
    try {
      runValidation(HOOKS, request)
    } catch (err) {
      if (!(err instanceof StatusError) || err.message.startsWith(prefix(webhook))) throw err
    }
    return []
  })
}

/** The review's answer: the changes that `decide` returns, or the refusal that it throws. */
export function answer(review: AdmissionReview, decide: () => Change[]): object {
  const { uid } = review.request
  const respond = (response: object) => ({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid, ...response },
  })
  try {
    const patch = decide()
    if (patch.length === 0) return respond({ allowed: true })
    const text = Buffer.from(JSON.stringify(patch)).toString('base64')
    return respond({ allowed: true, patchType: 'JSONPatch', patch: text })
  } catch (err) {
    if (!(err instanceof StatusError)) throw err
    const { code, reason, details } = err.status
    // The API server puts the webhook's name before what it says.
    const message = err.message.replace(/^admission webhook "[^"]*" denied the request: /, '')
    return respond({ allowed: false, status: { code, reason, message, details } })
  }
}

function prefix(webhook: string): string {
  return `admission webhook "${webhook}"`
}

interface Change {
  op: 'add' | 'replace' | 'remove'
  path: string
  value?: unknown
}

/** Field by field of the top level, which is as far as it goes. */
function changes(before: ApiObject, after: ApiObject): Change[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...fields].flatMap((field): Change[] => {
    const path = `/${field}`
    if (isDeepStrictEqual(before[field], after[field])) return []
    if (after[field] === undefined) return [{ op: 'remove', path }]
    return [{ op: field in before ? 'replace' : 'add', path, value: after[field] }]
  })
}

/** KubeVirt looks at new objects before the schema does. */
function demandSchema(kind: Kind, object: ApiObject): void {
  const options = { fieldValidation: 'Ignore', warn: () => {} } as const
  demandSpec(kind, decodeObject(kind, object, options), true)
}

async function requestOf(
  { request }: AdmissionReview,
  cluster: Cluster,
  now: number,
): Promise<AdmissionRequest> {
  const { operation, namespace, name, subResource, userInfo, object, oldObject } = request
  const kind = customKinds().find(
    (one) => one.kind === request.kind.kind && one.group === request.kind.group,
  )!
  // Of a VMI every write of its status comes by here, and is decided by itself.
  const looksAround = kind.kind !== 'VirtualMachineInstance' && operation !== 'DELETE'
  return {
    operation,
    kind,
    subresource: subResource ?? '',
    namespace,
    name: name ?? object?.metadata.name ?? '',
    object: object ?? undefined,
    oldObject: oldObject ?? undefined,
    user: userOf(userInfo),
    dryRun: request.dryRun ?? false,
    now,
    read: looksAround ? await snapshot(cluster, namespace) : NOTHING,
    warn: () => {},
  }
}

function userOf({
  username,
  groups = [],
  extra,
}: AdmissionReview['request']['userInfo']): UserInfo {
  return { name: username, groups, ...(extra && { extra }) }
}
