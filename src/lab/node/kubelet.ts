import type { Clock } from '../../clock.ts'
import { isStatus } from '../../cluster/api-error.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { startInformer } from '../../cluster/informer.ts'
import { patch, remove } from '../../cluster/objects.ts'
import { isPodFinal } from '../../kubevirt/pods.ts'
import { PODS } from '../../kubevirt/resources.ts'
import { timestamp } from '../../kubevirt/time.ts'
import type { Condition, Container, Pod } from '../../kubevirt/types.ts'
import type { EventRecorder } from '../events.ts'
import { failedPull } from './faults/image-pull.ts'
import { keyedQueue } from './keyed-queue.ts'
import { conditions, endedStatus, isSidecar, runningStatus } from './kubelet-status.ts'
import type { NodeLog } from './log.ts'

/** What runs in a pod. */
export interface PodProcess {
  /** Ends it, as the signal of a kubelet does; resolves when it is gone. */
  stop(exitCode: number): Promise<void>
}

export interface KubeletOptions {
  cluster: Cluster
  clock: Clock
  node: string
  log: NodeLog
  events: EventRecorder
  /** Address and annotations of a pod that starts here. */
  network(pod: Pod): PodNetwork
  /** Starts what runs in the pod; `onExit` is called when it ends by itself or was stopped. */
  start(pod: Pod, onExit: (code: number, reason?: string) => void): Promise<PodProcess>
  /** What runs in the pod can be looked at, and says more. */
  onStarted(pod: Pod): void
  /** It has been said that it runs. */
  onRunning(pod: Pod): Promise<void>
  /** It is about to be stopped, as its object is being deleted. */
  onStopping(pod: Pod): Promise<void>
  /** It has ended. */
  onEnded(pod: Pod): void
  /** Whether there is no image for it. */
  failsToPull(pod: Pod): boolean
  /** The pod's object was removed. */
  onGone(pod: Pod): void
}

export interface PodNetwork {
  podIP: string
  hostIP: string
  annotations: Record<string, string>
}

export interface Kubelet {
  /** One that is bound to the node. */
  pod(namespace: string, name: string): Pod | undefined
  /** Writes the status of a pod, as things have come to in it. */
  report(pod: Pod, status: NonNullable<Pod['status']>): Promise<void>
  /** Looks at all pods anew. */
  again(): void
  close(): Promise<void>
}

interface Running {
  process: PodProcess
  pod: Pod
  network: PodNetwork
  exitCode?: number
  exitReason?: string | undefined
}

/** Killed without asking, as when the pod's object is gone. */
const KILLED = 137

/** Plays kubelet for the pods bound to one node: starts what is in them, reports, and stops them when they are deleted. */
export async function startKubelet(options: KubeletOptions): Promise<Kubelet> {
  const { cluster, clock, node, log, events } = options
  const running = new Map<string, Running>()
  const pulls = new Map<string, { looks: number; next: number }>()
  const queue = keyedQueue(reconcile, {
    clock,
    onError: (key, err) =>
      log({ level: 'error', component: 'kubelet', msg: `pod ${key} failed`, reason: String(err) }),
  })
  const pods = startInformer<Pod>(cluster, PODS, {
    fieldSelector: `spec.nodeName=${node}`,
    clock,
    onChange({ type, object }) {
      if (type === 'DELETED') options.onGone(object)
      queue.add(`${object.metadata.namespace}/${object.metadata.name}`)
    },
  })
  await pods.synced

  async function reconcile(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/')
    const pod = pods.get(namespace, name)
    await stopStrangers(key, pod)
    if (!pod) return
    const uid = pod.metadata.uid ?? ''
    const here = running.get(uid)
    if (here?.exitCode !== undefined && !isPodFinal(pod)) await report(pod, ended(pod, here))
    if (pod.metadata.deletionTimestamp) await end(pod, here)
    else if (!isPodFinal(pod) && here?.exitCode === undefined) await run(key, pod)
  }

  /** A pod of this name whose object was removed, or replaced, under its process. */
  async function stopStrangers(key: string, pod: Pod | undefined): Promise<void> {
    for (const [uid, { process, pod: was }] of running) {
      if (`${was.metadata.namespace}/${was.metadata.name}` !== key) continue
      if (uid === pod?.metadata.uid) continue
      running.delete(uid)
      await process.stop(KILLED)
    }
  }

  async function run(key: string, pod: Pod): Promise<void> {
    const uid = pod.metadata.uid ?? ''
    if (!running.has(uid) && options.failsToPull(pod)) return pull(key, pod)
    if (!running.has(uid)) {
      pulls.delete(uid)
      const process = await options.start(pod, (code, reason) => {
        const ended = running.get(uid)
        if (!ended) return
        ended.exitCode = code
        ended.exitReason = reason
        options.onEnded(pod)
        queue.add(key)
      })
      running.set(uid, { process, pod, network: options.network(pod) })
      options.onStarted(pod)
      tellStarted(pod)
    }
    const network = running.get(uid)?.network
    if (!network) return
    if (pod.status?.phase === 'Running') return keepReady(pod)
    const { podIP, hostIP, annotations } = network
    if (Object.keys(annotations).length > 0)
      await write(() => patch(cluster, PODS, at(pod), { metadata: { annotations } }, 'merge'))
    await report(pod, runningStatus(pod, { now: timestamp(clock.now()), podIP, hostIP }))
    await options.onRunning(pod)
  }

  /** A readiness gate of the pod has opened or closed. */
  async function keepReady(pod: Pod): Promise<void> {
    const wanted = conditions(pod, timestamp(clock.now()))
    const before = pod.status?.conditions ?? []
    const isSame = wanted.every(({ type, status, message }) =>
      before.some((one) => one.type === type && one.status === status && one.message === message),
    )
    if (!isSame) await report(pod, { conditions: wanted })
  }

  function tellStarted(pod: Pod): void {
    const { containers, initContainers = [] } = pod.spec
    const tell = (container: Container, field: string) => {
      const at = `spec.${field}{${container.name}}`
      const image = `Container image "${container.image}" already present on machine and can be accessed by the pod`
      events.record(pod, 'Normal', 'Pulled', image, at)
      events.record(pod, 'Normal', 'Created', 'Container created', at)
      events.record(pod, 'Normal', 'Started', 'Container started', at)
    }
    for (const container of initContainers) tell(container, 'initContainers')
    for (const container of containers) tell(container, 'containers')
  }

  function tellKilling(pod: Pod): void {
    const { containers, initContainers = [] } = pod.spec
    const tell = ({ name }: Container, field: string) =>
      events.record(
        pod,
        'Normal',
        'Killing',
        `Stopping container ${name}`,
        `spec.${field}{${name}}`,
      )
    for (const container of containers) tell(container, 'containers')
    for (const container of initContainers.filter(isSidecar)) tell(container, 'initContainers')
  }

  async function pull(key: string, pod: Pod): Promise<void> {
    const uid = pod.metadata.uid ?? ''
    const { looks = 0, next = 0 } = pulls.get(uid) ?? {}
    const now = clock.now()
    if (now < next) return
    const { status, events, againAfter } = failedPull(pod, looks, timestamp(now))
    pulls.set(uid, { looks: looks + 1, next: now + againAfter })
    for (const event of events) options.events.record(pod, ...event)
    queue.addLater(key, againAfter)
    await report(pod, status)
  }

  async function end(pod: Pod, here: Running | undefined): Promise<void> {
    if (here && here.exitCode === undefined) {
      tellKilling(pod)
      await options.onStopping(pod)
      await here.process.stop(0)
      await report(pod, ended(pod, here))
    }
    running.delete(pod.metadata.uid ?? '')
    const preconditions = { ...(pod.metadata.uid && { uid: pod.metadata.uid }) }
    await write(() => remove(cluster, PODS, at(pod), { gracePeriodSeconds: 0, preconditions }))
  }

  function ended(pod: Pod, { exitCode = 0, exitReason }: Running) {
    return endedStatus(pod, exitCode, timestamp(clock.now()), exitReason)
  }

  function report(pod: Pod, status: NonNullable<Pod['status']>): Promise<void> {
    const address = { ...at(pod), subresource: 'status' }
    const said = { ...status, conditions: status.conditions?.map(whole) }
    return write(() => patch(cluster, PODS, address, { status: said }, 'strategic'))
  }

  return {
    pod: (namespace, name) => pods.get(namespace, name),
    report,
    again() {
      for (const { metadata } of pods.list()) queue.add(`${metadata.namespace}/${metadata.name}`)
    },
    async close() {
      await pods.close()
      await queue.close()
      const all = [...running.values()]
      running.clear()
      await Promise.all(all.map(({ process }) => process.stop(0)))
    },
  }
}

/** With what is no longer so taken back: a merge would keep it. */
function whole({ reason, message, ...condition }: Condition): object {
  return { ...condition, reason: reason ?? null, message: message ?? null }
}

function at({ metadata }: Pod): { namespace: string | undefined; name: string } {
  return { namespace: metadata.namespace, name: metadata.name }
}

/** A pod that is gone meanwhile, or another of its name, needs nothing more. */
async function write(call: () => Promise<unknown>): Promise<void> {
  try {
    await call()
  } catch (err) {
    if (!isStatus(err, 404) && !isStatus(err, 409)) throw err
  }
}
