import type { Clock } from '../../clock.ts'
import { timestamp } from '../../kubevirt/time.ts'
import type { ContainerStatus, Pod } from '../../kubevirt/types.ts'
import { containerStatus, idOf } from './kubelet-status.ts'

/** The process of a node's virt-handler, which may end and be started anew: in the same pod, or in another. */
export interface HandlerLife {
  readonly isUp: boolean
  /** It ends; what it listened on and what ran through it ends with it. Nothing happens when it is down. */
  crash(): Promise<void>
  /** It runs again, with everything to be looked at afresh. Nothing happens when it is up, or has no pod. */
  start(): Promise<void>
  /** Its pod is stopped, and it ends with that. */
  leave(): Promise<void>
  /** It has a pod; one that had to leave runs again. */
  enter(): Promise<void>
}

export interface HandlerSurroundings {
  clock: Clock
  /** Its pod, as far as there is one. */
  pod(): Pod | undefined
  /** As its kubelet says it. */
  report(pod: Pod, status: NonNullable<Pod['status']>): Promise<void>
  /** All that the process holds is gone. */
  onDown(): Promise<void>
  /** It will run again in the same pod: what it says then is another container's log. */
  onRestart(pod: Pod): void
  onUp(): Promise<void>
}

/** What Go exits with after a panic. */
const PANIC = 2

export function handlerLife({
  clock,
  pod,
  report,
  onDown,
  onRestart,
  onUp,
}: HandlerSurroundings): HandlerLife {
  let isUp = true
  let hasLeft = false
  let restarts = 0
  let startedAt: string | undefined

  let last: ContainerStatus['state'] | undefined

  /** The pod's one container: the list of them is replaced as a whole. */
  async function say(status: Pick<ContainerStatus, 'state' | 'containerID'>) {
    const current = pod()
    const [container] = current?.spec.containers ?? []
    if (!current || !container) return
    const ready = status.state?.running !== undefined
    const all = { ...status, ready, started: ready, ...(last && { lastState: last }) }
    await report(current, {
      containerStatuses: [containerStatus(current, container, all, restarts)],
    })
  }

  return {
    get isUp() {
      return isUp
    },
    async crash() {
      if (!isUp) return
      isUp = false
      await onDown()
      const current = pod()
      const [container] = current?.spec.containers ?? []
      if (!current || !container) return
      const finishedAt = timestamp(clock.now())
      const containerID = idOf(current, container, restarts)
      last = {
        terminated: {
          exitCode: PANIC,
          reason: 'Error',
          startedAt: startedAt ?? current.status?.startTime ?? finishedAt,
          finishedAt,
          containerID,
        },
      }
      onRestart(current)
      restarts++
      // Until the next one has begun, it is known by the last one's id.
      await say({
        state: { waiting: { reason: 'CrashLoopBackOff', message: backOff(current) } },
        containerID,
      })
    },
    async start() {
      if (isUp || hasLeft) return
      isUp = true
      startedAt = timestamp(clock.now())
      await say({ state: { running: { startedAt } } })
      await onUp()
    },
    async leave() {
      hasLeft = true
      restarts = 0
      startedAt = undefined
      last = undefined
      if (!isUp) return
      isUp = false
      await onDown()
    },
    async enter() {
      if (!hasLeft) return
      hasLeft = false
      isUp = true
      await onUp()
    },
  }
}

/** The kubelet's words. */
function backOff(pod: Pod): string {
  const { name, namespace = '', uid = '' } = pod.metadata
  return `back-off 5m0s restarting failed container=virt-handler pod=${name}_${namespace}(${uid})`
}
