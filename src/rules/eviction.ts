import { LABEL } from '../kubevirt/labels.ts'
import { conditionOf } from '../kubevirt/migration.ts'
import type { KubeVirt, Pod, Vmi } from '../kubevirt/types.ts'
import { denialMessage, type Refusal } from './refusal.ts'

const WEBHOOK = 'virt-launcher-eviction-interceptor.kubevirt.io'

/** What a request to evict a launcher pod is answered. */
export type EvictionAnswer =
  /** The pod is deleted: the VM is shut down, or it was not a VM's pod at all. */
  | { answer: 'allow'; why: 'no-vm' | 'finished' | 'strategy-none' | 'not-migratable' }
  /** 429; with `mark`, the VM is marked for evacuation (its node, and whether the descheduler asked). */
  | { answer: 'deny'; refusal: Refusal; mark?: { node: string; descheduler: boolean } }

/** The VM's own strategy, else the cluster's; the default is to shut it down. */
export function evictionStrategyOf(vmi: Vmi, kubevirt: KubeVirt | undefined): string {
  return vmi.spec.evictionStrategy || kubevirt?.spec.configuration?.evictionStrategy || 'None'
}

/** May this pod be evicted (fact sheet control-plane.md §4.1)? `requestedBy` is the eviction's annotation. */
export function answerEviction(
  pod: Pod,
  vmi: Vmi | undefined,
  kubevirt: KubeVirt | undefined,
  requestedBy?: string,
): EvictionAnswer {
  const kind = pod.metadata.labels?.[LABEL.app]
  if (!vmi || (kind !== 'virt-launcher' && kind !== 'hotplug-disk'))
    return { answer: 'allow', why: 'no-vm' }
  if (kind === 'hotplug-disk') return hotplugAnswer(pod, vmi)
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed')
    return { answer: 'allow', why: 'finished' }

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

function hotplugAnswer(pod: Pod, vmi: Vmi): EvictionAnswer {
  if (vmi.status?.phase === 'Succeeded' || vmi.status?.phase === 'Failed')
    return { answer: 'allow', why: 'finished' }
  const { name, namespace = '' } = vmi.metadata
  return deny(
    'hotplug-pod',
    `cannot evict hotplug pod: ${pod.metadata.name} associated with running vmi: ${name} in namespace ${namespace}`,
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
