import type { ContainerStatus, Pod } from '../../../kubevirt/types.ts'
import { ageOf } from '../human-duration.ts'
import { type ApiObject, defineKind } from '../kind.ts'
import { pick, text } from './fields.ts'
import { partDefaults } from './pod-parts-defaults.ts'
import { podFaults } from './pod-validation.ts'

const FINAL_PHASES = ['Succeeded', 'Failed']

export const POD = defineKind({
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  shortNames: ['po'],
  categories: ['all'],
  hasStatus: true,
  hasGeneration: true,
  returnsDeleted: true,
  subresources: [
    { name: 'attach', kind: 'PodAttachOptions', verbs: ['create', 'get'] },
    { name: 'binding', kind: 'Binding', verbs: ['create'] },
    { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
    { name: 'exec', kind: 'PodExecOptions', verbs: ['create', 'get'] },
    { name: 'log', verbs: ['get'] },
    { name: 'portforward', kind: 'PodPortForwardOptions', verbs: ['create', 'get'] },
    {
      name: 'proxy',
      kind: 'PodProxyOptions',
      verbs: ['create', 'delete', 'get', 'patch', 'update'],
    },
  ],
  fields: {
    'spec.nodeName': (o) => text(o, 'spec.nodeName'),
    'spec.restartPolicy': (o) => text(o, 'spec.restartPolicy'),
    'spec.schedulerName': (o) => text(o, 'spec.schedulerName'),
    'spec.serviceAccountName': (o) => text(o, 'spec.serviceAccountName'),
    'spec.hostNetwork': (o) => String(pick(o, 'spec.hostNetwork') ?? false),
    'status.phase': (o) => text(o, 'status.phase'),
    'status.podIP': (o) => text(o, 'status.podIP'),
    'status.nominatedNodeName': (o) => text(o, 'status.nominatedNodeName'),
  },
  columns: [
    { name: 'Ready', cell: (o) => ready(asPod(o)) },
    { name: 'Status', cell: (o) => podStatus(asPod(o)) },
    { name: 'Restarts', cell: (o, now) => restarts(asPod(o), now) },
    { name: 'Age', cell: (o, now) => ageOf(o.metadata.creationTimestamp, now) },
    { name: 'IP', priority: 1, cell: (o) => text(o, 'status.podIP') || '<none>' },
    { name: 'Node', priority: 1, cell: (o) => text(o, 'spec.nodeName') || '<none>' },
    {
      name: 'Nominated Node',
      priority: 1,
      cell: (o) => text(o, 'status.nominatedNodeName') || '<none>',
    },
    { name: 'Readiness Gates', priority: 1, cell: (o) => readinessGates(asPod(o)) },
  ],
  defaults: podDefaults,
  prepare(object) {
    object['status'] = { phase: 'Pending', qosClass: qosClass(asPod(object)) }
  },
  validate: podFaults,
  graceSeconds: gracePeriod,
})

/**
 * As the API server decides: a pod that no kubelet has, or that has ended, goes at once; else whoever deletes may name
 * the time, and the pod's own is the default.
 */
function gracePeriod(object: ApiObject, asked: number | undefined): number {
  const pod = asPod(object)
  if (!pod.spec.nodeName || FINAL_PHASES.includes(pod.status?.phase ?? '')) return 0
  const seconds = asked ?? pod.spec.terminationGracePeriodSeconds ?? 30
  return seconds < 0 ? 1 : seconds
}

function podDefaults(object: ApiObject): void {
  templateDefaults(object)
  const { spec } = asPod(object)
  spec['enableServiceLinks'] ??= true
  // A limit without a request is the request.
  for (const { resources } of [...(spec.initContainers ?? []), ...spec.containers])
    if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests }
}

/** Of a pod, or of the template of pods. */
export function templateDefaults(object: ApiObject): void {
  const pod = asPod(object)
  pod.spec ??= { containers: [] }
  const { spec } = pod
  spec.containers ??= []
  spec.restartPolicy ??= 'Always'
  spec.terminationGracePeriodSeconds ??= 30
  spec['dnsPolicy'] ??= 'ClusterFirst'
  spec.schedulerName ??= 'default-scheduler'
  spec.securityContext ??= {}
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    container.resources ??= {}
    container['terminationMessagePath'] ??= '/dev/termination-log'
    container['terminationMessagePolicy'] ??= 'File'
    container['imagePullPolicy'] ??= isLatest(container.image) ? 'Always' : 'IfNotPresent'
  }
  partDefaults(
    spec as unknown as Record<string, unknown>,
    [...(spec.initContainers ?? []), ...spec.containers] as unknown as Record<string, unknown>[],
  )
  for (const condition of pod.status?.conditions ?? []) {
    condition['lastProbeTime'] ??= null
    condition['lastTransitionTime'] ??= null
  }
}

/** What has no tag is the latest, and may have changed. */
function isLatest(image = ''): boolean {
  return !image.includes('@') && (/:latest$/.test(image) || !/:[^/]+$/.test(image))
}

/** Guaranteed, Burstable or BestEffort, by the requests and limits of cpu and memory of all containers. */
function qosClass({ spec }: Pod): string {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  const figures = containers.flatMap(({ resources }) =>
    ['cpu', 'memory'].map((name) => ({
      request: resources?.requests?.[name],
      limit: resources?.limits?.[name],
    })),
  )
  if (figures.every(({ request, limit }) => request === undefined && limit === undefined))
    return 'BestEffort'
  const guaranteed = figures.every(
    ({ request, limit }) => limit !== undefined && String(request) === String(limit),
  )
  return guaranteed ? 'Guaranteed' : 'Burstable'
}

/** Containers that start first and stay: they count as the pod's own. */
function sidecars(pod: Pod): Set<string> {
  return new Set(
    (pod.spec.initContainers ?? [])
      .filter((container) => container.restartPolicy === 'Always')
      .map(({ name }) => name),
  )
}

function ready(pod: Pod): string {
  const restartable = sidecars(pod)
  const running = [
    ...(pod.status?.initContainerStatuses ?? []).filter(
      ({ name, started, ready }) => restartable.has(name) && started && ready,
    ),
    ...(pod.status?.containerStatuses ?? []).filter(({ ready, state }) => ready && state?.running),
  ].length
  return `${running}/${(pod.spec.containers ?? []).length + restartable.size}`
}

function restarts(pod: Pod, now: number): string {
  const restartable = sidecars(pod)
  const statuses = [
    ...(pod.status?.initContainerStatuses ?? []).filter(({ name }) => restartable.has(name)),
    ...(pod.status?.containerStatuses ?? []),
  ]
  const total = statuses.reduce((sum, status) => sum + (status.restartCount ?? 0), 0)
  const ends = statuses
    .map(({ lastState }) => lastState?.terminated?.finishedAt)
    .filter((end) => end !== undefined)
    .sort()
  return total > 0 && ends.length > 0 ? `${total} (${ageOf(ends.at(-1), now)} ago)` : String(total)
}

/** The STATUS column: the phase, unless a container or the pod's end tells more. */
function podStatus(pod: Pod): string {
  const { status } = pod
  const initialising = initStatus(pod)
  let words = status?.reason || status?.phase || 'Unknown'
  if (hasCondition(pod, 'PodScheduled', 'False', 'SchedulingGated')) words = 'SchedulingGated'
  if (initialising) words = initialising
  else {
    let running = false
    for (const container of (status?.containerStatuses ?? []).toReversed()) {
      const word = containerWord(container)
      if (word) words = word
      else if (container.ready && container.state?.running) running = true
    }
    if (words === 'Completed' && running)
      words = hasCondition(pod, 'Ready', 'True') ? 'Running' : 'NotReady'
  }
  if (pod.metadata.deletionTimestamp && status?.reason === 'NodeLost') return 'Unknown'
  if (pod.metadata.deletionTimestamp && !FINAL_PHASES.includes(status?.phase ?? ''))
    return 'Terminating'
  return words
}

function hasCondition(pod: Pod, type: string, status: string, reason?: string): boolean {
  return (pod.status?.conditions ?? []).some(
    (c) => c.type === type && c.status === status && (reason === undefined || c.reason === reason),
  )
}

/** `Init:…` while an init container has not done its part; undefined once all have. */
function initStatus(pod: Pod): string | undefined {
  const restartable = sidecars(pod)
  const statuses = pod.status?.initContainerStatuses ?? []
  for (const [index, container] of statuses.entries()) {
    const terminated = container.state?.terminated
    if (terminated?.exitCode === 0) continue
    if (restartable.has(container.name) && container.started) continue
    const waiting = container.state?.waiting?.reason
    if (terminated) return `Init:${containerWord(container)}`
    if (waiting && waiting !== 'PodInitializing') return `Init:${waiting}`
    return `Init:${index}/${pod.spec.initContainers?.length ?? 0}`
  }
  return undefined
}

function containerWord({ state }: ContainerStatus): string | undefined {
  if (state?.waiting?.reason) return state.waiting.reason
  const terminated = state?.terminated as
    | { reason?: string; signal?: number; exitCode?: number }
    | undefined
  if (!terminated) return undefined
  if (terminated.reason) return terminated.reason
  return terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode ?? 0}`
}

function readinessGates(pod: Pod): string {
  const gates = pod.spec.readinessGates ?? []
  if (gates.length === 0) return '<none>'
  const met = gates.filter(({ conditionType }) => hasCondition(pod, conditionType, 'True')).length
  return `${met}/${gates.length}`
}

/** The built-in kinds' own view of an object. */
export function asPod(object: ApiObject): Pod {
  return object as unknown as Pod
}
