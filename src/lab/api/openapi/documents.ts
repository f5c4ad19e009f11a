import { createHash } from 'node:crypto'
import { apiVersionOf, type Kind } from '../kind.ts'
import { kindSchemaName, schemasOf } from './schemas.ts'

export interface OpenApi {
  /** `/openapi/v3`: where the documents are. */
  index(): object
  /** A document as JSON text, by its key (`api/v1`, `apis/kubevirt.io/v1`); undefined for none. */
  document(key: string): string | undefined
}

/** One OpenAPI v3 document a group version, each built when it is first asked for: enough for `explain` and `apply`. */
export function createOpenApi(kinds: readonly Kind[]): OpenApi {
  const groups = new Map<string, Kind[]>()
  for (const kind of kinds) {
    const key = kind.group === '' ? `api/${kind.version}` : `apis/${apiVersionOf(kind)}`
    groups.set(key, [...(groups.get(key) ?? []), kind])
  }
  const texts = new Map<string, string>()
  const document = (key: string): string | undefined => {
    const members = groups.get(key)
    if (!members) return undefined
    const text = texts.get(key) ?? JSON.stringify(build(members))
    texts.set(key, text)
    return text
  }
  return {
    document,
    index: () => ({
      paths: Object.fromEntries(
        [...groups].map(([key, members]) => [
          key,
          { serverRelativeURL: `/openapi/v3/${key}?hash=${fingerprint(members)}` },
        ]),
      ),
    }),
  }
}

/** Clients cache a document by it; the kinds are the program's own, so their names say enough. */
function fingerprint(kinds: Kind[]): string {
  const names = kinds.map(({ kind, version }) => `${version}/${kind}`).join(',')
  return createHash('sha256').update(names).digest('hex').slice(0, 32).toUpperCase()
}

function build(kinds: Kind[]): object {
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.36.3' },
    paths: Object.assign({}, ...kinds.map(pathsOf)),
    components: { schemas: schemasOf(kinds) },
  }
}

function pathsOf(kind: Kind): object {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${apiVersionOf(kind)}`
  const collection = `${root}${kind.namespaced ? '/namespaces/{namespace}' : ''}/${kind.plural}`
  const operation = (action: string) => operationOf(kind, action)
  return {
    [collection]: {
      get: operation('list'),
      post: operation('post'),
      delete: operation('deletecollection'),
    },
    [`${collection}/{name}`]: {
      get: operation('get'),
      put: operation('put'),
      patch: operation('patch'),
      delete: operation('delete'),
    },
  }
}

const PATCH_TYPES = ['apply-patch+yaml', 'json-patch+json', 'merge-patch+json']

function operationOf(kind: Kind, action: string): object {
  const writes = ['post', 'put', 'patch'].includes(action)
  const schema = { $ref: `#/components/schemas/${kindSchemaName(kind)}` }
  const patchTypes = [...PATCH_TYPES, ...(kind.builtIn ? ['strategic-merge-patch+json'] : [])]
  const media = action === 'patch' ? patchTypes : ['json', 'yaml']
  return {
    operationId: `${action}${kind.version}${kind.namespaced ? 'Namespaced' : ''}${kind.kind}`,
    parameters: writes
      ? ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
          name,
          in: 'query',
          schema: { type: 'string', uniqueItems: true },
        }))
      : [],
    ...(writes
      ? {
          requestBody: {
            content: Object.fromEntries(media.map((type) => [`application/${type}`, { schema }])),
          },
        }
      : {}),
    responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': {
      group: kind.group,
      version: kind.version,
      kind: kind.kind,
    },
  }
}
