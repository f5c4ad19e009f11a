import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../clock.ts'
import { isStatus } from '../../cluster/api-error.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { type Informer, startInformer } from '../../cluster/informer.ts'
import { get, replace } from '../../cluster/objects.ts'
import { LABEL } from '../../kubevirt/labels.ts'
import { VMIS } from '../../kubevirt/resources.ts'
import type { Vmi } from '../../kubevirt/types.ts'

/** The VMIs that concern one node: those that run there and those that are to come. */
export interface VmiView {
  /** The newest state that is known, our own writes included; undefined when the VMI concerns the node no more. */
  get(key: string): Vmi | undefined
  list(): Vmi[]
  /**
   * Reads, changes and writes the whole object, as virt-handler does, and once more after a conflict.
   * @param change changes its argument; a change that changes nothing is not written
   */
  update(vmi: Vmi, change: (draft: Vmi) => void): Promise<Vmi>
  close(): Promise<void>
}

const ATTEMPTS = 5

export async function watchVmis(options: {
  cluster: Cluster
  clock: Clock
  node: string
  onChange(key: string): void
}): Promise<VmiView> {
  const { cluster, clock, node, onChange } = options
  const written = new Map<string, Vmi>()
  const follow = (label: string) =>
    startInformer<Vmi>(cluster, VMIS, {
      labelSelector: `${label}=${node}`,
      clock,
      onChange: ({ object }) => onChange(keyOf(object)),
    })
  const informers: Informer<Vmi>[] = [follow(LABEL.nodeName), follow(LABEL.migrationTargetNode)]
  await Promise.all(informers.map((informer) => informer.synced))

  function known(key: string): Vmi | undefined {
    const [namespace = '', name = ''] = key.split('/')
    const seen = informers.flatMap((informer) => informer.get(namespace, name) ?? [])
    const own = written.get(key)
    if (seen.length === 0) written.delete(key)
    return [...seen, ...(own && seen.some((vmi) => sameObject(vmi, own)) ? [own] : [])].reduce<
      Vmi | undefined
    >((newest, vmi) => (newest && version(newest) >= version(vmi) ? newest : vmi), undefined)
  }

  async function update(vmi: Vmi, change: (draft: Vmi) => void): Promise<Vmi> {
    let current = vmi
    for (let attempt = 1; ; attempt++) {
      const draft = structuredClone(current)
      change(draft)
      if (isDeepStrictEqual(draft, current)) return current
      const { namespace, name } = current.metadata
      try {
        const stored = await replace<Vmi>(cluster, VMIS, { namespace, name }, draft)
        written.set(keyOf(stored), stored)
        return stored
      } catch (err) {
        if (!isStatus(err, 409) || attempt === ATTEMPTS) throw err
        current = await get<Vmi>(cluster, VMIS, { namespace, name })
      }
    }
  }

  return {
    get: known,
    list: () =>
      [...new Set(informers.flatMap((informer) => informer.list().map(keyOf)))].flatMap(
        (key) => known(key) ?? [],
      ),
    update,
    async close() {
      await Promise.all(informers.map((informer) => informer.close()))
    },
  }
}

export function keyOf({ metadata }: Vmi): string {
  return `${metadata.namespace}/${metadata.name}`
}

function sameObject(a: Vmi, b: Vmi): boolean {
  return a.metadata.uid === b.metadata.uid
}

function version({ metadata }: Vmi): number {
  return Number(metadata.resourceVersion)
}
