import { ageOf } from '../human-duration.ts'
import { type ApiObject, type Column, defineKind, type Kind, type KindRow } from '../kind.ts'
import { pick, text } from './fields.ts'

const AGE: Column = {
  name: 'Age',
  cell: (object, now) => ageOf(object.metadata.creationTimestamp, now),
}

/** What has been added to the API, and by whom: objects that tell what this server has built in, and are not written. */
export const EXTENSION_KINDS: Kind[] = [
  extension({
    group: 'apiextensions.k8s.io',
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    shortNames: ['crd', 'crds'],
    hasStatus: true,
    // Not as an age: this kind's table is Kubernetes' own.
    columns: [{ name: 'Created At', type: 'date', cell: (o) => o.metadata.creationTimestamp }],
  }),
  extension({
    group: 'apiregistration.k8s.io',
    plural: 'apiservices',
    kind: 'APIService',
    // Of the core group it ends with a dot.
    nameFaults: () => [],
    hasStatus: true,
    columns: [{ name: 'Service', cell: serviceText }, { name: 'Available', cell: available }, AGE],
  }),
  webhooks('MutatingWebhookConfiguration'),
  webhooks('ValidatingWebhookConfiguration'),
]

function extension(row: Omit<KindRow, 'version'>): Kind {
  return defineKind({
    version: 'v1',
    namespaced: false,
    categories: ['api-extensions'],
    isReadOnly: true,
    keepsStatusOnCreate: true,
    hasGeneration: true,
    ...row,
  })
}

function webhooks(kind: string): Kind {
  return extension({
    group: 'admissionregistration.k8s.io',
    plural: `${kind.toLowerCase()}s`,
    kind,
    columns: [
      {
        name: 'Webhooks',
        type: 'integer',
        cell: (o) => ((pick(o, 'webhooks') as unknown[] | undefined) ?? []).length,
      },
      AGE,
    ],
  })
}

function serviceText(object: ApiObject): string {
  const name = text(object, 'spec.service.name')
  return name === '' ? 'Local' : `${text(object, 'spec.service.namespace')}/${name}`
}

function available(object: ApiObject): string {
  const conditions = pick(object, 'status.conditions') as
    | { type: string; status: string; reason?: string }[]
    | undefined
  const found = conditions?.find(({ type }) => type === 'Available')
  if (!found) return 'Unknown'
  return found.status === 'True' ? 'True' : `${found.status} (${found.reason})`
}
