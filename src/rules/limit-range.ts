import { ownValue } from '../kubevirt/own-value.ts'
import {
  type Amount,
  compare,
  formatQuantity,
  larger,
  milliOf,
  parseQuantity,
  ZERO,
} from '../kubevirt/quantity.ts'
import type { Container, KubeObject, Pod, Quantity } from '../kubevirt/types.ts'
import { podResources } from './pod-resources.ts'

type Resources = Record<string, Quantity>

export interface LimitRangeItem {
  type: string
  max?: Resources
  min?: Resources
  default?: Resources
  defaultRequest?: Resources
  maxLimitRequestRatio?: Resources
}

export interface LimitRange extends KubeObject {
  spec: { limits: LimitRangeItem[] }
}

/** Kubernetes' texts; the message stands behind `pods "NAME" is forbidden: `. */
export type LimitRangeDecision =
  | { admit: true }
  | { admit: false; violations: string[]; message: string }

const NOTE = 'kubernetes.io/limit-ranger'

/** The pod with what the namespace's ranges give to containers that name nothing themselves, and a note of that. */
export function withLimitRangeDefaults<T extends Pick<Pod, 'metadata' | 'spec'>>(
  pod: T,
  ranges: readonly LimitRange[],
): T {
  const items = ranges
    .flatMap(({ spec }) => spec.limits)
    .filter(({ type }) => type === 'Container')
    .map(completed)
  const requests: Resources = Object.assign({}, ...items.map((item) => item.defaultRequest))
  const limits: Resources = Object.assign({}, ...items.map((item) => item.default))
  const notes: string[] = []
  const fill = (kind: string) => (container: Container) =>
    filled(container, requests, limits, kind, notes)
  const containers = pod.spec.containers.map(fill('container'))
  const initContainers = pod.spec.initContainers?.map(fill('init container'))
  if (notes.length === 0) return pod
  const note = `LimitRanger plugin set: ${notes.join('; ')}`
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, [NOTE]: note } },
    spec: { ...pod.spec, containers, ...(initContainers ? { initContainers } : {}) },
  }
}

/** A range that names a maximum has defaults by that; one that names a minimum asks at least for it. */
function completed(
  item: LimitRangeItem,
): Required<Pick<LimitRangeItem, 'default' | 'defaultRequest'>> {
  const limits = { ...item.max, ...item.default }
  return { default: limits, defaultRequest: { ...item.min, ...limits, ...item.defaultRequest } }
}

function filled(
  container: Container,
  requests: Resources,
  limits: Resources,
  kind: string,
  notes: string[],
): Container {
  const own = container.resources
  const missing = (given: Resources, have: Resources | undefined) =>
    Object.keys(given)
      .filter((resource) => ownValue(have, resource) === undefined)
      .sort()
  for (const [what, names] of [
    ['request', missing(requests, own?.requests)],
    ['limit', missing(limits, own?.limits)],
  ] as const)
    if (names.length > 0) notes.push(`${names.join(', ')} ${what} for ${kind} ${container.name}`)
  return {
    ...container,
    resources: {
      requests: { ...requests, ...own?.requests },
      limits: { ...limits, ...own?.limits },
    },
  }
}

/** Do the namespace's ranges let the pod in? */
export function admitByLimitRange(
  pod: Pick<Pod, 'spec'>,
  ranges: readonly LimitRange[],
): LimitRangeDecision {
  const violations = ranges
    .flatMap(({ spec }) => spec.limits)
    .flatMap((item) => violationsOf(pod, item))
  if (violations.length === 0) return { admit: true }
  const message = violations.length === 1 ? violations[0]! : `[${violations.join(', ')}]`
  return { admit: false, violations, message }
}

function violationsOf({ spec }: Pick<Pod, 'spec'>, item: LimitRangeItem): string[] {
  if (item.type === 'Container')
    return [...spec.containers, ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
      constraints(item, amounts(resources?.requests), amounts(resources?.limits)),
    )
  if (item.type !== 'Pod') return []
  const pod = { metadata: { name: '' }, spec }
  return constraints(item, podResources(pod, 'requests'), podResources(pod, 'limits'))
}

type Amounts = Record<string, Amount>

function constraints(item: LimitRangeItem, requests: Amounts, limits: Amounts): string[] {
  const check = (bounds: Resources | undefined, of: typeof belowMinimum) =>
    Object.entries(bounds ?? {}).flatMap(([resource, text]) => {
      const bound = parseQuantity(text) ?? ZERO
      return (
        of(resource, item.type, bound, ownValue(requests, resource), ownValue(limits, resource)) ??
        []
      )
    })
  return [
    ...check(item.min, belowMinimum),
    ...check(item.max, aboveMaximum),
    ...check(item.maxLimitRequestRatio, aboveRatio),
  ]
}

function belowMinimum(
  resource: string,
  type: string,
  bound: Amount,
  request: Amount | undefined,
  limit: Amount | undefined,
): string | undefined {
  const rule = `minimum ${resource} usage per ${type} is ${formatQuantity(bound)}`
  if (!request) return `${rule}.  No request is specified`
  if (compare(request, bound) < 0) return `${rule}, but request is ${formatQuantity(request)}`
  if (limit && compare(limit, bound) < 0) return `${rule}, but limit is ${formatQuantity(limit)}`
  return undefined
}

function aboveMaximum(
  resource: string,
  type: string,
  bound: Amount,
  request: Amount | undefined,
  limit: Amount | undefined,
): string | undefined {
  const rule = `maximum ${resource} usage per ${type} is ${formatQuantity(bound)}`
  if (!limit) return `${rule}.  No limit is specified`
  if (compare(limit, bound) > 0) return `${rule}, but limit is ${formatQuantity(limit)}`
  if (request && compare(request, bound) > 0)
    return `${rule}, but request is ${formatQuantity(request)}`
  return undefined
}

function aboveRatio(
  resource: string,
  type: string,
  bound: Amount,
  request: Amount | undefined,
  limit: Amount | undefined,
): string | undefined {
  const rule = `${resource} max limit to request ratio per ${type} is ${formatQuantity(bound)}`
  if (!request || request.nano === 0n) return `${rule}, but no request is specified or request is 0`
  if (!limit || limit.nano === 0n) return `${rule}, but no limit is specified or limit is 0`
  const ratio = milliOf(limit) / milliOf(request)
  return ratio > milliOf(bound) / 1000
    ? `${rule}, but provided ratio is ${ratio.toFixed(6)}`
    : undefined
}

function amounts(resources: Resources | undefined): Amounts {
  return Object.fromEntries(
    Object.entries(resources ?? {}).map(([name, text]) => [
      name,
      larger(parseQuantity(text) ?? ZERO, ZERO),
    ]),
  )
}
