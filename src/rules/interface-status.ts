import { attachedNetworks, podInterfaceName, secondaryNetworks } from '../kubevirt/multus.ts'
import type { Pod, Vmi } from '../kubevirt/types.ts'

type InterfaceStatus = NonNullable<NonNullable<Vmi['status']>['interfaces']>[number]

const FROM_MULTUS = 'multus-status'
const PRIMARY = 'eth0'

/** What the VMI says of its interfaces, given what Multus says that it attached to the launcher (control-plane.md §4.4). */
export function interfaceStatuses({ spec, status }: Vmi, launcher: Pod): InterfaceStatus[] {
  const attached = attachedNetworks(launcher)
  const known = (name: string) => status?.interfaces?.find((one) => one.name === name)
  const primary = (spec.networks ?? []).find((network) => network.pod || network.multus?.default)
  const own = primary
    ? [{ name: primary.name, ...known(primary.name), podInterfaceName: PRIMARY }]
    : []
  const secondary = secondaryNetworks(spec).flatMap(({ name }): InterfaceStatus[] => {
    const before = known(name)
    const podInterface = podInterfaceName(name)
    const isThere = attached.has(podInterface)
    if (!before && !isThere) return []
    const infoSource = sources(String(before?.['infoSource'] ?? ''), isThere)
    return [{ name, ...before, infoSource, podInterfaceName: podInterface }]
  })
  const named = (spec.networks ?? []).map(({ name }) => name)
  const others = (status?.interfaces ?? []).filter(({ name = '' }) => !named.includes(name))
  return [...own, ...secondary, ...others]
}

function sources(before: string, isThere: boolean): string {
  const others = before.split(', ').filter((source) => source !== '' && source !== FROM_MULTUS)
  if (!isThere) return others.join(', ')
  return before.includes(FROM_MULTUS) ? before : [...others, FROM_MULTUS].join(', ')
}
