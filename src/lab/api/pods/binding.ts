import type { Pod } from '../../../kubevirt/types.ts'
import { timestamp } from '../api.ts'
import { mediaTypeOf, parseObject, readBody } from '../body.ts'
import { writeOptions } from '../call-options.ts'
import type { ApiObject } from '../kind.ts'
import { asPod } from '../kinds/pod.ts'
import { reply } from '../reply.ts'
import type { SpecialRoute } from '../router.ts'
import { badRequest, conflict, methodNotAllowed } from '../status.ts'
import { update } from '../update.ts'

/** `POST pods/NAME/binding`: gives a pod to a node, once. */
export const bindingRoute: SpecialRoute = {
  group: '',
  resource: 'pods',
  subresource: 'binding',
  async handle(api, call, kind) {
    const { info, request, response } = call
    if (info.verb !== 'create') throw methodNotAllowed()
    const body = parseObject(await readBody(request), mediaTypeOf(request))
    const node = (body['target'] as { name?: string } | undefined)?.name
    if (!node) throw badRequest('Binding in version "v1" is invalid: target.name: Required value')
    const name = info.name!
    const bind = (pod: Pod): Pod => {
      if (pod.metadata.deletionTimestamp)
        throw conflict(
          { group: '', plural: 'pods/binding' },
          name,
          `pod ${name} is being deleted, cannot be assigned to a host`,
        )
      if (pod.spec.nodeName)
        throw conflict(
          { group: '', plural: 'pods/binding' },
          name,
          `pod ${name} is already assigned to node "${pod.spec.nodeName}"`,
        )
      return {
        ...pod,
        spec: { ...pod.spec, nodeName: node },
        status: { ...pod.status, conditions: scheduled(pod, timestamp(api.now())) },
      }
    }
    update(
      api,
      kind!,
      { namespace: info.namespace, name, subresource: 'binding' },
      (pod) => structuredClone(bind(asPod(pod))) as unknown as ApiObject,
      writeOptions(call),
    )
    reply(
      response,
      201,
      JSON.stringify({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        code: 201,
      }),
    )
  },
}

function scheduled({ status }: Pod, now: string) {
  const others = (status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled')
  return [
    ...others,
    { type: 'PodScheduled', status: 'True' as const, lastProbeTime: null, lastTransitionTime: now },
  ]
}
