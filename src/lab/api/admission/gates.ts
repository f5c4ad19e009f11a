import { isGateOn } from '../../../kubevirt/defaults.ts'
import type { KubeVirt } from '../../../kubevirt/types.ts'
import type { Reader } from './hook.ts'

/** The cluster's KubeVirt CR, if there is one. */
export function kubevirtOf(read: Reader): KubeVirt | undefined {
  const [kubevirt] = read.list({ group: 'kubevirt.io', plural: 'kubevirts' })
  return kubevirt as unknown as KubeVirt | undefined
}

/** Whether that (or, without one, the release the lab plays) has a feature gate on. */
export function gateOn(read: Reader, gate: string): boolean {
  return isGateOn(kubevirtOf(read), gate)
}
