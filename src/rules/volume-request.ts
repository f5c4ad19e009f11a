import { ANNOTATION } from '../kubevirt/labels.ts'
import type { Vm, Vmi, VmiSpec, VmiVolume } from '../kubevirt/types.ts'
import { claimOf, isHotpluggable } from '../kubevirt/volumes.ts'

/** The body of `PUT …/addvolume`. */
export interface AddVolumeOptions {
  name?: string
  disk?: Record<string, unknown>
  volumeSource?: Omit<VmiVolume, 'name'>
}

/** Virt-api's answers. */
type VolumeRequest = { ok: true; spec: VmiSpec } | { ok: false; code: 400 | 409; message: string }

/** The body of `PUT …/removevolume` has nothing but the name. */
export type VolumeChange = 'addvolume' | 'removevolume'

/** A VM with its template changed, or a VMI until it ends; a VM's own VMI notes what is only its own. */
export function changeVolumes<T extends Vm | Vmi>(
  object: T,
  change: VolumeChange,
  options: AddVolumeOptions,
): { ok: true; object: T } | Extract<VolumeRequest, { ok: false }> {
  const { spec } = object
  const template = 'template' in spec ? spec.template : undefined
  const before = template?.spec ?? (spec as VmiSpec)
  const request =
    change === 'addvolume' ? withVolume(before, options) : withoutVolume(before, options.name)
  if (!request.ok) return request
  if (template)
    return {
      ok: true,
      object: { ...object, spec: { ...spec, template: { ...template, spec: request.spec } } },
    }
  const noted = withNote(object as Vmi, change, options.name ?? '')
  return { ok: true, object: { ...noted, spec: request.spec } as T }
}

/** Volumes that a VM's VMI has of itself, not of the VM's template. */
export function ephemeralVolumes({ metadata }: Vmi): string[] {
  try {
    const names: unknown = JSON.parse(metadata.annotations?.[ANNOTATION.ephemeralVolumes] ?? '[]')
    return Array.isArray(names) ? names.map(String) : []
  } catch {
    return []
  }
}

function withNote(vmi: Vmi, change: VolumeChange, name: string): Vmi {
  const { metadata } = vmi
  if (!metadata.ownerReferences?.some(({ kind }) => kind === 'VirtualMachine')) return vmi
  const others = ephemeralVolumes(vmi).filter((one) => one !== name)
  const names = change === 'addvolume' ? [...others, name] : others
  const { [ANNOTATION.ephemeralVolumes]: _, ...annotations } = metadata.annotations ?? {}
  const note = names.length > 0 ? { [ANNOTATION.ephemeralVolumes]: JSON.stringify(names) } : {}
  return { ...vmi, metadata: { ...metadata, annotations: { ...annotations, ...note } } }
}

/** The spec of a VM or VMI with one more volume, plugged in. */
function withVolume(spec: VmiSpec, options: AddVolumeOptions): VolumeRequest {
  const { name, disk, volumeSource } = options
  if (!name) return invalid('AddVolumeOptions requires name to be set')
  if (!disk) return invalid('AddVolumeOptions requires disk to not be nil')
  if (!volumeSource) return invalid('AddVolumeOptions requires VolumeSource to not be nil')
  const { volumes = [] } = spec
  if (volumes.some((volume) => volume.name === name))
    return conflicting(
      `Unable to add volume [${name}] because volume with that name already exists`,
    )
  const volume = pluggable({ ...volumeSource, name })
  const claim = claimOf(volume)
  if (claim !== undefined && volumes.some((other) => claimOf(other) === claim))
    return conflicting(`Unable to add volume source [${claim}] because it already exists`)
  const disks = [...(spec.domain?.devices?.disks ?? []), { ...disk, name }]
  return { ok: true, spec: withDisks({ ...spec, volumes: [...volumes, volume] }, disks) }
}

/** And without one that was plugged in. */
function withoutVolume(spec: VmiSpec, name: string | undefined): VolumeRequest {
  if (!name) return invalid('RemoveVolumeOptions requires name to be set')
  const { volumes = [] } = spec
  const volume = volumes.find((one) => one.name === name)
  if (!volume) return conflicting(`Unable to remove volume [${name}] because it does not exist`)
  if (!isHotpluggable(volume))
    return conflicting(`Unable to remove volume [${name}] because it is not hotpluggable`)
  const disks = (spec.domain?.devices?.disks ?? []).filter((disk) => disk.name !== name)
  const left = volumes.filter((one) => one !== volume)
  return { ok: true, spec: withDisks({ ...spec, volumes: left }, disks) }
}

function pluggable(volume: VmiVolume): VmiVolume {
  const { persistentVolumeClaim, dataVolume } = volume
  return {
    ...volume,
    ...(persistentVolumeClaim
      ? { persistentVolumeClaim: { ...persistentVolumeClaim, hotpluggable: true } }
      : {}),
    ...(dataVolume ? { dataVolume: { ...dataVolume, hotpluggable: true } } : {}),
  }
}

type Disks = NonNullable<NonNullable<NonNullable<VmiSpec['domain']>['devices']>['disks']>

function withDisks(spec: VmiSpec, disks: Disks): VmiSpec {
  const { domain } = spec
  return { ...spec, domain: { ...domain, devices: { ...domain?.devices, disks } } }
}

function invalid(message: string): VolumeRequest {
  return { ok: false, code: 400, message }
}

function conflicting(message: string): VolumeRequest {
  return { ok: false, code: 409, message }
}
