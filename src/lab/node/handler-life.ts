import type { Clock } from '../../clock.ts'
import { timestamp } from '../../kubevirt/time.ts'
import type { ContainerStatus, Pod } from '../../kubevirt/types.ts'

/** The process of a node's virt-handler, which may end and be started anew in the same pod. */
export interface HandlerLife {
  readonly isUp: boolean
  /** It ends; what it listened on and what ran through it ends with it. Nothing happens when it is down. */
  crash(): Promise<void>
  /** It runs again, with everything to be looked at afresh. Nothing happens when it is up. */
  start(): Promise<void>
}

export interface HandlerSurroundings {
  clock: Clock
  /** Its pod, as far as there is one. */
  pod(): Pod | undefined
  /** As its kubelet says it. */
  report(pod: Pod, status: NonNullable<Pod['status']>): Promise<void>
  /** All that the process holds is gone. */
  onCrash(): Promise<void>
  onStart(): Promise<void>
}

/** What Go exits with after a panic. */
const PANIC = 2

export function handlerLife({
  clock,
  pod,
  report,
  onCrash,
  onStart,
}: HandlerSurroundings): HandlerLife {
  let isUp = true
  let restarts = 0

  async function say(
    state: NonNullable<ContainerStatus['state']>,
    last?: ContainerStatus['state'],
  ) {
    const current = pod()
    if (!current) return
    const ready = state.running !== undefined
    const containerStatuses = (current.status?.containerStatuses ?? []).map((status) => ({
      ...status,
      ready,
      started: ready,
      restartCount: restarts,
      state,
      ...(last && { lastState: last }),
    }))
    await report(current, { ...current.status, containerStatuses })
  }

  return {
    get isUp() {
      return isUp
    },
    async crash() {
      if (!isUp) return
      isUp = false
      await onCrash()
      const startedAt = pod()?.status?.startTime ?? ''
      const finishedAt = timestamp(clock.now())
      restarts++
      await say(
        { waiting: { reason: 'CrashLoopBackOff', message: backOff(pod()) } },
        { terminated: { exitCode: PANIC, reason: 'Error', startedAt, finishedAt } },
      )
    },
    async start() {
      if (isUp) return
      isUp = true
      await say({ running: { startedAt: timestamp(clock.now()) } })
      await onStart()
    },
  }
}

/** The kubelet's words. */
function backOff(pod: Pod | undefined): string {
  const { name = '', namespace = '', uid = '' } = pod?.metadata ?? {}
  return `back-off 5m0s restarting failed container=virt-handler pod=${name}_${namespace}(${uid})`
}
