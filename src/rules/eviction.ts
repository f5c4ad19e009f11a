import { ANNOTATION, LABEL } from '../kubevirt/labels.ts'
import { conditionOf } from '../kubevirt/migration.ts'
import { isPodFinal } from '../kubevirt/pods.ts'
import type { KubeVirt, OwnerReference, Pod, Vmi } from '../kubevirt/types.ts'
import { denialMessage, type Refusal } from './refusal.ts'

const WEBHOOK = 'virt-launcher-eviction-interceptor.kubevirt.io'

/** What a request to evict a launcher pod is answered. */
export type EvictionAnswer =
  /** The pod is deleted: the VM is shut down, or it was not a VM's pod, or is no more. */
  | { answer: 'allow'; why: 'no-vm' | 'strategy-none' | 'not-migratable' }
  /** 429; with `mark`, the VM is marked for evacuation (its node, and whether the descheduler asked). */
  | { answer: 'deny'; refusal: Refusal; mark?: { node: string; descheduler: boolean } }

/** The VM's own strategy, else the cluster's; the default is to shut it down. */
export function evictionStrategyOf(vmi: Vmi, kubevirt: KubeVirt | undefined): string {
  return vmi.spec.evictionStrategy || kubevirt?.spec.configuration?.evictionStrategy || 'None'
}

/** The launcher that an attachment pod belongs to, which has to be looked at too. */
export function attachmentOwner({ metadata }: Pod): OwnerReference | undefined {
  const { labels, ownerReferences = [] } = metadata
  const isAttachment = labels?.[LABEL.app] === 'hotplug-disk' && ownerReferences.length === 1
  return isAttachment ? ownerReferences[0] : undefined
}

/** The VM whose guest runs in this pod or has its disks from it; `owner` as of `attachmentOwner`, if that is there. */
export function evictedVm(pod: Pod, owner: Pod | undefined): string | undefined {
  const launcher = attachmentOwner(pod) ? owner : pod
  if (launcher?.metadata.labels?.[LABEL.app] !== 'virt-launcher' || isPodFinal(launcher))
    return undefined
  return launcher.metadata.annotations?.[ANNOTATION.domain]
}

/**
 * May this pod be evicted (fact sheet control-plane.md §4.1)?
 * @param vmName as `evictedVm` finds it
 * @param requestedBy the eviction's annotation
 */
export function answerEviction(
  pod: Pod,
  vmName: string | undefined,
  vmi: Vmi | undefined,
  kubevirt: KubeVirt | undefined,
  requestedBy?: string,
): EvictionAnswer {
  if (vmName === undefined) return { answer: 'allow', why: 'no-vm' }
  if (attachmentOwner(pod)) return attachmentAnswer(pod, vmName, vmi)
  // The text is that of public code: a launcher is not let go as long as nobody knows of its VM.
  if (!vmi) {
    const missing = `virtualmachineinstances.kubevirt.io "${vmName}" not found`
    return deny('vmi-missing', `kubevirt failed getting the vmi: ${missing}`)
  }

  const migratable = conditionOf(vmi, 'LiveMigratable')?.status === 'True'
  switch (evictionStrategyOf(vmi, kubevirt)) {
    case 'LiveMigrate':
      if (migratable) return marking(pod, vmi, requestedBy)
      return deny(
        'not-migratable',
        `VMI ${vmi.metadata.name} is configured with an eviction strategy but is not live-migratable`,
      )
    case 'LiveMigrateIfPossible':
      if (migratable) return marking(pod, vmi, requestedBy)
      return { answer: 'allow', why: 'not-migratable' }
    case 'External':
      // Marked for whoever moves it: KubeVirt itself makes no migration for it.
      return marking(pod, vmi, requestedBy)
    default:
      return { answer: 'allow', why: 'strategy-none' }
  }
}

function marking(pod: Pod, vmi: Vmi, requestedBy: string | undefined): EvictionAnswer {
  const node = pod.spec.nodeName ?? ''
  const text = `Eviction triggered evacuation of VMI "${vmi.metadata.namespace ?? ''}/${vmi.metadata.name}"`
  if (vmi.status?.evacuationNodeName) return deny('evacuating', `Evacuation in progress: ${text}`)
  if (node !== vmi.status?.nodeName) return deny('other-node', 'Eviction request for target Pod')
  const descheduler = requestedBy === 'sigs.k8s.io/descheduler'
  return { ...deny('marked', text), mark: { node, descheduler } }
}

function attachmentAnswer(pod: Pod, vmName: string, vmi: Vmi | undefined): EvictionAnswer {
  if (!vmi) return { answer: 'allow', why: 'no-vm' }
  const { name, namespace = '' } = pod.metadata
  return deny(
    'hotplug-pod',
    `cannot evict hotplug pod: ${name} associated with running vmi: ${vmName} in namespace ${namespace}`,
  )
}

function deny(check: string, message: string): EvictionAnswer & { answer: 'deny' } {
  const refusal: Refusal = { check, webhook: WEBHOOK, code: 429, message }
  return { answer: 'deny', refusal }
}

/** The text of a 429, as `kubectl drain` shows it. */
export function evictionMessage(answer: EvictionAnswer & { answer: 'deny' }): string {
  return denialMessage(answer.refusal)
}
