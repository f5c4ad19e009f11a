import type { Api, WriteOptions } from '../api.ts'
import { readBody } from '../body.ts'
import type { Call } from '../handler.ts'
import type { ApiObject } from '../kind.ts'
import { reply } from '../reply.ts'
import type { SpecialRoute } from '../router.ts'
import { badRequest, methodNotAllowed, notFound, StatusError } from '../status.ts'

const GROUP = 'subresources.kubevirt.io'
const READS = ['get', 'list']

/** A path of KubeVirt's aggregated API, by the name that RBAC has for it. */
export function subresourceRoute(
  resource: string,
  subresource: string,
  method: 'GET' | 'PUT',
  handle: (api: Api, call: Call) => Promise<void> | void,
): SpecialRoute {
  return {
    group: GROUP,
    resource,
    subresource,
    handle(api, call) {
      demandFreedom(call)
      const { verb } = call.info
      if (method === 'GET' ? !READS.includes(verb) : verb !== 'update') throw methodNotAllowed()
      return handle(api, call)
    },
  }
}

/** Whom virt-api writes as: whoever may use the subresource need not be allowed to do what it does. */
export function asVirtApi({ warn }: Call, dryRun: boolean): WriteOptions {
  return {
    user: { name: 'system:serviceaccount:kubevirt:kubevirt-apiserver', groups: [] },
    dryRun,
    fieldManager: 'virt-api',
    warn,
  }
}

/** The options in the body; none at all is fine. */
export async function optionsOf<T extends object>({ request }: Call): Promise<Partial<T>> {
  const body = await readBody(request)
  if (body.length === 0) return {}
  try {
    return JSON.parse(body.toString('utf8')) as T
  } catch (err) {
    throw badRequest(`Can not unmarshal Request body to struct, error: ${(err as Error).message}`)
  }
}

/** A VM or VMI of KubeVirt; 404 in virt-api's words, which name the singular. */
export function demandObject(api: Api, plural: string, namespace: string, name: string): ApiObject {
  const kind = api.kinds.find('kubevirt.io', plural)!
  const found = api.store.get(kind, namespace, name)
  if (!found) throw notFound({ group: 'kubevirt.io', plural: kind.singular }, name)
  return found
}

/** Done, with nothing to say. */
export function replyEmpty({ response }: Call, code: number): void {
  response.writeHead(code, { 'content-length': 0 })
  response.end()
}

export function replyJson({ response }: Call, value: object): void {
  reply(response, 200, JSON.stringify(value))
}

/** virt-api answers in whatever it likes: a client that insists on JSON alone gets 406 (seen). */
function demandFreedom({ request }: Call): void {
  const accept = request.headers.accept ?? '*/*'
  if (accept.includes('*/*')) return
  throw new StatusError(406, 'NotAcceptable', '406: Not Acceptable', {})
}
