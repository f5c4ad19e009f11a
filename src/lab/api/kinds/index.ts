import type { Kind } from '../kind.ts'
import { BYSTANDER_KINDS } from './bystanders.ts'
import { CORE_KINDS } from './core.ts'
import { EXTENSION_KINDS } from './extensions.ts'
import { FAULT } from './fault.ts'
import { KUBEVIRT_KINDS } from './kubevirt.ts'
import { NEIGHBOUR_KINDS } from './neighbours.ts'
import { NETWORKING_KINDS } from './networking.ts'
import { RBAC_KINDS } from './rbac.ts'
import { WORKLOAD_KINDS } from './workloads.ts'

export const ALL_KINDS: Kind[] = [
  ...CORE_KINDS,
  ...KUBEVIRT_KINDS,
  ...BYSTANDER_KINDS,
  ...NEIGHBOUR_KINDS,
  ...WORKLOAD_KINDS,
  ...NETWORKING_KINDS,
  ...EXTENSION_KINDS,
  ...RBAC_KINDS,
  FAULT,
]
