import { randomInt } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { create, patch } from '../cluster/objects.ts'
import { EVENTS } from '../kubevirt/resources.ts'
import { timestamp } from '../kubevirt/time.ts'
import type { Event, KubeObject } from '../kubevirt/types.ts'

export interface EventSource {
  /** `virt-handler`, `default-scheduler` … */
  component: string
  /** The node, where the component runs on one. */
  host?: string
  /** The scheduler writes events of the newer kind (events.k8s.io): one time, an action, no source. */
  action?: string
}

/** Writes events about objects, one after the other; what can't be written is given up, as every component does. */
export interface EventRecorder {
  record(object: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void
  /** Resolves when all that was recorded so far has been written. */
  flushed(): Promise<void>
}

/** So many different events are remembered, to be counted up when they come again. */
const REMEMBERED = 500

export function eventRecorder(cluster: Cluster, clock: Clock, source: EventSource): EventRecorder {
  const known = new Map<string, { name: string; count: number }>()
  let last: Promise<void> = Promise.resolve()

  async function write(object: KubeObject, type: string, reason: string, message: string) {
    const namespace = object.metadata.namespace ?? 'default'
    const key = [object.metadata.uid, type, reason, message].join('\0')
    const before = known.get(key)
    const now = clock.now()
    if (before) {
      before.count++
      const body = again(source, before.count, now)
      await patch(cluster, EVENTS, { namespace, name: before.name }, body, 'merge')
      return
    }
    // Nanoseconds, as client-go has it: two of one object in one millisecond must not collide.
    const nanos = BigInt(now) * 1_000_000n + BigInt(randomInt(1_000_000))
    const name = `${object.metadata.name}.${nanos.toString(16)}`
    const event = newEvent(source, object, { name, namespace, type, reason, message, now })
    await create(cluster, EVENTS, event, { namespace })
    known.set(key, { name, count: 1 })
    if (known.size > REMEMBERED) known.delete(known.keys().next().value ?? '')
  }

  return {
    record(object, type, reason, message) {
      last = last.then(() => write(object, type, reason, message)).catch(() => {})
    },
    flushed: () => last,
  }
}

interface NewEvent {
  name: string
  namespace: string
  type: string
  reason: string
  message: string
  now: number
}

function newEvent(
  { component, host, action }: EventSource,
  object: KubeObject,
  { name, namespace, type, reason, message, now }: NewEvent,
): Event & Record<string, unknown> {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace },
    involvedObject: {
      ...(object.apiVersion && { apiVersion: object.apiVersion }),
      ...(object.kind && { kind: object.kind }),
      namespace,
      name: object.metadata.name,
      ...(object.metadata.uid && { uid: object.metadata.uid }),
      ...(object.metadata.resourceVersion && { resourceVersion: object.metadata.resourceVersion }),
    },
    type,
    reason,
    message,
    reportingComponent: component,
    ...(action
      ? {
          action,
          eventTime: microTime(now),
          firstTimestamp: null,
          lastTimestamp: null,
          source: {},
          reportingInstance: component,
        }
      : {
          count: 1,
          eventTime: null,
          firstTimestamp: timestamp(now),
          lastTimestamp: timestamp(now),
          source: { component, ...(host && { host }) },
          reportingInstance: host ?? '',
        }),
  }
}

function again({ action }: EventSource, count: number, now: number): object {
  return action
    ? { series: { count, lastObservedTime: microTime(now) } }
    : { count, lastTimestamp: timestamp(now) }
}

/** Kubernetes' MicroTime. */
function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z')
}
