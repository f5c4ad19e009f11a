import { hash } from 'node:crypto'
import type { Condition, Container, ContainerStatus, Pod } from '../../kubevirt/types.ts'

/** The status of a pod whose containers all run, as a kubelet writes it. @param now RFC 3339, whole seconds */
export function runningStatus(
  pod: Pod,
  at: { now: string; podIP: string; hostIP: string },
): NonNullable<Pod['status']> & { hostIP: string } {
  const running = (container: Container) => containerStatus(container, startedAt(at.now))
  const sidecars = (pod.spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always')
  return {
    phase: 'Running',
    startTime: at.now,
    hostIP: at.hostIP,
    podIP: at.podIP,
    podIPs: [{ ip: at.podIP }],
    qosClass: qosClassOf(pod),
    conditions: conditions('True', at.now),
    containerStatuses: pod.spec.containers.map(running),
    ...(sidecars.length > 0 && { initContainerStatuses: sidecars.map(running) }),
  }
}

/** The status after the containers have ended. A container that was shut down in order ends with 0. */
export function endedStatus(pod: Pod, exitCode: number, now: string): NonNullable<Pod['status']> {
  const ended = (container: Container) =>
    containerStatus(container, {
      ready: false,
      started: false,
      state: {
        terminated: {
          exitCode,
          reason: exitCode === 0 ? 'Completed' : 'Error',
          startedAt: pod.status?.startTime ?? now,
          finishedAt: now,
        },
      },
    })
  const sidecars = (pod.spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always')
  return {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    conditions: conditions('False', now),
    containerStatuses: pod.spec.containers.map(ended),
    ...(sidecars.length > 0 && { initContainerStatuses: sidecars.map(ended) }),
  }
}

function startedAt(now: string) {
  return { ready: true, started: true, state: { running: { startedAt: now } } }
}

function containerStatus(
  { name, image = '' }: Container,
  state: Pick<ContainerStatus, 'ready' | 'started' | 'state'>,
): ContainerStatus {
  const repository = image.replace(/:[^/:]+$/, '')
  return {
    name,
    image,
    imageID: `${repository}@sha256:${hash('sha256', image)}`,
    restartCount: 0,
    ...state,
  }
}

/** A container that has ended is no longer ready, its pod was initialized all the same. */
function conditions(ready: Condition['status'], now: string): Condition[] {
  const condition = (type: string, status: Condition['status']): Condition => ({
    type,
    status,
    lastProbeTime: null,
    lastTransitionTime: now,
  })
  return [
    condition('Initialized', 'True'),
    condition('ContainersReady', ready),
    condition('Ready', ready),
  ]
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
