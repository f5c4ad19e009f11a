import { sameValue } from '../kubevirt/equality.ts'
import { secondaryNetworks } from '../kubevirt/multus.ts'
import type { VmiSpec } from '../kubevirt/types.ts'

/** One field of a running VMI that its VM wants otherwise. */
export interface Change {
  path: string
  old: unknown
  /** Undefined takes the field away. */
  value: unknown
}

/** Interfaces on secondary networks may come and go, and their networks may be attached elsewhere. */
export function networkChanges(template: VmiSpec, spec: VmiSpec): Change[] {
  const wanted = secondaryNetworks(template)
  const networks = spec.networks ?? []
  const interfaces = spec.domain?.devices?.interfaces ?? []
  const added = wanted.filter(({ name }) => !networks.some((network) => network.name === name))
  const nextNetworks = [
    ...networks.map((network) => wanted.find(({ name }) => name === network.name) ?? network),
    ...added,
  ]
  const templated = template.domain?.devices?.interfaces ?? []
  const nextInterfaces = [
    ...interfaces.map((one) =>
      withState(
        one,
        templated.find(({ name }) => name === one.name),
      ),
    ),
    ...templated.filter(({ name }) => added.some((network) => network.name === name)),
  ]
  return [
    { path: '/spec/networks', old: spec.networks, value: nextNetworks },
    {
      path: '/spec/domain/devices/interfaces',
      old: spec.domain?.devices?.interfaces,
      value: nextInterfaces,
    },
  ].filter(({ old, value }) => !sameValue(old, value))
}

/** Of an interface that is there only its state can change. */
function withState<T extends Record<string, unknown>>(one: T, wanted: T | undefined): T {
  const state = wanted?.['state']
  return state === undefined ? one : { ...one, state }
}
