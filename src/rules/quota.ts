import { ownValue } from '../kubevirt/own-value.ts'
import {
  type Amount,
  add,
  compare,
  formatQuantity,
  parseQuantity,
  ZERO,
} from '../kubevirt/quantity.ts'
import type { Pod, Quantity, ResourceQuota } from '../kubevirt/types.ts'
import { podResources } from './pod-resources.ts'
import { inScope } from './quota-scope.ts'

/** Amounts by the names that a quota uses: `requests.memory`, `limits.cpu`, `pods`, `count/pods`. */
export type Usage = Record<string, Amount>

export type QuotaDecision =
  | { admit: true; charges: QuotaCharge[] }
  | { admit: false; blockers: [QuotaBlocker, ...QuotaBlocker[]] }

/** What an admitted pod adds to a quota; the API server writes it at once, so that two pods can't take the same room. */
interface QuotaCharge {
  quota: string
  used: Record<string, string>
}

type QuotaBlocker =
  | {
      kind: 'exceeded'
      quota: string
      requested: Record<string, string>
      used: Record<string, string>
      hard: Record<string, string>
      message: string
    }
  | { kind: 'must-specify'; quota: string; missing: Record<string, string[]>; message: string }
  | { kind: 'unknown'; quota: string; message: string }

/**
 * Would these quotas let the pod in? Kubernetes' own rules and texts; the message stands behind
 * `pods "NAME" is forbidden: `. Quotas are looked at by name; Kubernetes has no order and stops at the first.
 */
export function admitPod(pod: Pod, quotas: readonly ResourceQuota[]): QuotaDecision {
  const usage = usageOf(pod)
  const charges: QuotaCharge[] = []
  const blockers: QuotaBlocker[] = []
  for (const quota of [...quotas].sort(byName)) {
    if (!inScope(quota, pod)) continue
    const name = quota.metadata.name
    // What its controller has not come to is not enforced yet.
    const hard = quota.status?.hard ?? {}
    const names = Object.keys(hard).filter((resource) => isPodResource(resource))
    if (names.length === 0) continue
    const blocker =
      unspecified(name, names, pod) ??
      unmeasured(name, names, quota) ??
      exceeded(quota, usage, hard)
    if (blocker) blockers.push(blocker)
    else charges.push({ quota: name, used: charged(quota, usage, names) })
  }
  const [first, ...rest] = blockers
  return first ? { admit: false, blockers: [first, ...rest] } : { admit: true, charges }
}

/** Which pods count, and how much of each of the quota's resources they use together. */
export function usedOf(
  quota: ResourceQuota,
  pods: readonly Pod[],
  now: number,
): Record<string, string> {
  const total: Usage = {}
  for (const pod of pods) {
    if (pod.metadata.namespace !== quota.metadata.namespace || !inScope(quota, pod)) continue
    for (const [resource, amount] of Object.entries(countedUsage(pod, now)))
      total[resource] = add(ownValue(total, resource) ?? ZERO, amount)
  }
  return Object.fromEntries(
    Object.keys(quota.spec.hard ?? {})
      .filter((resource) => isPodResource(resource))
      .map((resource) => [resource, formatQuantity(ownValue(total, resource) ?? ZERO)]),
  )
}

/** A finished pod, or one whose grace is over, uses nothing but its place among the objects. */
function countedUsage(pod: Pod, now: number): Usage {
  if (isCounted(pod, now)) return usageOf(pod)
  return { 'count/pods': { nano: 1_000_000_000n, format: 'DecimalSI' } }
}

function isCounted(pod: Pod, now: number): boolean {
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return false
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true
  return now <= Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000
}

/** What one pod uses while it lives: containers and restartable init containers together, or the largest init container. */
export function usageOf(pod: Pod): Usage {
  const one: Amount = { nano: 1_000_000_000n, format: 'DecimalSI' }
  const usage: Usage = { pods: one, 'count/pods': one }
  for (const kind of ['requests', 'limits'] as const)
    for (const [resource, amount] of Object.entries(podResources(pod, kind))) {
      if (kind === 'limits' && !isStandard(resource)) continue
      usage[`${kind}.${resource}`] = amount
      if (kind === 'requests' && isStandard(resource)) usage[resource] = amount
    }
  return usage
}

function exceeded(
  quota: ResourceQuota,
  usage: Usage,
  hard: Record<string, Quantity>,
): QuotaBlocker | undefined {
  const used = quota.status?.used ?? {}
  const over = Object.keys(hard).filter((resource) => {
    const limit = parseQuantity(hard[resource])
    const wanted = ownValue(usage, resource)
    if (!limit || !wanted || wanted.nano <= 0n) return false
    return compare(add(parseQuantity(ownValue(used, resource)) ?? ZERO, wanted), limit) > 0
  })
  if (over.length === 0) return undefined
  const requested = texts(over, usage)
  const name = quota.metadata.name
  const blocker = {
    quota: name,
    requested,
    used: canonical(over, used),
    hard: canonical(over, hard),
  }
  const message = `exceeded quota: ${name}, requested: ${list(blocker.requested)}, used: ${list(blocker.used)}, limited: ${list(blocker.hard)}`
  return { kind: 'exceeded', ...blocker, message }
}

/** A quota of CPU or memory obliges every container to name its own. */
function unspecified(quota: string, names: string[], pod: Pod): QuotaBlocker | undefined {
  const missing: Record<string, string[]> = {}
  const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]
  for (const name of names) {
    const [, kind = 'requests', resource = ''] =
      /^(?:(requests|limits)\.)?(cpu|memory)$/.exec(name) ?? []
    if (!resource) continue
    const lacking = containers.filter(
      ({ resources }) => resources?.[kind as 'requests' | 'limits']?.[resource] === undefined,
    )
    if (lacking.length > 0) missing[name] = lacking.map((container) => container.name).sort()
  }
  const resources = Object.keys(missing).sort()
  if (resources.length === 0) return undefined
  const parts = resources.map((resource) => `${resource} for: ${missing[resource]?.join(',')}`)
  const message = `failed quota: ${quota}: must specify ${parts.join('; ')}`
  return { kind: 'must-specify', quota, missing, message }
}

/** Before the quota controller has measured once, nothing is let in. */
function unmeasured(name: string, names: string[], quota: ResourceQuota): QuotaBlocker | undefined {
  const unknown = names
    .filter((resource) => ownValue(quota.status?.used, resource) === undefined)
    .sort()
  if (unknown.length === 0) return undefined
  const message = `status unknown for quota: ${name}, resources: ${unknown.join(',')}`
  return { kind: 'unknown', quota: name, message }
}

function charged(quota: ResourceQuota, usage: Usage, names: string[]): Record<string, string> {
  const used: Record<string, string> = { ...canonical(names, quota.status?.used ?? {}) }
  for (const name of names)
    used[name] = formatQuantity(
      add(parseQuantity(ownValue(used, name)) ?? ZERO, ownValue(usage, name) ?? ZERO),
    )
  return used
}

function isStandard(resource: string): boolean {
  return (
    ['cpu', 'memory', 'ephemeral-storage'].includes(resource) || resource.startsWith('hugepages-')
  )
}

function isPodResource(resource: string): boolean {
  return (
    resource === 'pods' ||
    resource === 'count/pods' ||
    isStandard(resource) ||
    (/^(requests|limits)\./.test(resource) && !resource.endsWith('storage')) ||
    /^(requests|limits)\.ephemeral-storage$/.test(resource)
  )
}

function texts(names: string[], amounts: Usage): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => [name, formatQuantity(ownValue(amounts, name) ?? ZERO)]),
  )
}

function canonical(names: string[], amounts: Record<string, Quantity>): Record<string, string> {
  return texts(
    names,
    Object.fromEntries(names.map((name) => [name, parseQuantity(ownValue(amounts, name)) ?? ZERO])),
  )
}

function list(amounts: Record<string, string>): string {
  return Object.keys(amounts)
    .sort()
    .map((name) => `${name}=${amounts[name]}`)
    .join(',')
}

function byName(a: ResourceQuota, b: ResourceQuota): number {
  return a.metadata.name < b.metadata.name ? -1 : 1
}
