import type { KubeVirt, Vm, VmiSpec } from '../kubevirt/types.ts'
import { firmwareBlockers } from './admission-firmware.ts'
import { type Admission, admissionOf, invalid, type Refusal } from './refusal.ts'

const WEBHOOK = 'virtualmachine-validator.kubevirt.io'

const RUN_STRATEGIES = ['Always', 'Halted', 'Manual', 'Once', 'RerunOnFailure', 'WaitAsReceiver']
const EVICTION_STRATEGIES = ['External', 'LiveMigrate', 'LiveMigrateIfPossible', 'None']

/**
 * May this VM be written? Of what KubeVirt's webhook looks at, that which bears on how the VM runs and moves; all that is
 * wrong is told at once. The texts are those of public code.
 */
export function admitVm({ spec }: Vm, kubevirt: KubeVirt | undefined): Admission {
  if (!spec.template)
    return admissionOf([
      invalid('template-missing', WEBHOOK, 'missing virtual machine template.', 'spec.template'),
    ])
  const path = 'spec.template.spec'
  return admissionOf([
    ...specBlockers(spec.template.spec, path, WEBHOOK, kubevirt),
    // A preference, which is not known here, may add what the firmware needs.
    ...('preference' in spec ? [] : firmwareBlockers(spec.template.spec, path, WEBHOOK)),
    ...runStrategyBlockers(spec),
  ])
}

function runStrategyBlockers({ running, runStrategy }: Vm['spec']): Refusal[] {
  const isRunningSet = running !== undefined
  const blockers: Refusal[] = []
  if (isRunningSet && runStrategy !== undefined) {
    const message =
      'Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy instead'
    blockers.push(invalid('run-strategy-twice', WEBHOOK, message, 'spec.running'))
  }
  if (!isRunningSet && runStrategy === undefined)
    blockers.push(
      invalid('run-strategy-missing', WEBHOOK, 'RunStrategy must be specified', 'spec.running'),
    )
  if (runStrategy !== undefined && !RUN_STRATEGIES.includes(runStrategy)) {
    const message = `Invalid RunStrategy (${runStrategy})`
    blockers.push(invalid('run-strategy-unknown', WEBHOOK, message, 'spec.runStrategy'))
  }
  return blockers
}

/** What is wrong with the spec of a VMI, or of a VM's template, which stands at `path`. */
export function specBlockers(
  { evictionStrategy, domain, volumes = [], networks = [] }: VmiSpec,
  path: string,
  webhook: string,
  kubevirt: KubeVirt | undefined,
): Refusal[] {
  const { disks = [], interfaces = [] } = domain?.devices ?? {}
  const hasName = (list: readonly { name?: string }[], name: unknown) =>
    list.some((one) => one.name === name)
  const absent = (field: string, name: string, shown = field) =>
    invalid('name-unknown', webhook, `${path}.${shown} '${name}' not found.`, `${path}.${field}`)
  const strategy = evictionStrategy ?? kubevirt?.spec.configuration?.evictionStrategy
  const isKnown = strategy === undefined || EVICTION_STRATEGIES.includes(strategy)
  return [
    ...disks.flatMap((disk, index) => {
      // A drive may be empty.
      if (disk['cdrom'] !== undefined || hasName(volumes, disk.name)) return []
      const at = `domain.devices.disks[${index}]`
      return [absent(`${at}.name`, disk.name, `${at}.Name`)]
    }),
    ...networks.flatMap(({ name }, index) =>
      hasName(interfaces, name) ? [] : [absent(`networks[${index}].name`, name)],
    ),
    ...interfaces.flatMap(({ name }, index) =>
      hasName(networks, name)
        ? []
        : [absent(`domain.devices.interfaces[${index}].name`, String(name))],
    ),
    ...(isKnown
      ? []
      : [
          invalid(
            'eviction-strategy-unknown',
            webhook,
            `${path}.evictionStrategy is set with an unrecognized option: ${strategy}`,
            `${path}.evictionStrategy`,
          ),
        ]),
  ]
}
