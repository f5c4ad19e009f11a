import type { Clock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { startInformer } from '../cluster/informer.ts'
import { EXIT, MigError } from '../errors.ts'
import { isPodReady } from '../kubevirt/pods.ts'
import { PODS, type Resource, VMIS } from '../kubevirt/resources.ts'
import type { KubeObject, Pod, Vmi } from '../kubevirt/types.ts'
import { NAMESPACE } from './seed.ts'

/** So long nothing may happen while something is to start, ms. */
const PATIENCE_MS = 60_000

/** After so long without anything it is said what is waited for, ms. */
const SILENCE_MS = 10_000

/** How a start waits. */
export interface Waiting {
  clock: Clock
  signal?: AbortSignal | undefined
  /** It takes its time: for what. */
  onWait?: ((what: string) => void) | undefined
}

/** Resolves when so many VMs run. @throws MigError when for a minute not one more has come to */
export function allRunning(admin: Cluster, vms: number, waiting: Waiting): Promise<void> {
  return allAre<Vmi>({
    admin,
    resource: VMIS,
    namespace: 'default',
    wanted: vms,
    isSo: isRunning,
    notSo: (known) => notRunning(known, vms),
    ...waiting,
  })
}

/**
 * Resolves when KubeVirt's own pods all have their nodes, or all run.
 * @param nodes of the lab: each has a virt-handler, the first two a virt-controller and a virt-api @throws MigError as above
 */
export function componentsAre(
  state: 'placed' | 'ready',
  admin: Cluster,
  nodes: number,
  waiting: Waiting,
): Promise<void> {
  const isSo = (pod: Pod) =>
    state === 'placed' ? pod.spec.nodeName !== undefined : isPodReady(pod)
  const wanted = nodes + 2 * Math.min(nodes, 2)
  return allAre<Pod>({
    admin,
    resource: PODS,
    namespace: NAMESPACE,
    wanted,
    isSo,
    notSo: (all) => {
      const waiting = all.find((pod) => !isSo(pod))?.metadata.name
      return `${all.filter(isSo).length} of ${wanted} pods of KubeVirt are ${state}${waiting ? `, ${waiting} is not` : ''}`
    },
    ...waiting,
  })
}

function isRunning({ status }: Vmi): boolean {
  return status?.phase === 'Running'
}

function notRunning(known: Vmi[], vms: number): string {
  const waiting = known.find((vmi) => !isRunning(vmi))
  const example = waiting && `; ${waiting.metadata.name} is ${waiting.status?.phase ?? 'new'}`
  return `${known.filter(isRunning).length} of ${vms} VMs run${example ?? ''}`
}

interface Awaited<T> extends Waiting {
  admin: Cluster
  resource: Resource
  namespace: string
  /** How many. */
  wanted: number
  isSo(object: T): boolean
  notSo(known: T[]): string
}

async function allAre<T extends KubeObject>({
  admin,
  resource,
  namespace,
  wanted,
  isSo,
  notSo,
  clock,
  signal,
  onWait,
}: Awaited<T>): Promise<void> {
  const done = Promise.withResolvers<void>()
  const over = new AbortController()
  const aborted = () => done.reject(signal?.reason)
  signal?.addEventListener('abort', aborted, { once: true })
  if (signal?.aborted) aborted()
  let count = 0
  let last = clock.now()
  const known = startInformer<T>(admin, resource, {
    namespace,
    onError: done.reject,
    onChange: () => {
      const now = known.list().filter(isSo).length
      if (now > count) last = clock.now()
      count = now
      if (count >= wanted) done.resolve()
    },
  })
  if (wanted === 0) done.resolve()
  const watch = async () => {
    for (let said = last; clock.now() - last < PATIENCE_MS; ) {
      await clock.sleep(1000, over.signal)
      if (clock.now() - Math.max(said, last) < SILENCE_MS) continue
      said = clock.now()
      onWait?.(notSo(known.list()))
    }
    done.reject(notReady(notSo(known.list())))
  }
  watch().catch(() => {})
  try {
    await done.promise
  } finally {
    over.abort()
    signal?.removeEventListener('abort', aborted)
    await known.close()
  }
}

function notReady(why: string): MigError {
  return new MigError(EXIT.error, `the lab did not get ready: ${why}`, {
    hint: 'the machine may be too busy, or the VMs too many for the nodes; try fewer --vms or more --nodes',
  })
}
