import { isPodFinal } from '../../kubevirt/pods.ts'
import type { KubeObject, Pod } from '../../kubevirt/types.ts'
import { selects } from '../../rules/label-selector.ts'
import { isGoing, isReady } from './template-pods.ts'

export interface Service extends KubeObject {
  spec?: {
    type?: string
    selector?: Record<string, string>
    ports?: { name?: string; port: number; protocol?: string; targetPort?: number | string }[]
  }
}

interface Port {
  name: string
  port: number
  protocol: string
}

export interface EndpointSlice extends KubeObject {
  addressType: 'IPv4'
  endpoints: object[]
  ports: Port[]
}

/** What names a service in its slices, and who makes these. */
export const SLICE_LABELS = {
  service: 'kubernetes.io/service-name',
  manager: 'endpointslice.kubernetes.io/managed-by',
} as const
export const SLICE_MANAGER = 'endpointslice-controller.k8s.io'

/** Whether a service has pods behind it that are found by its selector. */
export function isSelecting({ spec }: Service): boolean {
  return spec?.type !== 'ExternalName' && Object.keys(spec?.selector ?? {}).length > 0
}

/** Who is behind a service, in both forms: the slice, and the older `Endpoints`. */
export function endpointsOf(
  { metadata, spec }: Service,
  all: readonly Pod[],
): { slice: Pick<EndpointSlice, 'endpoints' | 'ports'>; subsets: object[] } {
  const pods = all
    .filter((pod) => pod.metadata.namespace === metadata.namespace && pod.status?.podIP)
    .filter((pod) => selects({ matchLabels: spec?.selector ?? {} }, pod.metadata.labels))
    .filter((pod) => !isPodFinal(pod))
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  const ports = (spec?.ports ?? []).map((port) => portOf(port, pods))
  const addressesOf = (some: Pod[]) =>
    some.map((pod) => ({
      ip: pod.status?.podIP ?? '',
      ...(pod.spec.nodeName && { nodeName: pod.spec.nodeName }),
      targetRef: reference(pod),
    }))
  const serving = pods.filter((pod) => isReady(pod) && !isGoing(pod))
  const others = pods.filter((pod) => !isReady(pod) && !isGoing(pod))
  const subset = {
    ...(serving.length > 0 && { addresses: addressesOf(serving) }),
    ...(others.length > 0 && { notReadyAddresses: addressesOf(others) }),
    ...(ports.length > 0 && { ports }),
  }
  return {
    slice: { endpoints: pods.map(endpointOf), ports },
    subsets: serving.length + others.length > 0 ? [subset] : [],
  }
}

function endpointOf(pod: Pod): object {
  const ready = isReady(pod)
  return {
    addresses: [pod.status?.podIP ?? ''],
    conditions: { ready: ready && !isGoing(pod), serving: ready, terminating: isGoing(pod) },
    ...(pod.spec.nodeName && { nodeName: pod.spec.nodeName }),
    targetRef: reference(pod),
  }
}

function reference({ metadata: { name, namespace, uid } }: Pod): object {
  return { kind: 'Pod', namespace, name, uid }
}

/** A target that is a name is the port that the pods' containers call so. */
function portOf(
  {
    name = '',
    port,
    protocol = 'TCP',
    targetPort = port,
  }: NonNullable<NonNullable<Service['spec']>['ports']>[number],
  pods: readonly Pod[],
): Port {
  if (typeof targetPort === 'number') return { name, port: targetPort, protocol }
  const named = pods
    .flatMap(({ spec }) => spec.containers)
    .flatMap((one) => (one['ports'] as { name?: string; containerPort: number }[]) ?? [])
    .find((one) => one.name === targetPort)
  return { name, port: named?.containerPort ?? port, protocol }
}
