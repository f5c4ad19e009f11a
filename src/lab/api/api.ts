import type { KeyPair } from '../certificates.ts'
import type { AdmissionHook, AdmissionRequest, Reader } from './admission/hook.ts'
import type { Kind } from './kind.ts'
import type { KindTable } from './kind-table.ts'
import type { Store } from './store.ts'
import type { UserInfo } from './users.ts'

/** What the verbs work with: the objects, the kinds, who may refuse, and the time. */
export interface Api {
  store: Store
  kinds: KindTable
  admission: AdmissionHook[]
  /** What the server shows to kubelets, so that they know who asks. */
  kubeletClient: KeyPair
  /** ms since the epoch. */
  now(): number
}

/** What a single write carries beside its object. */
export interface WriteOptions {
  user: UserInfo
  dryRun: boolean
  fieldManager: string
  /** Set by server-side apply: who owns what is settled already. */
  ownershipSettled?: boolean
  /** Adds a Warning header to the response. */
  warn(message: string): void
}

export function reader({ store, kinds }: Api): Reader {
  return {
    get(resource, namespace, name) {
      const kind = kinds.find(resource.group, resource.plural)
      return kind && store.get(kind, namespace, name)
    },
    list(resource, namespace) {
      const kind = kinds.find(resource.group, resource.plural)
      return kind ? store.list(kind, namespace) : []
    },
  }
}

/** What admission is told of a write, but for the objects. */
export function admissionRequest(
  api: Api,
  kind: Kind,
  { namespace, name }: { namespace?: string | undefined; name: string },
  { user, dryRun, warn }: WriteOptions,
): Omit<AdmissionRequest, 'operation' | 'object' | 'oldObject' | 'subresource'> {
  return { kind, namespace, name, user, dryRun, now: api.now(), read: reader(api), warn }
}

/** RFC 3339 in whole seconds, as Kubernetes writes its times. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}
