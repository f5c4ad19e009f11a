import { type ApiObject, apiVersionOf, type Kind } from './kind.ts'
import { negotiate, type ResponseFormat } from './negotiate.ts'
import { type ListMeta, listText, versionedText } from './serialise.ts'
import { badRequest, StatusError } from './status.ts'
import { partialObject, type TableOptions, tableText } from './table.ts'

/** In what form a client wants objects of a kind: as themselves, as a table, or their metadata alone. */
export interface View extends ResponseFormat, TableOptions {
  apiVersion: string
}

const INCLUDED: (string | null)[] = [null, '', 'None', 'Metadata', 'Object']

/** Throws 406 when the Accept header can't be met. */
export function viewOf(
  kind: Kind,
  version: string,
  accept: string | undefined,
  query: URLSearchParams,
  now: number,
): View {
  const includeObject = query.get('includeObject')
  if (!INCLUDED.includes(includeObject))
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(includeObject)}: must be 'Metadata', 'Object', 'None', or empty`,
    )
  return {
    ...negotiate(accept),
    apiVersion: apiVersionOf({ group: kind.group, version }),
    now,
    includeObject,
  }
}

/** An object, or its table of one row, as JSON. */
export function renderObject(kind: Kind, object: ApiObject, view: View): string {
  if (view.as === 'Table') {
    const { resourceVersion } = object.metadata
    return tableText(kind, [object], { resourceVersion }, view)
  }
  if (view.as === 'PartialObjectMetadataList')
    throw wrongForm(view.as, `not a list (*${goPackage(kind)}${kind.kind})`)
  return view.as === 'PartialObjectMetadata'
    ? JSON.stringify(partialObject(object))
    : versionedText(object, view.apiVersion)
}

export function renderList(kind: Kind, items: ApiObject[], metadata: ListMeta, view: View): string {
  if (view.as === 'Table') return tableText(kind, items, metadata, view)
  if (view.as === 'PartialObjectMetadata')
    throw wrongForm(view.as, `a list (*${goPackage(kind)}${kind.listKind})`)
  if (view.as === 'PartialObjectMetadataList')
    return JSON.stringify({
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
      items: items.map(partialObject),
    })
  return listText(kind, items, metadata, view.apiVersion)
}

function wrongForm(asked: string, is: string): StatusError {
  const text = `you requested ${asked}, but the requested object is ${is}`
  return new StatusError(406, 'NotAcceptable', text)
}

function goPackage({ group, builtIn }: Kind): string {
  if (!builtIn) return 'unstructured.'
  return `${group === '' ? 'core' : group.split('.')[0]}.`
}
