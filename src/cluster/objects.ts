import { EXIT } from '../errors.ts'
import { pathOf, type Resource } from '../kubevirt/resources.ts'
import type { KubeList, KubeObject } from '../kubevirt/types.ts'
import { ApiError, isStatus, type Status, statusOf } from './api-error.ts'
import type { ApiRequest, Cluster } from './cluster.ts'
import { parseList } from './list-parser.ts'

/** As kubectl asks for them. */
const PAGE_SIZE = 500

export interface ObjectAddress {
  namespace?: string | undefined
  name: string
  subresource?: string
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  /** ms; 0 is none. Default: the cluster's. */
  timeoutMs?: number | undefined
}

export interface WriteOptions extends CallOptions {
  /** The server does everything but store it. */
  dryRun?: boolean | undefined
  /** Strict refuses unknown fields instead of dropping them. */
  fieldValidation?: 'Strict' | 'Warn' | 'Ignore' | undefined
  fieldManager?: string | undefined
}

export interface ListOptions extends CallOptions {
  /** Default: all namespaces. */
  namespace?: string | undefined
  labelSelector?: string | undefined
  fieldSelector?: string | undefined
  /** Objects a page. */
  limit?: number | undefined
}

export interface PagesOptions<T extends KubeObject> extends ListOptions {
  /** All others are dropped as they are read, and cost no memory. */
  keep?: ((object: T) => boolean) | undefined
  /** A snapshot that expires on the way is an error (410). */
  consistent?: boolean
}

export async function get<T extends KubeObject>(
  cluster: Cluster,
  resource: Resource,
  at: ObjectAddress,
  options: CallOptions = {},
): Promise<T> {
  const object = await cluster.request<T>({ path: pathOf(resource, at), ...call(options) })
  if (!isObject(object)) throw strange(cluster, `get ${resource.plural} "${at.name}"`, 'no object')
  return object
}

/** Undefined when there is no such object. */
export async function getIfExists<T extends KubeObject>(
  cluster: Cluster,
  resource: Resource,
  at: ObjectAddress,
  options: CallOptions = {},
): Promise<T | undefined> {
  try {
    return await get<T>(cluster, resource, at, options)
  } catch (err) {
    if (isStatus(err, 404)) return undefined
    throw err
  }
}

/** All pages as one consistent list: when its snapshot expires on the way, it starts again. */
export async function list<T extends KubeObject>(
  cluster: Cluster,
  resource: Resource,
  options: ListOptions = {},
): Promise<KubeList<T>> {
  const items: T[] = []
  let page = await listPage<T>(cluster, resource, options)
  const first = page
  for (;;) {
    items.push(...page.items)
    const token = page.metadata.continue
    if (!token) return { ...first, metadata: listMeta(first), items }
    try {
      page = await listPage<T>(cluster, resource, options, token)
    } catch (err) {
      if (!isStatus(err, 410)) throw err
      return listPage<T>(cluster, resource, { ...options, limit: 0 })
    }
  }
}

/**
 * The pages one by one, for lists too long to hold. An expired snapshot is continued with the token that the server
 * offers: every object comes once, though not all as of the same moment.
 */
export async function* pages<T extends KubeObject>(
  cluster: Cluster,
  resource: Resource,
  options: PagesOptions<T> = {},
): AsyncGenerator<KubeList<T>, void, undefined> {
  let token: string | undefined
  do {
    let page: KubeList<T>
    try {
      page = await listPage<T>(cluster, resource, options, token)
    } catch (err) {
      const goesOn = isStatus(err, 410) && !options.consistent
      const offered = goesOn ? statusOf(err)?.metadata?.continue : undefined
      if (!offered || offered === token) throw err
      token = offered
      continue
    }
    yield page
    token = page.metadata.continue
  } while (token)
}

export function create<T extends KubeObject>(
  cluster: Cluster,
  resource: Resource,
  object: unknown,
  options: WriteOptions & { namespace?: string; name?: string; subresource?: string } = {},
): Promise<T> {
  return cluster.request<T>({
    method: 'POST',
    path: pathOf(resource, options),
    body: object,
    ...write(options),
  })
}

/** Puts the whole object; what it doesn't name is lost. Its resourceVersion guards against others' changes (409). */
export function replace<T extends KubeObject>(
  cluster: Cluster,
  resource: Resource,
  at: ObjectAddress,
  object: unknown,
  options: WriteOptions = {},
): Promise<T> {
  return cluster.request<T>({
    method: 'PUT',
    path: pathOf(resource, at),
    body: object,
    ...write(options),
  })
}

const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const

/** `apply` is server-side apply: it creates too, and needs a field manager (default kubectl-mig). */
export function patch<T extends KubeObject>(
  cluster: Cluster,
  resource: Resource,
  at: ObjectAddress,
  body: unknown,
  type: keyof typeof PATCH_TYPES,
  options: WriteOptions & { force?: boolean } = {},
): Promise<T> {
  const { query, ...rest } = write(
    type === 'apply' ? { fieldManager: 'kubectl-mig', ...options } : options,
  )
  return cluster.request<T>({
    method: 'PATCH',
    path: pathOf(resource, at),
    body,
    contentType: PATCH_TYPES[type],
    query: { ...query, force: options.force },
    ...rest,
  })
}

export interface RemoveOptions extends CallOptions {
  gracePeriodSeconds?: number | undefined
  propagationPolicy?: 'Foreground' | 'Background' | 'Orphan' | undefined
  preconditions?: { uid?: string; resourceVersion?: string }
  dryRun?: boolean | undefined
}

/** Answers the object while finalizers hold it, else a Status. */
export function remove<T extends KubeObject | Status>(
  cluster: Cluster,
  resource: Resource,
  at: ObjectAddress,
  options: RemoveOptions = {},
): Promise<T> {
  const { gracePeriodSeconds, propagationPolicy, preconditions, dryRun } = options
  return cluster.request<T>({
    method: 'DELETE',
    path: pathOf(resource, at),
    body: {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      ...(propagationPolicy && { propagationPolicy }),
      ...(preconditions && { preconditions }),
      ...(dryRun && { dryRun: ['All'] }),
    },
    ...call(options),
  })
}

async function listPage<T extends KubeObject>(
  cluster: Cluster,
  resource: Resource,
  options: PagesOptions<T>,
  token?: string,
): Promise<KubeList<T>> {
  const { keep } = options
  const page = await cluster.request<KubeList<T>>({
    path: pathOf(resource, { namespace: options.namespace }),
    query: {
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      limit: options.limit ?? PAGE_SIZE,
      continue: token,
    },
    parse: keep && ((texts) => parseList(texts, (item) => !isObject(item) || keep(item as T))),
    ...call(options),
  })
  const items = (page?.items ?? []) as unknown
  const what = `list ${resource.plural}`
  if (!page?.metadata || !Array.isArray(items)) throw strange(cluster, what, 'no list')
  if (!items.every(isObject)) throw strange(cluster, what, 'a list with an item that is no object')
  return { ...page, items: (items as T[]).map((item) => named(item, resource)) }
}

/** Whoever answers so is no Kubernetes API, or a broken one. */
function strange({ server }: Cluster, what: string, answer: string): ApiError {
  return new ApiError(EXIT.error, `cannot ${what}: the server answered ${answer} (${server})`, {
    code: 'NOOBJECT',
  })
}

function isObject(item: unknown): boolean {
  return typeof (item as Partial<KubeObject> | null)?.metadata?.name === 'string'
}

/** Built-in kinds leave kind and apiVersion out of a list's items; an object from a file has them. */
function named<T extends KubeObject>(item: T, { group, version, kind }: Resource): T {
  if (item.kind) return item
  return { apiVersion: group ? `${group}/${version}` : version, kind, ...item }
}

function listMeta<T extends KubeObject>(first: KubeList<T>): KubeList['metadata'] {
  const { resourceVersion } = first.metadata
  return resourceVersion === undefined ? {} : { resourceVersion }
}

function call({ signal, timeoutMs }: CallOptions): Pick<ApiRequest, 'signal' | 'timeoutMs'> {
  return { signal, ...(timeoutMs !== undefined && { timeoutMs }) }
}

function write(options: WriteOptions): Pick<ApiRequest, 'signal' | 'timeoutMs' | 'query'> {
  return {
    ...call(options),
    query: {
      dryRun: options.dryRun ? 'All' : undefined,
      fieldValidation: options.fieldValidation,
      fieldManager: options.fieldManager,
    },
  }
}
