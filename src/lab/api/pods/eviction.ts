import { withCondition } from '../../../kubevirt/conditions.ts'
import { ANNOTATION } from '../../../kubevirt/labels.ts'
import { timestamp } from '../../../kubevirt/time.ts'
import type { KubeVirt, Pod, Vmi } from '../../../kubevirt/types.ts'
import {
  answerByBudgets,
  type BudgetAnswer,
  chargedStatus,
  type DisruptionBudget,
} from '../../../rules/disruption-budget.ts'
import { answerEviction, attachmentOwner, evictedVm } from '../../../rules/eviction.ts'
import { refusalError } from '../admission/refuse.ts'
import type { Api, WriteOptions } from '../api.ts'
import { mediaTypeOf, parseObject, readBody } from '../body.ts'
import { writeOptions } from '../call-options.ts'
import type { Call } from '../handler.ts'
import type { ApiObject, Kind } from '../kind.ts'
import { asPod } from '../kinds/pod.ts'
import { type DeleteOptions, remove } from '../remove.ts'
import { reply } from '../reply.ts'
import type { SpecialRoute } from '../router.ts'
import { badRequest, methodNotAllowed, notFound, StatusError } from '../status.ts'
import { asVirtApi } from '../subresources/route.ts'
import { update } from '../update.ts'

/** `POST pods/NAME/eviction`, with KubeVirt's webhook before it (rules/eviction.ts): marks the VM, or deletes the pod. */
export const evictionRoute: SpecialRoute = {
  group: '',
  resource: 'pods',
  subresource: 'eviction',
  async handle(api, call, kind) {
    const { info, request, response } = call
    if (info.verb !== 'create') throw methodNotAllowed()
    const { namespace, name = '' } = info
    const body = parseObject(await readBody(request), mediaTypeOf(request))
    if (body.metadata?.name !== undefined && body.metadata.name !== name)
      throw badRequest('name in URL does not match name in Eviction object')
    const deletion = (body['deleteOptions'] ?? {}) as DeleteOptions & { dryRun?: string[] }
    const found = api.store.get(kind!, namespace, name)
    if (!found) throw notFound({ group: '', plural: 'pods' }, name)

    const options = writeOptions(call)
    const dryRun = options.dryRun || (deletion.dryRun ?? []).includes('All')
    const requestedBy = body.metadata?.annotations?.['requested-by']
    intercept(api, call, asPod(found), requestedBy, dryRun)
    chargeBudget(api, asPod(found), { ...options, dryRun })
    evict(api, kind!, { namespace, name }, deletion, { ...options, dryRun })
    const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }
    reply(response, 201, JSON.stringify(success))
  },
}

/** Deletes the pod, which says before why it goes; one that is not as the client knows it stays untouched. */
function evict(
  api: Api,
  kind: Kind,
  { namespace, name }: { namespace: string | undefined; name: string },
  { preconditions, ...deletion }: DeleteOptions,
  options: WriteOptions,
): void {
  const checked = { ...deletion, ...(preconditions ? { preconditions } : {}) }
  remove(api, kind, namespace, name, checked, { ...options, dryRun: true })
  if (options.dryRun) return
  const target = { namespace, name, subresource: 'status' }
  update(api, kind, target, (current) => disrupted(current, api.now()), options)
  remove(api, kind, namespace, name, deletion, options)
}

/** Kubernetes' words, known from public code. */
function disrupted(current: ApiObject, now: number): ApiObject {
  const copy = structuredClone(current)
  const pod = asPod(copy)
  const conditions = withCondition(pod.status?.conditions ?? [], {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastProbeTime: null,
    lastTransitionTime: timestamp(now),
  })
  return { ...copy, status: { ...pod.status, conditions } }
}

/** Returns when the pod may go; throws 429 when its VM stays, or has to be moved first. */
function intercept(
  api: Api,
  call: Call,
  pod: Pod,
  requestedBy: string | undefined,
  dryRun: boolean,
): void {
  const { store, kinds } = api
  const { namespace } = pod.metadata
  const vmis = kinds.find('kubevirt.io', 'virtualmachineinstances')!
  const owner = attachmentOwner(pod)
  const launcher = owner && store.get(kinds.find('', 'pods')!, namespace, owner.name)
  const name = evictedVm(pod, launcher && asPod(launcher))
  const vmi = name === undefined ? undefined : store.get(vmis, namespace, name)
  const [kubevirt] = store.list(kinds.find('kubevirt.io', 'kubevirts')!)
  const answer = answerEviction(
    pod,
    name,
    vmi as unknown as Vmi | undefined,
    kubevirt as unknown as KubeVirt | undefined,
    requestedBy,
  )
  if (answer.answer === 'allow') return
  if (answer.mark && vmi) {
    const { node, descheduler } = answer.mark
    const target = { namespace: vmi.metadata.namespace, name: vmi.metadata.name, subresource: '' }
    const options = asVirtApi(call, dryRun)
    update(api, vmis, target, (current) => marked(current, node, descheduler), options)
  }
  throw refusalError(answer.refusal)
}

/** People's own budgets: one that has no disruption left keeps the pod, else it has one less. */
function chargeBudget(api: Api, pod: Pod, options: WriteOptions): void {
  const kind = api.kinds.find('policy', 'poddisruptionbudgets')!
  const { namespace } = pod.metadata
  const budgets = api.store
    .list(kind)
    .filter(({ metadata }) => metadata.namespace === namespace) as unknown as DisruptionBudget[]
  const answer = answerByBudgets(pod, budgets)
  if (!answer.admit) throw budgetError(answer)
  const { charge } = answer
  if (!charge) return
  const target = { namespace, name: charge.metadata.name, subresource: 'status' }
  const status = chargedStatus(charge, pod, api.now())
  update(api, kind, target, (current) => ({ ...structuredClone(current), status }), options)
}

function budgetError({
  code,
  message,
  cause,
  retryAfterSeconds,
}: Extract<BudgetAnswer, { admit: false }>): StatusError {
  if (code === 500) return new StatusError(code, undefined, message)
  return new StatusError(code, 'TooManyRequests', message, {
    ...(cause === undefined ? {} : { causes: [{ reason: 'DisruptionBudget', message: cause }] }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}

function marked(vmi: ApiObject, evacuationNodeName: string, descheduler: boolean): ApiObject {
  const copy = structuredClone(vmi)
  copy['status'] = { ...(copy['status'] as object), evacuationNodeName }
  if (descheduler)
    copy.metadata.annotations = {
      ...copy.metadata.annotations,
      [ANNOTATION.evictionSource]: 'descheduler',
    }
  return copy
}
