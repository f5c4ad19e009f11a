import { ApiError, isStatus, statusOf } from '../../src/cluster/api-error.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { create, get, patch, remove, replace } from '../../src/cluster/objects.ts'
import { pathOf, type Resource } from '../../src/kubevirt/resources.ts'
import type { KubeObject } from '../../src/kubevirt/types.ts'
import { ALL_KINDS } from '../../src/lab/api/kinds/index.ts'
import { namespaceOf, type ReplayLab } from './lab.ts'
import type { Input } from './scenario.ts'

/** How a request that failed was answered. */
export interface Refused {
  code: number
  message: string
}

/** Writes what somebody wrote; undefined when it was accepted. Throws what is no answer of the API. */
export async function perform(input: Input, lab: ReplayLab): Promise<Refused | undefined> {
  const cluster = await lab.as(input.by)
  try {
    await write(input, lab, cluster)
    return undefined
  } catch (err) {
    if (err instanceof ApiError && err.status !== undefined)
      return { code: err.status, message: statusOf(err)?.message ?? err.message }
    throw err
  }
}

async function write(input: Input, { names }: ReplayLab, cluster: Cluster): Promise<void> {
  const body = names.resolve(input.body ?? {}) as Record<string, unknown>
  if (input.op === 'PUT') {
    await cluster.request({
      method: 'PUT',
      path: names.resolve(input.kind) as string,
      body,
      accept: 'application/json, */*',
    })
    return
  }
  const resource = resourceOf(input.kind)
  const namespace = namespaceOf(resource)
  const name = names.resolveName(input.name ?? '') ?? ''
  const at = { namespace, name, ...(input.subresource ? { subresource: input.subresource } : {}) }
  switch (input.op) {
    case 'create':
      await create(
        cluster,
        resource,
        { apiVersion: apiVersionOf(resource), ...body },
        where(namespace),
      )
      return
    case 'delete':
      await remove(cluster, resource, at, body)
      return
    case 'merge':
      if (input.by.startsWith('virt-handler@')) await update(cluster, resource, at, body)
      else await patch(cluster, resource, at, body, 'merge')
      return
    case 'strategic-merge':
      await patch(cluster, resource, at, body, 'strategic')
      return
    case 'bind':
      await cluster.request({
        method: 'POST',
        path: pathOf(resource, { ...at, subresource: 'binding' }),
        body: {
          apiVersion: 'v1',
          kind: 'Binding',
          metadata: { name },
          target: { apiVersion: 'v1', kind: 'Node', name: input.node },
        },
      })
      return
    case 'evict':
      await cluster.request({
        method: 'POST',
        path: pathOf(resource, { ...at, subresource: 'eviction' }),
        body: {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          ...body,
          // Who asks may be told by annotations.
          metadata: { namespace, name, ...(body['metadata'] as object | undefined) },
        },
      })
      return
    default:
      throw new Error(`an input of the kind ${input.op} is unknown`)
  }
}

/** virt-handler's way: reads, changes and writes the whole object, until nobody was faster. */
async function update(
  cluster: Cluster,
  resource: Resource,
  at: { namespace: string | undefined; name: string },
  body: object,
): Promise<void> {
  for (;;) {
    const before = await get<KubeObject>(cluster, resource, at)
    try {
      await replace(cluster, resource, at, merged(before, body))
      return
    } catch (err) {
      if (!isStatus(err, 409)) throw err
    }
  }
}

/** A merge patch, but what stands in an array stays as it is, nulls too: KubeVirt's way to write unset times. */
export function merged(before: unknown, change: unknown): unknown {
  if (!isObject(change)) return change
  const result: Record<string, unknown> = isObject(before) ? { ...before } : {}
  for (const [key, value] of Object.entries(change))
    if (value === null) delete result[key]
    else result[key] = merged(result[key], value)
  return result
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The resource of a kind, whatever its group: no two that a recording names share a kind. */
export function resourceOf(kind: string): Resource {
  const row = ALL_KINDS.find((candidate) => candidate.kind === kind)
  if (!row) throw new Error(`the kind ${kind} is unknown to the lab`)
  const { group, version, plural, namespaced } = row
  return { group, version, plural, kind, namespaced }
}

function apiVersionOf({ group, version }: Resource): string {
  return group ? `${group}/${version}` : version
}

function where(namespace: string | undefined) {
  return namespace === undefined ? {} : { namespace }
}
