import type { KubeVirt, Node, Taint, Vmi } from '../../../kubevirt/types.ts'
import { settingsFor } from '../../../rules/configuration.ts'
import type { Api } from '../api.ts'
import type { Call } from '../handler.ts'
import type { ApiObject } from '../kind.ts'
import { badRequest, internalError } from '../status.ts'
import { update } from '../update.ts'
import { asVirtApi, demandObject, optionsOf, replyEmpty, subresourceRoute } from './route.ts'

interface EvacuateCancelOptions {
  dryRun?: string[]
  evacuationNodeName?: string
}

/**
 * `PUT …/NAME/evacuate/cancel` of a VM or a VMI: takes the mark of an eviction off. It stops no migration that the mark
 * has already started (fact sheet control-plane.md §1.8).
 */
export const evacuateCancelRoutes = ['virtualmachines', 'virtualmachineinstances'].map((plural) =>
  subresourceRoute(plural, 'evacuate/cancel', 'PUT', async (api, call) => {
    const { namespace = '', name = '' } = call.info
    const options = await optionsOf<EvacuateCancelOptions>(call)
    if (plural === 'virtualmachines') demandObject(api, plural, namespace, name)
    const vmi = demandObject(api, 'virtualmachineinstances', namespace, name) as unknown as Vmi
    const marked = vmi.status?.evacuationNodeName
    const node = marked || vmi.status?.nodeName
    if (!node) throw internalError('resource name may not be empty')
    refuseDrained(api, node)
    if (marked) unmark(api, call, vmi, options)
    replyEmpty(call, 200)
  }),
)

/** A node that carries the drain taint would only be marked again. */
function refuseDrained(api: Api, name: string): void {
  const node = api.store.get(api.kinds.find('', 'nodes')!, undefined, name) as unknown as
    | Node
    | undefined
  if (!node) throw internalError(`nodes "${name}" not found`)
  const [kubevirt] = api.store.list(api.kinds.find('kubevirt.io', 'kubevirts')!)
  const key = settingsFor(kubevirt as unknown as KubeVirt | undefined).nodeDrainTaintKey?.value
  const taints: Taint[] = node.spec.taints ?? []
  if (taints.some((taint) => taint.key === key && taint.effect === 'NoSchedule'))
    throw badRequest(`Node "${name}" has NodeDrainTaintKey "${key}:NoSchedule"`)
}

function unmark(
  api: Api,
  call: Call,
  { metadata, status }: Vmi,
  { dryRun = [], evacuationNodeName }: Partial<EvacuateCancelOptions>,
): void {
  // It is a patch with a test: who does not say which node it is about has not seen the mark.
  if (evacuationNodeName !== status?.evacuationNodeName)
    throw internalError('the server rejected our request due to an error in our request')
  const { evacuationNodeName: _mark, ...kept } = status ?? {}
  update(
    api,
    api.kinds.find('kubevirt.io', 'virtualmachineinstances')!,
    { namespace: metadata.namespace, name: metadata.name, subresource: '' },
    (current) => ({ ...(structuredClone(current) as ApiObject), status: structuredClone(kept) }),
    asVirtApi(call, dryRun.includes('All')),
  )
}
