import { timeOf } from '../kubevirt/migration.ts'
import type { Node, Pod, Vmi } from '../kubevirt/types.ts'

const HEARTBEAT = 'kubevirt.io/heartbeat'
/** virt-handler writes one a minute; after so long without, it counts as gone (fact sheet control-plane.md §2.8), ms. */
const TIMEOUT = 300_000

/** Whether the node's virt-handler is still heard. One that was never heard is waited for. */
export type HandlerHeard = { heard: true; until: number | undefined } | { heard: false }

export function handlerHeard({ metadata }: Node, now: number): HandlerHeard {
  const last = timeOf(metadata.annotations?.[HEARTBEAT])
  if (last === undefined) return { heard: true, until: undefined }
  const until = last + TIMEOUT
  return now > until ? { heard: false } : { heard: true, until }
}

/** VMIs of a node that is not heard any more, whose launchers are gone: nobody else would ever say that they ended. */
export function lostVmis(nodeName: string, vmis: readonly Vmi[], pods: readonly Pod[]): Vmi[] {
  return vmis.filter(
    ({ metadata, status }) =>
      status?.nodeName === nodeName &&
      ['Scheduled', 'Running'].includes(status.phase ?? '') &&
      !pods.some(
        (pod) =>
          pod.spec.nodeName === nodeName &&
          ['Pending', 'Running'].includes(pod.status?.phase ?? '') &&
          pod.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid),
      ),
  )
}
