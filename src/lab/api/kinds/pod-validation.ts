import { isDeepStrictEqual } from 'node:util'
import type { Container, Pod } from '../../../kubevirt/types.ts'
import {
  dnsLabelFaults,
  labelKeyFaults,
  labelValueFaults,
  qualifiedNameFaults,
  subdomainFaults,
} from '../formats.ts'
import type { ApiObject } from '../kind.ts'
import type { FieldError } from '../status.ts'
import { containerFaults } from './container-validation.ts'
import { invalid, oneOf, required, uniqueName, wellFormed } from './faults.ts'
import { tolerationFaults } from './toleration-validation.ts'

const UNCHANGEABLE =
  'Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

/** What is wrong with a pod: all that a person who writes one by hand is likely to do wrong, in the order of Kubernetes. */
export function podFaults(object: ApiObject, old: ApiObject | undefined): FieldError[] {
  const { spec } = object as unknown as Pod
  if (old)
    return isDeepStrictEqual(unchangeable(old), unchangeable(object))
      ? []
      : [{ field: 'spec', reason: 'FieldValueForbidden', message: UNCHANGEABLE }]
  const { containers = [], initContainers = [] } = spec
  const volumes = new Set<string>()
  const names = new Set<string>()
  const each = (field: string, list: Container[]) =>
    list.flatMap((one, i) => containerFaults(`${field}[${i}]`, one, volumes, names))
  return [
    ...(spec.volumes ?? []).flatMap(({ name }, i) =>
      uniqueName(`spec.volumes[${i}].name`, name, dnsLabelFaults, volumes),
    ),
    ...(containers.length > 0 ? [] : [required('spec.containers')]),
    ...each('spec.containers', containers),
    ...each('spec.initContainers', initContainers),
    ...oneOf('spec.restartPolicy', spec.restartPolicy, ['Always', 'OnFailure', 'Never']),
    ...oneOf('spec.dnsPolicy', spec['dnsPolicy'], DNS_POLICIES),
    ...Object.entries(spec.nodeSelector ?? {}).flatMap(([key, value]) => [
      ...wellFormed('spec.nodeSelector', key, labelKeyFaults),
      ...wellFormed('spec.nodeSelector', value, labelValueFaults),
    ]),
    ...(spec.readinessGates ?? []).flatMap(({ conditionType }, i) =>
      wellFormed(`spec.readinessGates[${i}].conditionType`, conditionType, qualifiedNameFaults),
    ),
    ...wellFormed('spec.serviceAccountName', textOf(spec['serviceAccountName']), subdomainFaults),
    ...wellFormed('spec.nodeName', spec.nodeName, subdomainFaults),
    ...deadlineFaults(spec['activeDeadlineSeconds']),
    ...wellFormed('spec.hostname', textOf(spec['hostname']), dnsLabelFaults),
    ...(spec.tolerations ?? []).flatMap((one, i) =>
      tolerationFaults(`spec.tolerations[${i}]`, one),
    ),
  ]
}

const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']

function deadlineFaults(seconds: unknown): FieldError[] {
  if (typeof seconds !== 'number' || seconds >= 1) return []
  const why = 'must be between 1 and 2147483647, inclusive'
  return [invalid('spec.activeDeadlineSeconds', seconds, why)]
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** What of a pod's spec stays as it was created. */
function unchangeable(object: ApiObject): object {
  const { spec } = object as unknown as Pod
  const {
    activeDeadlineSeconds: _deadline,
    terminationGracePeriodSeconds: _grace,
    tolerations: _tolerations,
    containers,
    initContainers,
    ...rest
  } = spec
  const withoutImage = (list: Container[] | undefined) =>
    (list ?? []).map(({ image: _image, ...container }) => container)
  return {
    ...rest,
    containers: withoutImage(containers),
    initContainers: withoutImage(initContainers),
  }
}
