import type { Container, Pod } from '../../../kubevirt/types.ts'

/** When the kubelet tries again, ms: its back-off begins so and is doubled up to five minutes. */
const FIRST_RETRY_MS = 10_000
const LAST_RETRY_MS = 300_000

/** How a kubelet fares with the image of one pod. */
export interface PullFailure {
  /** For the pod's status, a merge patch. */
  status: NonNullable<Pod['status']>
  events: [type: 'Normal' | 'Warning', reason: string, message: string, container: string][]
  /** When it looks again, ms. */
  againAfter: number
}

/**
 * The first attempt ends in ErrImagePull, then the kubelet waits in ImagePullBackOff; both as kubelet and CRI-O word it.
 * @param looks how often it has looked before, every other time with an attempt @param now RFC 3339
 */
export function failedPull(pod: Pod, looks: number, now: string): PullFailure {
  const [container] = [...(pod.spec.initContainers ?? []), ...pod.spec.containers]
  const image = container?.image ?? ''
  const field = pod.spec.initContainers?.length ? 'initContainers' : 'containers'
  const at = `spec.${field}{${container?.name}}`
  const why = whyNot(image)
  const isAttempt = looks % 2 === 0
  const reason = isAttempt ? 'ErrImagePull' : 'ImagePullBackOff'
  const backOff = `Back-off pulling image "${image}"`
  const message = isAttempt ? why : `${backOff}: ErrImagePull: ${why}`
  return {
    status: waitingStatus(pod, container, { reason, message }, now),
    events: isAttempt
      ? [
          ['Normal', 'Pulling', `Pulling image "${image}"`, at],
          ['Warning', 'Failed', `Failed to pull image "${image}": ${why}`, at],
          ['Warning', 'Failed', 'Error: ErrImagePull', at],
        ]
      : [
          ['Normal', 'BackOff', backOff, at],
          ['Warning', 'Failed', 'Error: ImagePullBackOff', at],
        ],
    againAfter: isAttempt
      ? 500
      : Math.min(FIRST_RETRY_MS * 2 ** Math.floor(looks / 2), LAST_RETRY_MS),
  }
}

function whyNot(image: string): string {
  const [, repository = image, tag = 'latest'] = /^(.*?)(?::([^:/]+))?$/.exec(image) ?? []
  return `reading manifest ${tag} in ${repository}: manifest unknown`
}

function waitingStatus(
  pod: Pod,
  failing: Container | undefined,
  waiting: { reason: string; message: string },
  now: string,
): NonNullable<Pod['status']> {
  const { containers, initContainers = [] } = pod.spec
  const isInitializing = initContainers.length > 0
  const statusOf = (container: Container) => ({
    name: container.name,
    image: container.image ?? '',
    imageID: '',
    ready: false,
    started: false,
    restartCount: 0,
    state: { waiting: container === failing ? waiting : { reason: 'PodInitializing' } },
  })
  const unready = {
    status: 'False' as const,
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${containers.map(({ name }) => name).join(' ')}]`,
  }
  const times = { lastProbeTime: null, lastTransitionTime: now }
  return {
    phase: 'Pending',
    startTime: pod.status?.startTime ?? now,
    conditions: [
      { type: 'PodReadyToStartContainers', status: 'True', ...times },
      { type: 'Initialized', status: isInitializing ? 'False' : 'True', ...times },
      { type: 'Ready', ...unready, ...times },
      { type: 'ContainersReady', ...unready, ...times },
    ],
    containerStatuses: containers.map(statusOf),
    ...(isInitializing && { initContainerStatuses: initContainers.map(statusOf) }),
  }
}
