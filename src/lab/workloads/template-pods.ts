import { hash, randomInt } from 'node:crypto'
import { canonical } from '../../kubevirt/equality.ts'
import { conditionOf } from '../../kubevirt/migration.ts'
import type { KubeObject, OwnerReference, Pod } from '../../kubevirt/types.ts'
import type { PodTemplate, Share } from './types.ts'

/** The letters of generated names: none that would make a word, or be taken for another. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

/**
 * What tells pods of one template from those of another; as long and of the letters as Kubernetes' own. One that kubectl has
 * read and written again, as `rollout undo` does, is the same, with the nulls and the order that this gives it.
 */
export function templateHash(template: PodTemplate): string {
  const bytes = hash('sha256', canonical(template), 'buffer').subarray(0, 10)
  return [...bytes].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')
}

/** A pod of a template, with a name of its own. It is named here, so that it is known before the server tells. */
export function podOf(
  owner: KubeObject & { apiVersion: string; kind: string },
  template: PodTemplate,
  labels: Record<string, string>,
): Pod {
  const { name, namespace = '' } = owner.metadata
  const suffix = Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  const { metadata, spec } = structuredClone(template)
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: `${name}-`,
      name: `${name}-${suffix}`,
      namespace,
      labels: { ...metadata?.labels, ...labels },
      ...(metadata?.annotations && { annotations: metadata.annotations }),
      ownerReferences: [controlledBy(owner)],
    },
    spec,
  }
}

export function controlledBy({
  apiVersion,
  kind,
  metadata,
}: KubeObject & { apiVersion: string; kind: string }): OwnerReference {
  const { name, uid = '' } = metadata
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}

export function isControlledBy({ metadata }: KubeObject, owner: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ controller, uid }) => controller === true && uid === owner.metadata.uid,
  )
}

export function isReady(pod: Pod): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True'
}

export function isGoing({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined
}

/** So many of all; a share is rounded up where it grants something, down where it takes away. */
export function amountOf(share: Share, of: number, round: 'up' | 'down'): number {
  if (typeof share === 'number') return share
  const exact = (Number.parseFloat(share) / 100) * of
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact)
}
