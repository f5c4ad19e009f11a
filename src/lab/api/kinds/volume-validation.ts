import { parseQuantity } from '../../../kubevirt/quantity.ts'
import { subdomainFaults } from '../formats.ts'
import type { ApiObject } from '../kind.ts'
import type { FieldError } from '../status.ts'
import { invalid, oneOf, required, unsupported, wellFormed } from './faults.ts'
import { pick } from './fields.ts'

const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']
const VOLUME_MODES = ['Block', 'Filesystem']

interface Volume {
  accessModes?: string[]
  resources?: { requests?: Record<string, string | number> }
  capacity?: Record<string, string | number>
  volumeMode?: string
  storageClassName?: string
}

/** What is wrong with a new claim, in the order and words of Kubernetes. */
export function claimFaults(object: ApiObject, old: ApiObject | undefined): FieldError[] {
  const spec = (pick(object, 'spec') ?? {}) as Volume
  if (old) return []
  const { accessModes = [], resources, volumeMode, storageClassName } = spec
  const storage = resources?.requests?.['storage']
  return [
    ...(accessModes.length > 0
      ? []
      : [
          {
            ...required('spec.accessModes'),
            message: 'Required value: at least 1 access mode is required',
          },
        ]),
    ...accessModes.flatMap((mode) => oneOf('spec.accessModes', mode, MODES)),
    ...(storage === undefined ? [required(STORAGE)] : positive(STORAGE, storage)),
    ...wellFormed('spec.storageClassName', storageClassName, subdomainFaults),
    ...oneOf('spec.volumeMode', volumeMode, VOLUME_MODES),
  ]
}

const STORAGE = 'spec.resources[storage]'

function positive(field: string, amount: string | number): FieldError[] {
  const nano = parseQuantity(String(amount))?.nano ?? 0n
  return nano > 0n ? [] : [invalid(field, String(amount), 'must be greater than zero')]
}

/** What a volume may be made of, as far as a lab knows it. */
const SOURCES =
  /^(hostPath|local|nfs|iscsi|fc|csi|rbd|cephfs|cinder|glusterfs|awsElasticBlockStore|azureDisk|azureFile|flexVolume|gcePersistentDisk|portworxVolume|quobyte|scaleIO|storageos|vsphereVolume|photonPersistentDisk|flocker)$/

export function volumeFaults(object: ApiObject): FieldError[] {
  const spec = (pick(object, 'spec') ?? {}) as Volume
  const { accessModes = [], capacity = {} } = spec
  const sources = Object.keys(spec).filter((field) => SOURCES.test(field))
  const size = capacity['storage']
  return [
    ...(accessModes.length > 0 ? [] : [required('spec.accessModes')]),
    ...accessModes.flatMap((mode) => oneOf('spec.accessModes', mode, MODES)),
    ...(Object.keys(capacity).length > 0 ? [] : [required('spec.capacity')]),
    ...(size === undefined
      ? [unsupported('spec.capacity', pick(object, 'spec.capacity') ?? null, ['storage'])]
      : positive('spec.capacity[storage]', size)),
    ...(sources.length > 0
      ? []
      : [{ ...required('spec'), message: 'Required value: must specify a volume type' }]),
    ...oneOf('spec.volumeMode', spec.volumeMode, VOLUME_MODES),
  ]
}

export function storageClassFaults(object: ApiObject): FieldError[] {
  return [
    ...(pick(object, 'provisioner') ? [] : [required('provisioner')]),
    ...oneOf('reclaimPolicy', pick(object, 'reclaimPolicy'), ['Delete', 'Retain']),
    ...oneOf('volumeBindingMode', pick(object, 'volumeBindingMode'), [
      'Immediate',
      'WaitForFirstConsumer',
    ]),
  ]
}
