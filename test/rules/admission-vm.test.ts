import { describe, expect, test } from 'vitest'
import type { KubeVirt, Vm, VmiSpec } from '../../src/kubevirt/types.ts'
import { admitVm } from '../../src/rules/admission-vm.ts'
import { admitVmi } from '../../src/rules/admission-vmi.ts'
import type { Admission } from '../../src/rules/refusal.ts'
import { vmi } from './objects.ts'

const causes = (admission: Admission) =>
  admission.admit ? [] : admission.blockers.map(({ message, field }) => [field, message])
const template = (spec: VmiSpec = {}) => ({ spec })
const refused = (spec: Vm['spec'], kubevirt?: KubeVirt) =>
  causes(admitVm({ metadata: { name: 'vm-1' }, spec }, kubevirt))

describe('a VM is refused', () => {
  test.each<[string, Vm['spec'], string[]]>([
    ['without a template', {}, ['spec.template', 'missing virtual machine template.']],
    [
      'that is told in two ways when to run',
      { running: true, runStrategy: 'Always', template: template() },
      [
        'spec.running',
        'Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy instead',
      ],
    ],
    [
      'that is not told',
      { template: template() },
      ['spec.running', 'RunStrategy must be specified'],
    ],
    [
      'that is told what there is not',
      { runStrategy: 'Sometimes', template: template() },
      ['spec.runStrategy', 'Invalid RunStrategy (Sometimes)'],
    ],
    [
      'with an unknown eviction strategy',
      { runStrategy: 'Always', template: template({ evictionStrategy: 'Wild' }) },
      [
        'spec.template.spec.evictionStrategy',
        'spec.template.spec.evictionStrategy is set with an unrecognized option: Wild',
      ],
    ],
  ])('%s', (_, spec, cause) => {
    expect(refused(spec)).toEqual([cause])
  })

  test('for all that is wrong at once', () => {
    const spec = { runStrategy: 'Sometimes', template: template({ evictionStrategy: 'Wild' }) }
    expect(refused(spec)).toHaveLength(2)
  })

  test('for firmware that does not fit, unless a preference may mend it', () => {
    const spec = {
      runStrategy: 'Always',
      template: template({ domain: { firmware: { bootloader: { efi: {} } } } } as VmiSpec),
    }
    expect(refused(spec).map(([field]) => field)).toEqual(['spec.template.spec.domain'])
    expect(refused({ ...spec, preference: { name: 'windows' } } as Vm['spec'])).toEqual([])
  })

  test('or else not', () => {
    for (const runStrategy of ['Always', 'Halted', 'Manual', 'Once', 'RerunOnFailure'])
      expect(refused({ runStrategy, template: template() })).toEqual([])
    expect(refused({ running: false, template: template(vmi().spec) })).toEqual([])
  })
})

test('disks, interfaces and networks of a VMI must belong together', () => {
  const of = vmi({
    spec: {
      volumes: [{ name: 'root', emptyDisk: {} }],
      networks: [
        { name: 'default', pod: {} },
        { name: 'blue', multus: { networkName: 'nad-blue' } },
      ],
      domain: {
        devices: {
          disks: [
            { name: 'root', disk: {} },
            { name: 'data', disk: {} },
            { name: 'drive', cdrom: {} },
          ],
          interfaces: [
            { name: 'default', masquerade: {} },
            { name: 'red', bridge: {} },
          ],
        },
      },
    },
  })
  expect(causes(admitVmi(of, undefined))).toEqual([
    ['spec.domain.devices.disks[1].name', "spec.domain.devices.disks[1].Name 'data' not found."],
    ['spec.networks[1].name', "spec.networks[1].name 'blue' not found."],
    [
      'spec.domain.devices.interfaces[1].name',
      "spec.domain.devices.interfaces[1].name 'red' not found.",
    ],
  ])
  expect(causes(admitVmi(vmi(), undefined))).toEqual([])
})
