import { describe, expect, test } from 'vitest'
import type { Node, Vmi } from '../../src/kubevirt/types.ts'
import { methodOf, migratabilityOf, obstaclesOf } from '../../src/rules/migratability.ts'
import { condition, vmi } from './objects.ts'

const plain: Node = { metadata: { name: 'node-1', labels: {} }, spec: {} }
const withSpec = (spec: object, status: Vmi['status'] = {}) => vmi({ spec, status })
const withDomain = (domain: object) =>
  withSpec({ domain: { cpu: { model: 'Haswell' }, devices: {}, ...domain }, networks: [] })
const messages = (of: Vmi, node = plain) =>
  obstaclesOf(of, node, undefined).map(({ message }) => message)

test('what virt-handler says', () => {
  expect(migratabilityOf(vmi())).toEqual({ migratable: true })
  expect(migratabilityOf(vmi({ status: { conditions: [] } }))).toEqual({ migratable: 'unknown' })
  const refused = condition('LiveMigratable', 'False', 'R', 'm')
  expect(migratabilityOf(vmi({ status: { conditions: [refused] } }))).toEqual({
    migratable: false,
    reason: 'R',
    message: 'm',
  })
})

const claim = (accessModes?: string[]) =>
  withSpec(
    { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'disk-0' } }] },
    {
      volumeStatus: [
        { name: 'd', ...(accessModes ? { persistentVolumeClaimInfo: { accessModes } } : {}) },
      ],
    },
  )

describe('obstacles', () => {
  test.each<[string, Vmi, string]>([
    [
      'a claim that is not shared',
      claim(['ReadWriteOnce']),
      'cannot migrate VMI: PVC disk-0 is not shared, live migration requires that all PVCs must be shared (using ReadWriteMany access mode)',
    ],
    [
      'a claim that nobody has looked at',
      claim(),
      'cannot migrate VMI: Unable to determine if PVC disk-0 is shared, live migration requires that all PVCs must be shared (using ReadWriteMany access mode)',
    ],
    [
      'a host disk',
      withSpec({ volumes: [{ name: 'd', hostDisk: { path: '/x' } }] }),
      'cannot migrate VMI with non-shared HostDisk',
    ],
    [
      'a bridge on the pod network',
      withSpec({
        domain: { cpu: { model: 'x' }, devices: { interfaces: [{ name: 'default', bridge: {} }] } },
      }),
      'cannot migrate VMI which does not use masquerade or a migratable plugin to connect to the pod network',
    ],
    [
      'a pod network without interface',
      withSpec({ domain: { cpu: { model: 'x' } } }),
      'no primary interface found for network default',
    ],
    [
      'host-model on a node without one',
      withDomain({ cpu: { model: 'host-model' } }),
      'the node "node-1" does not allow migration with host-model',
    ],
    [
      'a host device',
      withDomain({ devices: { hostDevices: [{}] } }),
      'VMI specifies non-migratable generic PCI host device',
    ],
    ['two GPUs', withDomain({ devices: { gpus: [{}, {}] } }), 'VMI specifies too many GPUs'],
    [
      'a GPU',
      withDomain({ devices: { gpus: [{}] } }),
      'VMI specifies a GPU but feature gate VGPULiveMigration is not enabled',
    ],
    ['SEV', withDomain({ launchSecurity: { sev: {} } }), 'VMI uses SEV'],
    ['TDX', withDomain({ launchSecurity: { tdx: {} } }), 'VMI uses TDX'],
    [
      'reenlightenment without a TSC frequency',
      withDomain({ features: { hyperv: { reenlightenment: {} } } }),
      'HyperV Reenlightenment VMIs cannot migrate when TSC Frequency is not exposed on the cluster: guest timers might be inconsistent',
    ],
    [
      'hyperv passthrough',
      withDomain({ features: { hypervPassthrough: { enabled: true } } }),
      'VMI uses hyperv passthrough',
    ],
  ])('%s', (_, of, message) => {
    expect(messages(of)).toEqual([message])
  })

  test('none for an ordinary VM, nor for a bridge that is allowed', () => {
    expect(messages(vmi())).toEqual([])
    const bridged = withSpec({
      domain: { cpu: { model: 'x' }, devices: { interfaces: [{ name: 'default', bridge: {} }] } },
    })
    bridged.metadata.annotations = { 'kubevirt.io/allow-pod-bridge-network-live-migration': '' }
    expect(messages(bridged)).toEqual([])
  })

  test('all are told, the disks last', () => {
    const sev = { domain: { cpu: { model: 'x' }, launchSecurity: { sev: {} } }, networks: [] }
    const of = withSpec(
      { ...claim(['ReadWriteOnce']).spec, ...sev },
      claim(['ReadWriteOnce']).status,
    )
    expect(obstaclesOf(of, plain, undefined).map(({ reason }) => reason)).toEqual([
      'SEVNotLiveMigratable',
      'DisksNotLiveMigratable',
    ])
  })
})

describe('local disks are copied too', () => {
  const volume = (source: object, disk: object = { disk: {} }) =>
    withSpec({
      volumes: [{ name: 'd', ...source }],
      domain: { devices: { disks: [{ name: 'd', ...disk }] } },
    })
  test.each<[string, Vmi, string]>([
    ['no volumes', vmi(), 'LiveMigration'],
    ['a shared claim', claim(['ReadWriteMany']), 'LiveMigration'],
    ['a container disk', volume({ containerDisk: {} }), 'BlockMigration'],
    ['a cloud-init CD', volume({ cloudInitNoCloud: {} }, { cdrom: {} }), 'LiveMigration'],
    ['an empty disk', volume({ emptyDisk: {} }), 'BlockMigration'],
    ['a claim that keeps it from moving', claim(['ReadWriteOnce']), 'BlockMigration'],
  ])('%s', (_, of, method) => {
    expect(methodOf(of)).toBe(method)
  })

  test('a volume that is being migrated is copied, whatever its access mode', () => {
    const of = claim(['ReadWriteOnce'])
    of.status = { ...of.status, migratedVolumes: [{ volumeName: 'd' }] }
    expect(messages(of)).toEqual([])
    expect(methodOf(of)).toBe('BlockMigration')
  })
})
