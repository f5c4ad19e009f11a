import { ApiError, isStatus } from '../../cluster/api-error.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { get, pages } from '../../cluster/objects.ts'
import { MigError } from '../../errors.ts'
import { pathOf, type Resource } from '../../kubevirt/resources.ts'
import type { KubeObject } from '../../kubevirt/types.ts'
import type { Gap } from '../evidence.ts'
import type { LogHit } from '../log-hits.ts'
import { createObjects, type Objects } from '../objects.ts'
import type { ProxyProbe } from '../probes.ts'
import { objectsIn } from '../shape.ts'
import type { Permissions } from './permissions.ts'

interface Selection<T extends KubeObject> {
  /** Undefined: all namespaces, or of no namespace. */
  namespace?: string | undefined
  labelSelector?: string | undefined
  fieldSelector?: string | undefined
  /** What does not matter is dropped page by page, so that a long list costs no memory. */
  keep?: (object: T) => boolean
}

/**
 * Reads what it is asked for into one place. What may not be read becomes a gap and is no error; what a server does not
 * know is absent. Thrown is an interruption, and why a server has not answered anything yet: asking on would tell the same.
 */
export interface Reader {
  readonly objects: Objects
  readonly gaps: Gap[]
  readonly logs: { hits: LogHit[]; lines: number; files: number }
  /** What was looked at on nodes; undefined when nothing was asked for. */
  probes: ProxyProbe[] | undefined
  /** @param what a name for the gap where it is not the whole kind; undefined when it could not be read */
  list<T extends KubeObject>(
    resource: Resource,
    selection?: Selection<T>,
    what?: string,
  ): Promise<T[] | undefined>
  get<T extends KubeObject>(
    resource: Resource,
    at: { namespace?: string | undefined; name: string },
    what?: string,
  ): Promise<T | undefined>
  /** Whether the user may read it; if not, that is a gap now. */
  mayRead(
    verb: 'get' | 'list',
    resource: Resource,
    namespace: string | undefined,
    what: string,
    subresource?: string,
  ): boolean
  gap(gap: Gap): void
}

export function createReader(
  cluster: Cluster,
  permissions: Permissions,
  signal: AbortSignal,
): Reader {
  const objects = createObjects()
  const gaps: Gap[] = []
  let answers = false

  function gap(found: Gap): void {
    if (!gaps.some(({ what, detail }) => what === found.what && detail === found.detail))
      gaps.push(found)
  }

  function failed(what: string, err: unknown): undefined {
    if (!(err instanceof MigError) || signal.aborted) throw err
    if (isAnswer(err)) answers = true
    else if (!answers) throw err
    gap({ what, why: isStatus(err, 403) ? 'forbidden' : 'unreadable', detail: err.message })
  }

  function mayRead(
    verb: 'get' | 'list',
    resource: Resource,
    namespace: string | undefined,
    what: string,
    subresource?: string,
  ): boolean {
    if (permissions.mayRead(verb, resource, namespace, subresource)) return true
    const kind = subresource ? `${resource.plural}/${subresource}` : resource.plural
    const where =
      !resource.namespaced || namespace === undefined ? 'cluster-wide' : `in ${namespace}`
    gap({ what, why: 'forbidden', detail: `the user may not ${verb} ${kind} ${where}` })
    return false
  }

  /** Adds what came, without what must not be quoted; answers those that were kept. */
  function add<T extends KubeObject>(answer: unknown, from: string) {
    const { items, kinds } = objectsIn(answer)
    answers = true
    for (const kind of kinds) objects.sawKind(kind)
    for (const item of items) objects.add(item, from)
    return items as unknown as T[]
  }

  return {
    objects,
    gaps,
    logs: { hits: [], lines: 0, files: 0 },
    probes: undefined,
    mayRead,
    gap,

    async list<T extends KubeObject>(
      resource: Resource,
      { keep, ...selection }: Selection<T> = {},
      what: string = resource.kind,
    ) {
      if (!mayRead('list', resource, selection.namespace, what)) return undefined
      const found: T[] = []
      const from = pathOf(resource, { namespace: selection.namespace })
      try {
        for await (const page of pages<T>(cluster, resource, { ...selection, keep, signal }))
          found.push(...add<T>({ kind: `${resource.kind}List`, items: page.items }, from))
      } catch (err) {
        // A kind that this server does not have: there is nothing of it.
        if (!isStatus(err, 404)) return failed(what, err)
      }
      answers = true
      objects.sawKind(resource.kind)
      return found
    },

    async get<T extends KubeObject>(
      resource: Resource,
      at: { namespace?: string | undefined; name: string },
      what: string = resource.kind,
    ) {
      if (!mayRead('get', resource, at.namespace, what)) return undefined
      try {
        const object = await get<T>(cluster, resource, at, { signal })
        const [found] = add<T>({ ...object, kind: resource.kind }, pathOf(resource, at))
        return found
      } catch (err) {
        if (!isStatus(err, 404)) return failed(what, err)
        answers = true
        objects.sawKind(resource.kind)
        return undefined
      }
    },
  }
}

/** Whether the server knows who asks, and has said something to it. */
function isAnswer(err: MigError): boolean {
  return err instanceof ApiError && err.status !== undefined && err.status !== 401
}
