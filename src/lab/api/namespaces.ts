import type { Api } from './api.ts'
import type { Kind } from './kind.ts'
import { forbidden, notFound } from './status.ts'

/** Refuses what would be created in a namespace that is not there (404) or is going away (403). */
export function demandNamespace(
  { store, kinds }: Api,
  kind: Kind,
  namespace: string | undefined,
  name: string,
): void {
  if (!kind.namespaced || namespace === undefined) return
  const namespaces = kinds.find('', 'namespaces')!
  const found = store.get(namespaces, undefined, namespace)
  if (!found) throw notFound(namespaces, namespace)
  if (!found.metadata.deletionTimestamp) return
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`
  const refusal = forbidden(kind, name, why)
  refusal.status.details!.causes = [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]
  throw refusal
}
