import { ageOf } from '../human-duration.ts'
import { type ApiObject, defineKind } from '../kind.ts'
import { pick } from './fields.ts'
import { quotaFaults } from './quota-validation.ts'

export const RESOURCE_QUOTA = defineKind({
  group: '',
  version: 'v1',
  plural: 'resourcequotas',
  kind: 'ResourceQuota',
  shortNames: ['quota'],
  hasStatus: true,
  returnsDeleted: true,
  validate: quotaFaults,
  prepare(object) {
    object['status'] = {}
  },
  columns: [
    { name: 'Request', cell: (o) => usage(o, (name) => !name.startsWith('limits')) },
    { name: 'Limit', cell: (o) => usage(o, (name) => name.startsWith('limits')) },
    { name: 'Age', cell: (o, now) => ageOf(o.metadata.creationTimestamp, now) },
  ],
})

/** `requests.memory: 404229824/8Gi, …` of the resources chosen, as the quota controller counted them last. */
function usage(object: ApiObject, chosen: (name: string) => boolean): string {
  const hard = (pick(object, 'status.hard') as Record<string, unknown>) ?? {}
  const used = (pick(object, 'status.used') as Record<string, unknown>) ?? {}
  return Object.keys(hard)
    .filter(chosen)
    .sort()
    .map((name) => `${name}: ${used[name] ?? 0}/${hard[name]}`)
    .join(', ')
}
