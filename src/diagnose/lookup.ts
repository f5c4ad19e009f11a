import { ANNOTATION, LABEL } from '../kubevirt/labels.ts'
import type { Event, Pod } from '../kubevirt/types.ts'

/** Finds pods and events by what they belong to, so that thousands of VMs cost no more than each its own. */
export interface Lookup {
  /** Launcher pods made by the VMI of that uid; without a uid, those that name the VM. */
  launchers(namespace: string, name: string, uid: string | undefined): Pod[]
  /** Pods that attach hotplugged volumes, of a namespace. */
  attachments(namespace: string): Pod[]
  events(namespace: string, kind: string, name: string): Event[]
  /** Events of attachment pods, which come and go under names that nobody remembers. */
  attachmentEvents(namespace: string): Event[]
}

export function createLookup(pods: readonly Pod[], events: readonly Event[]): Lookup {
  const launchers = pods.filter((pod) => pod.metadata.labels?.[LABEL.app] === 'virt-launcher')
  const made = Map.groupBy(launchers, (pod) => pod.metadata.labels?.[LABEL.createdBy])
  const named = Map.groupBy(launchers, (pod) => keyOf(pod.metadata.namespace, vmNameOf(pod)))
  const attachments = Map.groupBy(pods.filter(isAttachment), namespaceOf)
  const byObject = Map.groupBy(events, ({ involvedObject: of, metadata }) =>
    keyOf(of.namespace ?? metadata.namespace, of.kind ?? '', of.name ?? ''),
  )
  const ofAttachments = Map.groupBy(
    events.filter(({ involvedObject }) => isAttachmentName(involvedObject.name)),
    ({ involvedObject, metadata }) => involvedObject.namespace ?? metadata.namespace ?? '',
  )
  return {
    launchers(namespace, name, uid) {
      const own = uid === undefined ? [] : (made.get(uid) ?? [])
      const unmarked = (named.get(keyOf(namespace, name)) ?? []).filter(
        (pod) => uid === undefined || pod.metadata.labels?.[LABEL.createdBy] === undefined,
      )
      return [...own.filter((pod) => namespaceOf(pod) === namespace), ...unmarked]
    },
    attachments: (namespace) => attachments.get(namespace) ?? [],
    events: (namespace, kind, name) => byObject.get(keyOf(namespace, kind, name)) ?? [],
    attachmentEvents: (namespace) => ofAttachments.get(namespace) ?? [],
  }
}

function isAttachment({ metadata }: Pod): boolean {
  return metadata.labels?.[LABEL.app] === 'hotplug-disk' || isAttachmentName(metadata.name)
}

function isAttachmentName(name: string | undefined): boolean {
  return name?.startsWith('hp-volume-') === true
}

function vmNameOf({ metadata }: Pod): string {
  return metadata.annotations?.[ANNOTATION.domain] ?? metadata.labels?.[LABEL.vmName] ?? ''
}

function namespaceOf({ metadata }: Pod): string {
  return metadata.namespace ?? ''
}

function keyOf(namespace: string | undefined, ...parts: string[]): string {
  return [namespace ?? '', ...parts].join('/')
}
