import { randomInt } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { create, patch } from '../cluster/objects.ts'
import { EVENTS } from '../kubevirt/resources.ts'
import { timestamp } from '../kubevirt/time.ts'
import type { Event, KubeObject } from '../kubevirt/types.ts'
import { createEventCorrelator } from './event-correlation.ts'

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
  /** @param fieldPath what of the object it is about: `spec.containers{compute}` */
  record(
    object: KubeObject,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    fieldPath?: string,
  ): void
  /** Resolves when all that was recorded so far has been written. */
  flushed(): Promise<void>
}

/** `source` is who records: `virtualmachine-controller`, `virt-handler` on its node … */
export function eventRecorder(cluster: Cluster, clock: Clock, source: EventSource): EventRecorder {
  const correlator = createEventCorrelator()
  let last: Promise<void> = Promise.resolve()

  async function write(
    object: KubeObject,
    type: string,
    reason: string,
    text: string,
    fieldPath?: string,
  ) {
    const { namespace = 'default', uid = '' } = object.metadata
    const now = clock.now()
    const about = `${uid}${fieldPath ?? ''}`
    const found = correlator.correlate({ uid: about, type, reason, message: text }, now)
    if (found.write === 'nothing') return
    const { key, message } = found
    if (found.write === 'again') {
      const body = again(source, found.count, message, now)
      await patch(cluster, EVENTS, { namespace, name: found.name }, body, 'merge')
      return
    }
    // Nanoseconds, as client-go has it: two of one object in one millisecond must not collide.
    const nanos = BigInt(now) * 1_000_000n + BigInt(randomInt(1_000_000))
    const name = `${object.metadata.name}.${nanos.toString(16)}`
    const event = newEvent(source, object, {
      name,
      namespace,
      type,
      reason,
      message,
      now,
      fieldPath,
    })
    await create(cluster, EVENTS, event, { namespace })
    correlator.written(key, name)
  }

  return {
    record(object, type, reason, message, fieldPath) {
      last = last.then(() => write(object, type, reason, message, fieldPath)).catch(() => {})
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
  fieldPath: string | undefined
}

function newEvent(
  { component, host, action }: EventSource,
  object: KubeObject,
  { name, namespace, type, reason, message, now, fieldPath }: NewEvent,
): Event & Record<string, unknown> {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace },
    involvedObject: { ...referenceTo(object), ...(fieldPath && { fieldPath }) },
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

function referenceTo({ apiVersion, kind, metadata }: KubeObject): Event['involvedObject'] {
  const { namespace, name, uid, resourceVersion } = metadata
  return {
    ...(apiVersion && { apiVersion }),
    ...(kind && { kind }),
    ...(namespace && { namespace }),
    name,
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
  }
}

/** Only events of the older kind take a later message over. */
function again({ action }: EventSource, count: number, message: string, now: number): object {
  return action
    ? { series: { count, lastObservedTime: microTime(now) } }
    : { count, message, lastTimestamp: timestamp(now) }
}

/** Kubernetes' MicroTime. */
function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z')
}
