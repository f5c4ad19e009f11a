import { setMaxListeners } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/clock.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { connect } from '../../src/cluster/config.ts'
import { create, list, remove, replace } from '../../src/cluster/objects.ts'
import {
  KUBEVIRTS,
  MIGRATIONS,
  NAMESPACES,
  NODES,
  PODS,
  type Resource,
  VMIS,
} from '../../src/kubevirt/resources.ts'
import type { KubeObject, Migration } from '../../src/kubevirt/types.ts'
import type { ApiObject } from '../../src/lab/api/kind.ts'
import { type ApiServer, startApiServer } from '../../src/lab/api/server.ts'
import { wellKnownUsers } from '../../src/lab/api/users.ts'
import { demandBinaries } from '../../src/lab/real-api/binaries.ts'
import { type AnyApiServer, startRealApiServer } from '../../src/lab/real-api/server.ts'
import { KUBEVIRT_STATUS, labKubeVirt, labNode } from '../../src/lab/seed.ts'
import { handlerDaemonSet } from '../../src/lab/workloads/components.ts'
import { podOf } from '../../src/lab/workloads/template-pods.ts'
import { withManagedFields } from './managed-fields.ts'
import { inhabitant, sizeOf } from './population.ts'

export type Api = 'embedded' | 'kube-apiserver'

/**
 * An API server with a cluster of so many VMs in it, in a process of its own: what is measured shares nothing with it.
 * Sends the path of its kubeconfig when all is there, and ends with the message channel.
 */
export async function serve(api: Api, vmis: number, folder: string): Promise<void> {
  setMaxListeners(0)
  const options = { clock: systemClock, users: wellKnownUsers([]) }
  const server =
    api === 'embedded'
      ? await startApiServer(options)
      : await startRealApiServer({ ...options, binaries: await demandBinaries(process.env) })
  process.once('disconnect', () => void server.close().finally(() => process.exit()))
  const kubeconfigText = server.kubeconfig('admin', { only: true })
  const admin = await connect({ kubeconfigText, clock: systemClock, env: {} })
  try {
    await populate(isOurs(server) ? intoStore(server) : await throughApi(admin), vmis)
  } finally {
    await admin.close()
  }
  const kubeconfig = join(folder, `${api}-${vmis}.kubeconfig`)
  writeFileSync(kubeconfig, kubeconfigText, { mode: 0o600 })
  process.send?.(kubeconfig)
}

/** Stores an object as it is; answers it with its uid. */
type Put = <T extends KubeObject>(resource: Resource, object: T) => Promise<T>

const KUBEVIRT = ['virt-operator', 'virt-operator'] as const

async function populate(put: Put, vmis: number): Promise<void> {
  const size = sizeOf(vmis)
  const now = Date.now()
  const named = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  const names = Array.from({ length: size.nodes }, (_, i) => `node-${i + 1}`)
  await put(KUBEVIRTS, { ...(labKubeVirt() as KubeObject), status: KUBEVIRT_STATUS } as KubeObject)
  for (let i = 0; i < size.namespaces; i++) await put(NAMESPACES, named(`tenant-${i}`))
  const handlers = handlerDaemonSet()
  for (const [i, name] of names.entries()) {
    await put(NODES, readyNode(name, `10.0.${i >> 8}.${i & 255}`))
    const handler = podOf(handlers, handlers.spec.template, {})
    handler.spec.nodeName = name
    await put(PODS, withManagedFields(handler, KUBEVIRT))
  }
  // One VM after the other would leave a real server idle; the objects of one are made in their order.
  let next = 0
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (next < vmis) {
        const { vmi, migrations, launcher, target } = inhabitant(next++, size, now)
        const { metadata } = await put(VMIS, withManagedFields(vmi, HANDLED))
        const uid = metadata.uid ?? ''
        await put(PODS, withManagedFields(launcher(uid), RUN))
        let last: Migration | undefined
        for (const migration of migrations)
          last = await put(MIGRATIONS, withManagedFields(migration, HANDLED))
        if (target && last) await put(PODS, withManagedFields(target(uid, last), RUN))
      }
    }),
  )
}

const HANDLED = ['virt-controller', 'virt-handler'] as const
const RUN = ['virt-controller', 'kubelet'] as const

function readyNode(name: string, address: string): KubeObject {
  const node = labNode(name, address) as KubeObject & { status: object }
  return {
    ...node,
    status: { ...node.status, conditions: [{ type: 'Ready', status: 'True' }] },
  } as KubeObject
}

function isOurs(server: AnyApiServer): server is ApiServer {
  return 'store' in server
}

/** Past admission, in no time. */
function intoStore({ store, kinds }: ApiServer): Put {
  let count = 0
  return async <T extends KubeObject>({ group, plural }: Resource, object: T) => {
    const kind = kinds.find(group, plural)
    if (!kind) throw new Error(`the server knows no ${plural}`)
    const uid = `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`
    const metadata = { ...object.metadata, uid }
    return store.insert(kind, { ...object, metadata } as unknown as ApiObject) as unknown as T
  }
}

const HOOKS = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false }

/** As a client: what KubeVirt's webhooks would refuse or change is what they are switched off for. */
async function throughApi(admin: Cluster): Promise<Put> {
  for (const kind of ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']) {
    const resource = { ...HOOKS, kind, plural: `${kind.toLowerCase()}s` }
    const { items } = await list<KubeObject>(admin, resource)
    for (const { metadata } of items) await remove(admin, resource, { name: metadata.name })
  }
  return async <T extends KubeObject>(resource: Resource, object: T) => {
    const { namespace, name } = object.metadata
    const at = namespace === undefined ? {} : { namespace }
    // Whose fields are whose, the server notes by itself.
    const { managedFields: _, ...metadata } = object.metadata as T['metadata'] & {
      managedFields?: unknown
    }
    const sent = { ...object, metadata } as T & { status?: unknown }
    const stored = await create<T & { status?: unknown }>(admin, resource, sent, at)
    if (sent.status === undefined || resource.plural === VMIS.plural) return stored
    const whole = { ...stored, status: sent.status }
    return replace<T>(admin, resource, { ...at, name, subresource: 'status' }, whole)
  }
}
