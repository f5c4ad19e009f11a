import type { FieldType } from '../schema/type-table.ts'

/** Structs that have one owner as a whole (`x-kubernetes-map-type: atomic` in Kubernetes' published schemas). */
const STRUCTS = new Set([
  'ConfigMapKeySelector',
  'EndpointAddress',
  'EndpointPort',
  'FileKeySelector',
  'LabelSelector',
  'LocalObjectReference',
  'NodeSelector',
  'NodeSelectorTerm',
  'ObjectFieldSelector',
  'ObjectReference',
  'OwnerReference',
  'ResourceFieldSelector',
  'RoleRef',
  'ScopeSelector',
  'SecretKeySelector',
  'SecretReference',
  'Subject',
  'TopologySelectorTerm',
  'TypedLocalObjectReference',
  'discovery.EndpointPort',
])

/** Maps that have: of one struct each. */
const MAPS = new Set(['PodSpec nodeSelector', 'ServiceSpec selector'])

/**
 * Whether what server-side apply finds at a field is one value. Only in Kubernetes' own kinds: the schemas of KubeVirt's
 * say nothing of it.
 * @param parent the type that has the field
 */
export function isAtomic(parent: FieldType | undefined, field: string, type: FieldType): boolean {
  if (parent?.shape !== 'struct' || parent.name.startsWith('kv.')) return false
  if (type.shape === 'struct') return STRUCTS.has(type.name)
  return type.shape === 'map' && MAPS.has(`${parent.name} ${field}`)
}
