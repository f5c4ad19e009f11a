import type { Resource } from '../../kubevirt/resources.ts'
import type { KubeObject } from '../../kubevirt/types.ts'
import { apiVersionOf } from '../api/kind.ts'
import { ALL_KINDS } from '../api/kinds/index.ts'

/** The kind of an object, of those that a lab has. */
export function resourceOf({ apiVersion, kind }: KubeObject): Resource | undefined {
  return ALL_KINDS.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion)
}
