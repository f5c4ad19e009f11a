import type { KubeObject } from '../kubevirt/types.ts'
import { isWanted } from './kinds.ts'
import { redact } from './redact.ts'

type Fields = Record<string, unknown>
export type Item = KubeObject & { kind: string }

/**
 * The objects in a parsed document: itself, or the items of a list (whose kind they take when they name none).
 * What has no kind or no name is no object and left out, as is every kind that does not matter here.
 */
export function objectsIn(value: unknown): { items: Item[]; kinds: string[] } {
  const found = { items: [] as Item[], kinds: [] as string[] }
  collect(value, undefined, found, 0)
  return found
}

function collect(
  value: unknown,
  kindOfList: string | undefined,
  found: { items: Item[]; kinds: string[] },
  depth: number,
): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, kindOfList, found, depth + 1)
    return
  }
  if (!isFields(value) || depth > 4) return
  const kind = typeof value.kind === 'string' ? value.kind : kindOfList
  if (Array.isArray(value.items) || kind?.endsWith('List')) {
    const itemKind = kind && kind !== 'List' ? kind.replace(/List$/, '') : undefined
    if (itemKind && isWanted(itemKind)) found.kinds.push(itemKind)
    collect(value.items ?? [], itemKind, found, depth + 1)
    return
  }
  if (kind === undefined || !isWanted(kind)) return
  const item = shaped({ ...value, kind })
  if (item) found.items.push(redact(item))
}

/** Fields that are read without asking must have the type that Kubernetes gives them, or they are taken away. */
export const LISTS: ReadonlySet<string> = new Set([
  'accessModes',
  'conditions',
  'containers',
  'containerStatuses',
  'initContainers',
  'initContainerStatuses',
  'finalizers',
  'interfaces',
  'disks',
  'migratedVolumes',
  'networks',
  'ownerReferences',
  'phaseTransitionTimestamps',
  'podIPs',
  'taints',
  'tolerations',
  'topologySpreadConstraints',
  'volumeStatus',
  'volumes',
  'utilityVolumes',
  'readinessGates',
  'workloadUpdateMethods',
  'synchronizationAddresses',
  'matchExpressions',
  'nodeSelectorTerms',
  'featureGates',
  'hostDevices',
  'gpus',
  'filesystems',
])
const MAPS = new Set([
  'labels',
  'annotations',
  'nodeSelector',
  'matchLabels',
  'activePods',
  'hard',
  'used',
  'allocatable',
  'capacity',
  'configuration',
  'migrations',
  'migrationState',
  'domain',
  'devices',
  'involvedObject',
  'source',
  'state',
  'lastState',
  'resources',
  'parameters',
  'developerConfiguration',
  'addedNodeSelector',
  'affinity',
  'persistentVolumeClaim',
  'claimRef',
  'csi',
  'workloadUpdateStrategy',
  'targetDirectMigrationNodePorts',
])
const TEXTS = new Set([
  'name',
  'namespace',
  'uid',
  'generateName',
  'creationTimestamp',
  'deletionTimestamp',
  'phase',
  'nodeName',
  'reason',
  'message',
  'vmiName',
  'failureReason',
  'migrationUid',
  'sourceNode',
  'targetNode',
  'sourcePod',
  'targetPod',
  'mode',
  'startTimestamp',
  'endTimestamp',
  'podIP',
  'volumeName',
  'storageClassName',
  'claimName',
  'evictionStrategy',
  'provisioner',
  'lastTransitionTime',
  'key',
  'effect',
  'component',
  'host',
  'lastTimestamp',
  'firstTimestamp',
  'eventTime',
])

function shaped(object: Fields): Item | undefined {
  const metadata = object.metadata
  if (!isFields(metadata) || typeof metadata.name !== 'string' || metadata.name === '')
    return undefined
  if (object.kind === 'Secret' || object.kind === 'ConfigMap') return publicPart(object)
  const event = object.kind === 'Event' ? coreEvent(object) : object
  for (const key of ['spec', 'status']) if (key in event && !isFields(event[key])) delete event[key]
  check(event)
  if (event.kind === 'Event') event.involvedObject ??= {}
  if (event.kind !== 'Event' && event.spec === undefined) event.spec = {}
  if (event.kind === 'Pod') (event.spec as Fields).containers ??= []
  return event as unknown as Item
}

function check(value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) check(item)
    return
  }
  if (!isFields(value)) return
  for (const [key, inner] of Object.entries(value)) {
    if (LISTS.has(key)) {
      if (!Array.isArray(inner)) delete value[key]
      else value[key] = inner.filter((item) => item !== null && item !== undefined)
    } else if (MAPS.has(key) && !isFields(inner)) delete value[key]
    else if (TEXTS.has(key) && inner !== null && typeof inner !== 'string') {
      if (typeof inner === 'number' || typeof inner === 'boolean') value[key] = String(inner)
      else delete value[key]
    }
    check(value[key])
  }
}

/** events.k8s.io names the same things differently; below, all events are core events. */
function coreEvent(event: Fields): Fields {
  if (event.regarding === undefined && event.note === undefined) return event
  const series = isFields(event.series) ? event.series : {}
  return {
    ...event,
    involvedObject: event.regarding,
    message: event.note,
    source: event.deprecatedSource ?? { component: event.reportingController },
    count: series.count ?? event.deprecatedCount,
    firstTimestamp: event.deprecatedFirstTimestamp ?? event.eventTime,
    lastTimestamp: series.lastObservedTime ?? event.deprecatedLastTimestamp ?? event.eventTime,
  }
}

/** Of a Secret or ConfigMap nothing but its certificates. */
function publicPart(object: Fields): Item | undefined {
  const data = isFields(object.data) ? object.data : {}
  const wanted = object.kind === 'Secret' ? ['tls.crt'] : ['ca-bundle']
  const kept = wanted.filter((key) => typeof data[key] === 'string').map((key) => [key, data[key]])
  if (kept.length === 0) return undefined
  const { name, namespace, creationTimestamp } = object.metadata as Fields
  return {
    kind: object.kind,
    metadata: { name, namespace, creationTimestamp },
    data: Object.fromEntries(kept),
  } as unknown as Item
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
