import { randomInt } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { create, patch } from '../../cluster/objects.ts'
import { EVENTS } from '../../kubevirt/resources.ts'
import { timestamp } from '../../kubevirt/time.ts'
import type { Event, KubeObject } from '../../kubevirt/types.ts'
import { createEventCorrelator } from './event-correlation.ts'

/** Writes events one after the other, and gives up what can't be written. */
export interface EventRecorder {
  record(object: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void
}

/** `component` is the event's source: `virtualmachine-controller`, `evacuation-controller` … */
export function createEventRecorder(
  cluster: Cluster,
  clock: Clock,
  component: string,
): EventRecorder {
  const correlator = createEventCorrelator()
  let last: Promise<void> = Promise.resolve()

  async function write(object: KubeObject, type: string, reason: string, text: string) {
    const { namespace = 'default', uid = '' } = object.metadata
    const now = clock.now()
    const time = timestamp(now)
    const found = correlator.correlate({ uid, type, reason, message: text }, now)
    if (found.write === 'nothing') return
    const { key, message } = found
    if (found.write === 'again') {
      const { name, count } = found
      await patch(
        cluster,
        EVENTS,
        { namespace, name },
        { count, lastTimestamp: time, message },
        'merge',
      )
      return
    }
    // Nanoseconds since the epoch, as client-go has it: two of one object in one millisecond must not collide.
    const nanos = BigInt(now) * 1_000_000n + BigInt(randomInt(1_000_000))
    const event: Event & Record<string, unknown> = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${object.metadata.name}.${nanos.toString(16)}`, namespace },
      involvedObject: referenceTo(object),
      type,
      reason,
      message,
      count: 1,
      firstTimestamp: time,
      lastTimestamp: time,
      eventTime: null,
      source: { component },
      reportingComponent: component,
      reportingInstance: '',
    }
    const { metadata } = await create<Event>(cluster, EVENTS, event, { namespace })
    correlator.written(key, metadata.name)
  }

  return {
    record(object, type, reason, message) {
      last = last.then(() => write(object, type, reason, message)).catch(() => undefined)
    },
  }
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject): Event['involvedObject'] {
  const { namespace, name, uid, resourceVersion } = metadata
  return {
    ...(apiVersion ? { apiVersion } : {}),
    ...(kind ? { kind } : {}),
    ...(namespace ? { namespace } : {}),
    name,
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  }
}
