import type { Api, WriteOptions } from './api.ts'
import type { ApiObject } from './kind.ts'
import { later } from './later.ts'
import { remove } from './remove.ts'
import type { StoreEvent } from './store.ts'

const OPTIONS: WriteOptions = {
  user: {
    name: 'system:serviceaccount:kube-system:namespace-controller',
    groups: ['system:masters'],
  },
  dryRun: false,
  fieldManager: 'kube-controller-manager',
  warn: () => {},
}

/**
 * What Kubernetes' namespace controller does: deletes what lies in a namespace that is being deleted, and the namespace
 * with the last of it. It works on the store as it is written to, and ends with it.
 */
export function emptyNamespaces(api: Api): void {
  const { store, kinds } = api
  const namespaces = kinds.find('', 'namespaces')!
  const content = kinds.all.filter(({ namespaced }) => namespaced)
  const terminating = (name: string | undefined) =>
    name !== undefined && store.get(namespaces, undefined, name)?.metadata.deletionTimestamp

  const finish = (name: string) => {
    if (!terminating(name)) return
    if (content.every((kind) => store.list(kind, name).length === 0))
      store.remove(namespaces, undefined, name)
  }
  const clear = (name: string) => {
    for (const kind of content)
      for (const { metadata } of store.list(kind, name))
        if (!metadata.deletionTimestamp) remove(api, kind, name, metadata.name, {}, OPTIONS)
    finish(name)
  }
  store.subscribe(namespaces, store.revision, ({ type, object, previous }: StoreEvent) => {
    if (type === 'MODIFIED' && isNewlyDeleted(object, previous))
      later(() => clear(object.metadata.name))
  })
  for (const kind of content)
    store.subscribe(kind, store.revision, ({ type, object }) => {
      const { namespace } = object.metadata
      if (type === 'DELETED' && terminating(namespace)) later(() => finish(namespace!))
    })
}

function isNewlyDeleted({ metadata }: ApiObject, previous: ApiObject | undefined): boolean {
  return metadata.deletionTimestamp !== undefined && !previous?.metadata.deletionTimestamp
}
