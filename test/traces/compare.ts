import { parseQuantity } from '../../src/kubevirt/quantity.ts'
import type { Condition, Container } from '../../src/kubevirt/types.ts'
import type { Snapshot } from './expected.ts'
import type { Recorded, RecordedEvent } from './scenario.ts'

export interface Difference {
  /** `vmis/vm-1`. */
  object: string
  /** Dotted. */
  field: string
  expected: unknown
  got: unknown
}

/** All that the README compares of two states; what it does not compare can't differ. */
export function compareSnapshots(expected: Snapshot, got: Snapshot): Difference[] {
  return [
    ...compareAll('migrations', expected.migrations, got.migrations, (object) => ({
      ...common(object),
      finalizers: object.finalizers,
      deleting: object.deleting,
      spec: object.spec,
      phase: object.phase,
      phases: object.phases,
      conditions: conditions(object.conditions),
      migrationState: object.migrationState,
    })),
    ...compareAll('vmis', expected.vmis, got.vmis, (object) => ({
      ...common(object),
      phase: object.phase,
      nodeName: object.nodeName,
      evacuationNodeName: object.evacuationNodeName,
      activePods: object.activePods,
      migrationState: object.migrationState,
      conditions: conditions(object.conditions),
    })),
    ...compareAll('pods', expected.pods, got.pods, (object) => ({
      ...common(object),
      phase: object.phase,
      node: object.node,
      nodeSelector: object.nodeSelector,
      affinity: object.affinity,
      conditions: conditions(object.conditions),
      containers: containers(object.containers),
      initContainers: containers(object.initContainers),
    })),
    ...compareAll('quotas', expected.quotas, got.quotas, ({ spec, status }) => ({
      'spec.hard': quantities(spec?.hard),
      'status.hard': quantities(status?.hard),
      'status.used': quantities(status?.used),
    })),
    ...compareEvents(expected.events, got.events),
    ...compareGone(expected.gone, got),
  ]
}

/** A quantity, told apart from other values: it is compared by its amount. */
class Amount {
  readonly text: string | number
  constructor(text: string | number) {
    this.text = text
  }
  toJSON() {
    return this.text
  }
}

type Fields = Record<string, unknown>

function compareAll<T>(
  kind: string,
  expected: Map<string, T>,
  got: Map<string, T>,
  fieldsOf: (object: T) => Fields,
): Difference[] {
  const names = [...new Set([...expected.keys(), ...got.keys()])].sort()
  return names.flatMap((name) => {
    const [wanted, found] = [expected.get(name), got.get(name)]
    const object = `${kind}/${name}`
    if (wanted === undefined) return [{ object, field: 'exists', expected: false, got: true }]
    if (found === undefined) return [{ object, field: 'exists', expected: true, got: false }]
    const wantedFields = fieldsOf(wanted)
    const foundFields = fieldsOf(found)
    return Object.keys(wantedFields).flatMap((field) =>
      differences(wantedFields[field], foundFields[field]).map(([path, a, b]) => ({
        object,
        field: [field, ...path].join('.'),
        expected: a,
        got: b,
      })),
    )
  })
}

function common({ labels, annotations }: Recorded): Fields {
  const compared = Object.entries(annotations ?? {}).filter(([key]) => !isIgnored(key))
  return { labels, annotations: Object.fromEntries(compared) }
}

const IGNORED_DOMAINS = ['istio.io', 'velero.io', 'descheduler.alpha.kubernetes.io']
const IGNORED_ANNOTATIONS = [
  'kubectl.kubernetes.io/default-container',
  'kubevirt.io/pci-topology-version',
]

function isIgnored(annotation: string): boolean {
  const domain = annotation.split('/')[0] ?? ''
  return (
    IGNORED_ANNOTATIONS.includes(annotation) ||
    IGNORED_DOMAINS.some((ignored) => domain === ignored || domain.endsWith(`.${ignored}`))
  )
}

function conditions(list: Condition[] | undefined): Fields {
  return Object.fromEntries(
    (list ?? []).map(({ type, status, reason, message }) => [type, { status, reason, message }]),
  )
}

function containers(list: Container[] | undefined): Fields {
  return Object.fromEntries(
    (list ?? []).map(({ name, resources }) => [
      name,
      {
        // So that one without resources is seen.
        name,
        requests: quantities(resources?.requests),
        limits: quantities(resources?.limits),
      },
    ]),
  )
}

function quantities(amounts: Record<string, string | number> | undefined): Fields {
  return Object.fromEntries(
    Object.entries(amounts ?? {}).map(([name, text]) => [name, new Amount(text)]),
  )
}

/** Fields of a migration state that are quantities, too. */
const QUANTITIES = ['bandwidthPerMigration', 'targetMemoryOverhead']

type Found = [path: string[], expected: unknown, got: unknown]

function differences(expected: unknown, got: unknown, key = ''): Found[] {
  if (isNothing(expected) && isNothing(got)) return []
  if (isTree(expected) && isTree(got) && Array.isArray(expected) === Array.isArray(got)) {
    const [wanted, found] = [expected as Fields, got as Fields]
    const keys = [...new Set([...Object.keys(wanted), ...Object.keys(found)])].sort()
    return keys.flatMap((name) =>
      differences(wanted[name], found[name], name).map(
        ([path, a, b]): Found => [[name, ...path], a, b],
      ),
    )
  }
  return isSame(expected, got, key) ? [] : [[[], expected, got]]
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return isTree(value) && Object.values(value).every(isNothing)
}

function isTree(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Amount)
}

function isSame(expected: unknown, got: unknown, key: string): boolean {
  if (expected === got) return true
  if (expected instanceof Amount || got instanceof Amount || QUANTITIES.includes(key))
    return sameAmount(expected, got)
  if (typeof expected !== 'string' || typeof got !== 'string') return false
  if (/^T\+\d+s$/.test(expected)) return isTime(got)
  return expected === GO_TIME && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC$/.test(got)
}

const GO_TIME = '<time as Go prints it>'

/** RFC 3339 in whole seconds, or a token where one recording is compared with itself. */
function isTime(text: string): boolean {
  return /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|T\+\d+s)$/.test(text)
}

function sameAmount(a: unknown, b: unknown): boolean {
  const [x, y] = [a, b].map((value) => {
    const text = value instanceof Amount ? value.text : value
    return typeof text === 'string' || typeof text === 'number' ? parseQuantity(text) : undefined
  })
  return x !== undefined && y !== undefined && x.nano === y.nano
}

const COMPARED_KINDS = [
  'VirtualMachine',
  'VirtualMachineInstance',
  'VirtualMachineInstanceMigration',
]

function compareEvents(expected: RecordedEvent[], got: RecordedEvent[]): Difference[] {
  const [wanted, found] = [eventKeys(expected), eventKeys(got)]
  const missing = [...wanted.keys()].filter((key) => !found.has(key))
  const extra = [...found.keys()].filter((key) => !wanted.has(key))
  return [
    ...missing.map((key) => eventDifference(wanted.get(key)!, true)),
    ...extra.map((key) => eventDifference(found.get(key)!, false)),
  ]
}

function eventDifference(event: RecordedEvent, isExpected: boolean): Difference {
  const text = eventText(event)
  const [expected, got] = isExpected ? [text, undefined] : [undefined, text]
  return { object: event.on, field: 'events', expected, got }
}

function eventKeys(events: RecordedEvent[]): Map<string, RecordedEvent> {
  return new Map(
    events
      .filter(({ on, message }) => {
        const kind = on.split('/')[0] ?? ''
        return COMPARED_KINDS.includes(kind) && !isConflict(message)
      })
      .map((event) => [`${event.on} ${eventText(event)}`, event]),
  )
}

function eventText({ type, reason, message }: RecordedEvent): string {
  return `${type} ${reason} ${comparableMessage(message)}`
}

/** Conflicts are ordinary, and how many there are is chance. */
function isConflict(message: string): boolean {
  return (
    message.includes('the object has been modified') ||
    message.includes('the server rejected our request')
  )
}

const POD_SECURITY = 'violates PodSecurity "restricted:latest"'

function comparableMessage(message: string): string {
  const plain = message.replace(/^\(combined from similar events\): /, '')
  const at = plain.indexOf(POD_SECURITY)
  return at < 0 ? plain : plain.slice(0, at + POD_SECURITY.length)
}

function compareGone(gone: Set<string>, got: Snapshot): Difference[] {
  return [...gone].flatMap((reference) => {
    const [kind = '', name = ''] = reference.split('/')
    const objects = got[kind as keyof Snapshot]
    return objects instanceof Map && objects.has(name)
      ? [{ object: reference, field: 'gone', expected: true, got: false }]
      : []
  })
}
