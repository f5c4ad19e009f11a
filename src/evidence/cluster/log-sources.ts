import { LABEL } from '../../kubevirt/labels.ts'
import { timeOf } from '../../kubevirt/migration.ts'
import { PODS } from '../../kubevirt/resources.ts'
import type { Pod } from '../../kubevirt/types.ts'
import type { LogSource } from './logs.ts'
import type { Reader } from './reader.ts'
import { type Found, newestFirst } from './subject.ts'

const MINUTE = 60_000

/** Who writes about a migration: virt-controller, the virt-handlers of both nodes, the launchers of both sides. */
export function logSourcesOf(
  { objects }: Reader,
  { namespace, vmi, migrations }: Found,
): LogSource[] {
  const pods = objects.list<Pod>(PODS.kind)
  const uids = new Set(migrations.map(({ metadata }) => metadata.uid))
  const launchers = pods.filter(
    ({ metadata }) =>
      metadata.namespace === namespace &&
      metadata.labels?.[LABEL.app] === 'virt-launcher' &&
      (vmi === undefined || metadata.labels[LABEL.createdBy] === vmi.metadata.uid),
  )
  const isSide = (pod: Pod) =>
    uids.has(pod.metadata.labels?.[LABEL.migrationJobUid]) ||
    pod.spec.nodeName === vmi?.status?.nodeName
  const states = migrations.map(({ metadata, status }) => {
    const slot = vmi?.status?.migrationState
    return slot?.migrationUid === metadata.uid ? slot : status?.migrationState
  })
  const sides = launchers.filter(
    (pod) => isSide(pod) || states.some((state) => state?.sourcePod === pod.metadata.name),
  )
  const nodes = new Set([
    vmi?.status?.nodeName,
    ...sides.map(({ spec }) => spec.nodeName),
    ...states.flatMap((state) => [state?.sourceNode, state?.targetNode]),
  ])
  const component = (name: string) =>
    pods.filter(({ metadata }) => metadata.labels?.[LABEL.app] === name)
  const handlers = component('virt-handler').filter(({ spec }) => nodes.has(spec.nodeName))
  return [
    ...component('virt-controller').map((pod) => ({ pod, container: 'virt-controller' })),
    ...handlers.map((pod) => ({ pod, container: 'virt-handler' })),
    ...sides.map((pod) => ({ pod, container: 'compute' })),
  ]
}

/** A minute before the newest migration began; without one, the last ten minutes. ms */
export function logsSince({ migrations }: Found, now: number): number {
  const [newest] = [...migrations].sort(newestFirst)
  const born = timeOf(newest?.metadata.creationTimestamp)
  return born === undefined ? now - 10 * MINUTE : born - MINUTE
}
