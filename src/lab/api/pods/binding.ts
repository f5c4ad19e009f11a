import type { Pod } from '../../../kubevirt/types.ts'
import { timestamp } from '../api.ts'
import { mediaTypeOf, parseObject, readBody } from '../body.ts'
import { writeOptions } from '../call-options.ts'
import type { ApiObject } from '../kind.ts'
import { asPod } from '../kinds/pod.ts'
import { reply } from '../reply.ts'
import type { SpecialRoute } from '../router.ts'
import { conflict, methodNotAllowed, StatusError } from '../status.ts'
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
    const node = nodeOf(body)
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

/** A binding is validated where nobody words the refusal: it is a 500 without a reason. */
function nodeOf(binding: ApiObject): string {
  const { kind, name } = (binding['target'] ?? {}) as { kind?: string; name?: string }
  if (kind && kind !== 'Node')
    throw new StatusError(
      500,
      undefined,
      `target.kind: Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`,
    )
  if (!name) throw new StatusError(500, undefined, 'target.name: Required value')
  return name
}

function scheduled({ status }: Pod, now: string) {
  const others = (status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled')
  return [
    ...others,
    { type: 'PodScheduled', status: 'True' as const, lastProbeTime: null, lastTransitionTime: now },
  ]
}
