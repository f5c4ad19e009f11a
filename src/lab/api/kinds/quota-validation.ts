import { canonicalQuantity, parseQuantity } from '../../../kubevirt/quantity.ts'
import { qualifiedNameFaults } from '../formats.ts'
import type { ApiObject } from '../kind.ts'
import type { FieldError } from '../status.ts'
import { invalid } from './faults.ts'
import { pick } from './fields.ts'

/** What is counted by the piece. */
const COUNTED = [
  'configmaps',
  'persistentvolumeclaims',
  'pods',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
  'services.loadbalancers',
  'services.nodeports',
]
const MEASURED = ['cpu', 'memory', 'ephemeral-storage', 'storage']
const STANDARD = new Set([
  ...COUNTED,
  'cpu',
  'memory',
  'ephemeral-storage',
  ...MEASURED.map((name) => `requests.${name}`),
  ...MEASURED.filter((name) => name !== 'storage').map((name) => `limits.${name}`),
])

const SCOPES = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
  'VolumeAttributesClass',
]

export function quotaFaults(object: ApiObject): FieldError[] {
  const hard = (pick(object, 'spec.hard') ?? {}) as Record<string, string>
  const scopes = (pick(object, 'spec.scopes') ?? []) as string[]
  return [
    ...Object.entries(hard).flatMap(([name, value]) => hardFaults(name, value)),
    ...(scopes.every((scope) => SCOPES.includes(scope))
      ? []
      : [invalid('spec.scopes', scopes, 'unsupported scope')]),
  ]
}

function hardFaults(name: string, value: string): FieldError[] {
  const field = `spec.hard[${name}]`
  const faults = qualifiedNameFaults(name).map((why) => invalid(field, name, why))
  if (!name.includes('/') && !STANDARD.has(name))
    faults.push(
      invalid(field, name, 'must be a standard resource type or fully qualified'),
      invalid(field, name, 'must be a standard resource for quota'),
    )
  const nano = parseQuantity(value)?.nano ?? 0n
  const text = canonicalQuantity(value) ?? String(value)
  if (nano < 0n) faults.push(invalid(field, text, 'must be greater than or equal to 0'))
  else if (COUNTED.includes(name) && nano % 1_000_000_000n !== 0n)
    faults.push(invalid(field, text, 'must be an integer'))
  return faults
}
