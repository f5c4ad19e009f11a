import { isDeepStrictEqual } from 'node:util'
import type { Container, Pod } from '../../../kubevirt/types.ts'
import type { ApiObject } from '../kind.ts'
import type { FieldError } from '../status.ts'

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/

const UNCHANGEABLE =
  'Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

/** What is wrong with a pod, as far as it would lead anybody here astray: no containers, bad names, a changed spec. */
export function podFaults(object: ApiObject, old: ApiObject | undefined): FieldError[] {
  const { spec } = object as unknown as Pod
  const containers = spec.containers ?? []
  const faults: FieldError[] = []
  if (containers.length === 0)
    faults.push({
      field: 'spec.containers',
      reason: 'FieldValueRequired',
      message: 'Required value',
    })
  const seen = new Set<string>()
  for (const [field, list] of [
    ['spec.initContainers', spec.initContainers ?? []],
    ['spec.containers', containers],
  ] as const)
    for (const [index, { name }] of list.entries())
      faults.push(...nameFaults(`${field}[${index}].name`, name, seen))
  if (old && !isDeepStrictEqual(unchangeable(old), unchangeable(object)))
    faults.push({ field: 'spec', reason: 'FieldValueForbidden', message: UNCHANGEABLE })
  return faults
}

function nameFaults(field: string, name: string | undefined, seen: Set<string>): FieldError[] {
  if (!name) return [{ field, reason: 'FieldValueRequired', message: 'Required value' }]
  const quoted = JSON.stringify(name)
  if (seen.has(name))
    return [{ field, reason: 'FieldValueDuplicate', message: `Duplicate value: ${quoted}` }]
  seen.add(name)
  if (LABEL.test(name) && name.length <= 63) return []
  const why =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
  return [{ field, reason: 'FieldValueInvalid', message: `Invalid value: ${quoted}: ${why}` }]
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
