import type { Informer } from '../../cluster/informer.ts'
import type { KubeObject } from '../../kubevirt/types.ts'
import type { Worker } from '../controller/worker.ts'

/** Lets a worker look again at the owners of a kind whenever something of theirs changes. */
export function wakeOwners<T extends KubeObject>(
  owned: Informer<T>,
  ownerKind: string,
  { queue }: Worker,
): void {
  owned.on(({ object: { metadata } }) => {
    for (const { kind, name } of metadata.ownerReferences ?? [])
      if (kind === ownerKind) queue.add(`${metadata.namespace}/${name}`)
  })
}
