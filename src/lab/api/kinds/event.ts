import { ageOf } from '../human-duration.ts'
import { type ApiObject, type Column, defineKind } from '../kind.ts'
import { invalid } from './faults.ts'
import { pick, text } from './fields.ts'

const INVOLVED = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']

const COLUMNS: Column[] = [
  { name: 'Last Seen', cell: lastSeen },
  { name: 'Type', cell: 'type' },
  { name: 'Reason', cell: 'reason' },
  { name: 'Object', cell: involved },
  { name: 'Subobject', priority: 1, cell: (o) => text(o, 'involvedObject.fieldPath') },
  { name: 'Source', priority: 1, cell: source },
  { name: 'Message', cell: (o) => text(o, 'message').trim() },
  {
    name: 'First Seen',
    priority: 1,
    cell: (o, now) => ageOf(pick(o, 'firstTimestamp') ?? pick(o, 'eventTime'), now),
  },
  { name: 'Count', priority: 1, cell: (o) => pick(o, 'series.count') ?? pick(o, 'count') ?? 1 },
  { name: 'Name', priority: 1, cell: 'metadata.name' },
]

export const EVENT = defineKind({
  group: '',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  shortNames: ['ev'],
  columns: COLUMNS,
  validate(object) {
    const about = text(object, 'involvedObject.namespace')
    const { namespace = '' } = object.metadata
    const fits = about === namespace || (about === '' && namespace === 'default')
    return fits
      ? []
      : [invalid('involvedObject.namespace', about, 'does not match event.namespace')]
  },
  // An event's table starts with when it was seen, its name is the last of the wide columns.
  namelessTable: true,
  fields: {
    ...Object.fromEntries(
      INVOLVED.map((field) => [
        `involvedObject.${field}`,
        (object: ApiObject) => text(object, `involvedObject.${field}`),
      ]),
    ),
    reason: (o) => text(o, 'reason'),
    type: (o) => text(o, 'type'),
    reportingComponent: (o) => text(o, 'reportingComponent'),
    source: (o) => text(o, 'source.component') || text(o, 'reportingComponent'),
  },
})

function lastSeen(object: ApiObject, now: number): string {
  const first = ageOf(pick(object, 'firstTimestamp') ?? pick(object, 'eventTime'), now)
  const seriesTime = pick(object, 'series.lastObservedTime')
  const last = seriesTime ?? pick(object, 'lastTimestamp')
  const times = Number(pick(object, 'series.count') ?? pick(object, 'count') ?? 1)
  const interval = last ? ageOf(last, now) : first
  return times > 1 ? `${interval} (x${times} over ${first})` : interval
}

function involved(object: ApiObject): string {
  const kind = text(object, 'involvedObject.kind').toLowerCase()
  const name = text(object, 'involvedObject.name')
  return name === '' ? kind : `${kind}/${name}`
}

function source(object: ApiObject): string {
  const component = text(object, 'source.component') || text(object, 'reportingComponent')
  const host = text(object, 'source.host') || text(object, 'reportingInstance')
  return host === '' ? component : `${component}, ${host}`
}
