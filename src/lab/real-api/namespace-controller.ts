import type { Clock } from '../../clock.ts'
import { isStatus } from '../../cluster/api-error.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { startInformer } from '../../cluster/informer.ts'
import { list } from '../../cluster/objects.ts'
import { NAMESPACES, pathOf } from '../../kubevirt/resources.ts'
import type { KubeObject } from '../../kubevirt/types.ts'
import { ALL_KINDS } from '../api/kinds/index.ts'

/** What is still there, or could not be removed, is looked at again after so long, ms. */
const AGAIN = 500

/**
 * Kubernetes' namespace controller for a real API server, which has none: a namespace that is deleted goes when what a lab
 * knows to be in it has gone.
 */
export async function startNamespaceController(options: {
  cluster: Cluster
  clock: Clock
}): Promise<{ close(): Promise<void> }> {
  const { cluster, clock } = options
  const stop = new AbortController()
  const { signal } = stop
  const emptied = new Map<string, Promise<void>>()
  const kinds = ALL_KINDS.filter(({ namespaced }) => namespaced)
  const namespaces = startInformer<KubeObject>(cluster, NAMESPACES, {
    clock,
    onChange({ type, object: { metadata } }) {
      if (type === 'DELETED' || !metadata.deletionTimestamp) return
      const { name, uid = '' } = metadata
      if (!emptied.has(uid)) emptied.set(uid, persist(name))
    },
  })
  await namespaces.synced

  /** Until it is done; what fails is tried again. */
  async function persist(name: string): Promise<void> {
    while (!signal.aborted) {
      try {
        return await empty(name)
      } catch {
        await clock.sleep(AGAIN, signal).catch(() => {})
      }
    }
  }

  async function empty(name: string): Promise<void> {
    while ((await Promise.all(kinds.map((kind) => removeAll(kind, name)))).some(Boolean))
      await clock.sleep(AGAIN, signal)
    const body = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
      spec: { finalizers: [] },
    }
    const path = pathOf(NAMESPACES, { name, subresource: 'finalize' })
    await cluster.request({ method: 'PUT', path, body, signal }).catch(unlessGone)
  }

  /** Whether there was still one. */
  async function removeAll(kind: (typeof kinds)[number], namespace: string): Promise<boolean> {
    const { items } = await list(cluster, kind, { namespace, signal })
    if (items.length === 0) return false
    const path = pathOf(kind, { namespace })
    await cluster.request({ method: 'DELETE', path, signal }).catch(unlessGone)
    return true
  }

  return {
    async close() {
      stop.abort()
      await namespaces.close()
      await Promise.all(emptied.values())
    },
  }
}

function unlessGone(err: unknown): void {
  if (!isStatus(err, 404)) throw err
}
