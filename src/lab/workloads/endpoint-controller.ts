import { isStatus } from '../../cluster/api-error.ts'
import { create, getIfExists, remove, replace } from '../../cluster/objects.ts'
import { sameValue } from '../../kubevirt/equality.ts'
import { ENDPOINT_SLICES, ENDPOINTS } from '../../kubevirt/resources.ts'
import type { KubeObject } from '../../kubevirt/types.ts'
import { keyOfObject, parseKey } from '../controller/caches.ts'
import { startWorker, type Worker } from '../controller/worker.ts'
import {
  type EndpointSlice,
  endpointsOf,
  isSelecting,
  SLICE_LABELS,
  SLICE_MANAGER,
} from './endpoints.ts'
import { controlledBy, isGoing } from './template-pods.ts'
import type { WorkloadCaches, WorkloadOptions } from './workloads.ts'

interface Endpoints extends KubeObject {
  subsets?: object[]
}

/** Kubernetes' controllers of endpoints and their slices: which pods are behind a service, and which of them serve. */
export function startEndpointController(
  options: WorkloadOptions & { caches: WorkloadCaches },
): Worker {
  const { cluster, clock, caches, log } = options
  const worker = startWorker({ name: 'endpoints', clock, log, threads: 1, reconcile })
  caches.services.on(({ object }) => worker.queue.add(keyOfObject(object)))
  caches.pods.on(({ object }) => {
    for (const service of caches.services.list())
      if (service.metadata.namespace === object.metadata.namespace && isSelecting(service))
        worker.queue.add(keyOfObject(service))
  })
  return worker

  async function reconcile(key: string): Promise<void> {
    const { namespace, name } = parseKey(key)
    const service = caches.services.get(namespace, name)
    if (!service || isGoing(service) || !isSelecting(service))
      return forget(namespace, name, service)
    const owner = { ...service, apiVersion: 'v1', kind: 'Service' }
    const { slice, subsets } = endpointsOf(service, caches.pods.list())
    await keepSlice(owner, slice)
    await keepEndpoints(owner, subsets)
  }

  async function keepSlice(
    service: KubeObject & { apiVersion: string; kind: string },
    wanted: Pick<EndpointSlice, 'endpoints' | 'ports'>,
  ): Promise<void> {
    const { name, namespace = '' } = service.metadata
    const found = caches.slices
      .list()
      .find(
        ({ metadata }) =>
          metadata.namespace === namespace &&
          metadata.labels?.[SLICE_LABELS.service] === name &&
          metadata.labels?.[SLICE_LABELS.manager] === SLICE_MANAGER,
      )
    if (found) {
      const { endpoints, ports } = found
      if (sameValue({ endpoints: endpoints ?? [], ports: ports ?? [] }, wanted)) return
      await replace(cluster, ENDPOINT_SLICES, found.metadata, { ...found, ...wanted })
      return
    }
    const slice = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: ENDPOINT_SLICES.kind,
      metadata: {
        // One is enough, and its name is known before the cache knows of it.
        name: `${name}-slice`,
        labels: { [SLICE_LABELS.service]: name, [SLICE_LABELS.manager]: SLICE_MANAGER },
        ownerReferences: [controlledBy(service)],
      },
      addressType: 'IPv4',
      ...wanted,
    }
    await createOnce(() => create(cluster, ENDPOINT_SLICES, slice, { namespace }))
  }

  async function keepEndpoints(service: KubeObject, subsets: object[]): Promise<void> {
    const { name, namespace = '' } = service.metadata
    const found = await getIfExists<Endpoints>(cluster, ENDPOINTS, { namespace, name })
    if (found) {
      if (sameValue(found.subsets ?? [], subsets)) return
      await replace(cluster, ENDPOINTS, found.metadata, { ...found, subsets })
      return
    }
    const object = { apiVersion: 'v1', kind: ENDPOINTS.kind, metadata: { name }, subsets }
    await createOnce(() => create(cluster, ENDPOINTS, object, { namespace }))
  }

  /** Slices go with their service; endpoints have its name and are nobody's. */
  async function forget(
    namespace: string,
    name: string,
    service: KubeObject | undefined,
  ): Promise<void> {
    if (service) return
    try {
      await remove(cluster, ENDPOINTS, { namespace, name }, {})
    } catch (err) {
      if (!isStatus(err, 404)) throw err
    }
  }
}

/** The cache may not know yet what is there. */
async function createOnce(creation: () => Promise<unknown>): Promise<void> {
  try {
    await creation()
  } catch (err) {
    if (!isStatus(err, 409)) throw err
  }
}
