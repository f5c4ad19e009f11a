import { expect, test } from 'vitest'
import type { Vmi } from '../../../src/kubevirt/types.ts'
import { guestSpecOf } from '../../../src/lab/node/guest-spec.ts'

const MIB = 2 ** 20

function vmi(spec: Vmi['spec'], annotations = {}): Vmi {
  return { metadata: { name: 'vm', uid: 'U', annotations }, spec }
}

const guest = { memory: { guest: '64Mi' } }

test.each<[string, Vmi, { memoryBytes: number; diskBytes: number; dirtyRate: number }]>([
  ['memory', vmi({ domain: guest }), { memoryBytes: 64 * MIB, diskBytes: 0, dirtyRate: 0 }],
  [
    'memory that is only requested',
    vmi({ domain: { resources: { requests: { memory: '1Gi' } } } }),
    { memoryBytes: 1024 * MIB, diskBytes: 0, dirtyRate: 0 },
  ],
  [
    'a dirty rate',
    vmi({ domain: guest }, { 'lab.kubectl-mig.io/dirty-rate': '20Mi' }),
    { memoryBytes: 64 * MIB, diskBytes: 0, dirtyRate: 20 * MIB },
  ],
  [
    'local disks, of known and of unknown size',
    vmi({
      domain: guest,
      volumes: [
        { name: 'a', emptyDisk: { capacity: '16Mi' } },
        { name: 'b', containerDisk: { image: 'x' } },
      ],
    }),
    { memoryBytes: 64 * MIB, diskBytes: 24 * MIB, dirtyRate: 0 },
  ],
])('a guest is made with %s', (_, of, expected) => {
  expect(guestSpecOf(of)).toMatchObject(expected)
})

test('a shared claim is not copied; two VMs are not alike', () => {
  const shared = vmi({
    domain: guest,
    volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'c' } }],
  })
  shared.status = {
    volumeStatus: [{ name: 'd', persistentVolumeClaimInfo: { accessModes: ['ReadWriteMany'] } }],
  }
  expect(guestSpecOf(shared).diskBytes).toBe(0)
  const other = { ...shared, metadata: { ...shared.metadata, uid: 'V' } }
  expect(guestSpecOf(other).seed).not.toBe(guestSpecOf(shared).seed)
})
