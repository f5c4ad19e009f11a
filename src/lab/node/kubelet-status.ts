import { hash } from 'node:crypto'
import type { Condition, Container, ContainerStatus, Pod } from '../../kubevirt/types.ts'

type PodStatus = NonNullable<Pod['status']>

/** The status of a pod whose containers all run, as a kubelet writes it. @param now RFC 3339, whole seconds */
export function runningStatus(
  pod: Pod,
  at: { now: string; podIP: string; hostIP: string },
): PodStatus & { hostIP: string } {
  const { now } = at
  const running = (container: Container): ContainerStatus =>
    containerStatus(pod, container, {
      ready: true,
      started: true,
      state: { running: { startedAt: now } },
    })
  const status = {
    phase: 'Running',
    startTime: now,
    hostIP: at.hostIP,
    hostIPs: [{ ip: at.hostIP }],
    podIP: at.podIP,
    podIPs: [{ ip: at.podIP }],
    qosClass: qosClassOf(pod),
    containerStatuses: pod.spec.containers.map(running),
    ...initStatuses(pod, (container) =>
      isSidecar(container) ? running(container) : done(pod, container, now, now, 0),
    ),
  }
  return {
    ...status,
    conditions: conditions({ ...pod, status: { ...pod.status, ...status } }, now),
  }
}

/**
 * The status after the containers have ended. A container that was shut down in order ends with 0.
 * @param reason where the code alone does not tell: OOMKilled
 */
export function endedStatus(pod: Pod, exitCode: number, now: string, reason?: string): PodStatus {
  const startedAt = pod.status?.startTime ?? now
  const ended = (container: Container) => done(pod, container, startedAt, now, exitCode, reason)
  const status = {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    containerStatuses: pod.spec.containers.map(ended),
    ...initStatuses(pod, (container) =>
      isSidecar(container) ? ended(container) : done(pod, container, startedAt, startedAt, 0),
    ),
  }
  return {
    ...status,
    conditions: conditions({ ...pod, status: { ...pod.status, ...status } }, now),
  }
}

/**
 * The conditions that are a kubelet's own, each with the time when it last changed. Ready needs the pod's readiness gates,
 * which others write.
 */
export function conditions(pod: Pod, now: string): Condition[] {
  const { phase, conditions: before = [] } = pod.status ?? {}
  const isFinal = phase === 'Succeeded' || phase === 'Failed'
  const over = { reason: phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed' }
  const containers: Verdict = isFinal ? { status: 'False', ...over } : readiness(pod)
  const wanted: Record<string, Verdict> = {
    PodReadyToStartContainers: { status: isFinal ? 'False' : 'True' },
    Initialized: { status: 'True', ...(phase === 'Succeeded' && over) },
    Ready: containers.status === 'True' ? gated(pod) : containers,
    ContainersReady: containers,
  }
  return Object.entries(wanted).map(([type, verdict]) => {
    const last = before.find((condition) => condition.type === type)
    const lastTransitionTime = (last?.status === verdict.status && last.lastTransitionTime) || now
    return { type, ...verdict, lastProbeTime: null, lastTransitionTime }
  })
}

type Verdict = Pick<Condition, 'status' | 'reason' | 'message'>

function readiness({ status }: Pod): Verdict {
  const unready = (status?.containerStatuses ?? []).filter(({ ready }) => !ready)
  if (unready.length === 0) return { status: 'True' }
  const names = unready.map(({ name }) => name).join(' ')
  const message = `containers with unready status: [${names}]`
  return { status: 'False', reason: 'ContainersNotReady', message }
}

function gated({ spec, status }: Pod): Verdict {
  const missing = (spec.readinessGates ?? []).flatMap(({ conditionType: gate }) => {
    const found = status?.conditions?.find(({ type }) => type === gate)
    if (found?.status === 'True') return []
    return found
      ? [`the status of pod readiness gate "${gate}" is not "True", but ${found.status}`]
      : [`corresponding condition of pod readiness gate "${gate}" does not exist.`]
  })
  if (missing.length === 0) return { status: 'True' }
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: missing.join(', ') }
}

/** It runs beside the containers, not before them. */
export function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always'
}

function initStatuses(
  { spec }: Pod,
  statusOf: (container: Container) => ContainerStatus,
): Pick<PodStatus, 'initContainerStatuses'> {
  const all = spec.initContainers ?? []
  return all.length > 0 ? { initContainerStatuses: all.map(statusOf) } : {}
}

function done(
  pod: Pod,
  container: Container,
  startedAt: string,
  finishedAt: string,
  exitCode: number,
  reason = exitCode === 0 ? 'Completed' : 'Error',
): ContainerStatus {
  const isInit = pod.spec.initContainers?.includes(container) && !isSidecar(container)
  const containerID = idOf(pod, container)
  return containerStatus(pod, container, {
    ready: isInit === true && exitCode === 0,
    started: false,
    state: { terminated: { exitCode, reason, startedAt, finishedAt, containerID } },
  })
}

/** Of the container that runs after so many restarts. */
export function containerStatus(
  pod: Pod,
  container: Container,
  state: Omit<ContainerStatus, 'name' | 'image' | 'imageID' | 'restartCount'>,
  restarts = 0,
): ContainerStatus {
  const { name, image = '' } = container
  return {
    name,
    image,
    imageID: imageId(image),
    containerID: idOf(pod, container, restarts),
    restartCount: restarts,
    ...state,
  }
}

/** What a registry would call it: by its digest, which an image that is named by one has already. */
function imageId(image: string): string {
  if (image.includes('@')) return image
  return `${image.replace(/:[^/:]+$/, '')}@sha256:${hash('sha256', image)}`
}

export function idOf({ metadata }: Pod, { name }: Container, restarts = 0): string {
  return `cri-o://${hash('sha256', `${metadata.uid} ${name} ${restarts}`)}`
}

function qosClassOf({ spec }: Pod): string {
  const containers = [...spec.containers, ...(spec.initContainers ?? [])]
  const asked = containers.map(({ resources }) => resources ?? {})
  const compute = (table: Record<string, unknown> = {}) => ['cpu', 'memory'].map((r) => table[r])
  const all = asked.flatMap((r) => [...compute(r.requests), ...compute(r.limits)])
  if (all.every((value) => value === undefined)) return 'BestEffort'
  const guaranteed = asked.every((r) =>
    compute(r.limits).every((limit, i) => limit !== undefined && compute(r.requests)[i] === limit),
  )
  return guaranteed ? 'Guaranteed' : 'Burstable'
}
