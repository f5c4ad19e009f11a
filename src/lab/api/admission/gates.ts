import { isGateOn } from '../../../kubevirt/defaults.ts'
import type { KubeVirt } from '../../../kubevirt/types.ts'
import type { Reader } from './hook.ts'

/** Whether the cluster's KubeVirt CR (or, without one, the release the lab plays) has a feature gate on. */
export function gateOn(read: Reader, gate: string): boolean {
  const [kubevirt] = read.list({ group: 'kubevirt.io', plural: 'kubevirts' })
  return isGateOn(kubevirt as unknown as KubeVirt | undefined, gate)
}
