import { describe, expect, test } from 'vitest'
import {
  handedOff,
  kubevirt,
  LATER,
  migration,
  node,
  reportOn,
  source,
  unscheduled,
  verdictOn,
  vmi,
} from './world.ts'

const persistent = { domain: { devices: { tpm: { persistent: true } } } }

describe('the Job that looks which claim of TPM and EFI is the valid one', () => {
  const waiting = (status: object) => [
    kubevirt(),
    migration('Running'),
    vmi(persistent, handedOff()),
    source,
    {
      kind: 'Job',
      metadata: { name: 'recover-mig-1', namespace: 'demo' },
      spec: { template: { spec: {} } },
      status,
    },
  ]
  const failed = (reason: string, message: string) => ({
    conditions: [{ type: 'Failed', status: 'True', reason, message }],
  })
  const told = (status: object) =>
    reportOn(waiting(status)).subjects[0]!.findings.find(({ code }) => code === 'MIG4024')

  test('is waited for', () => {
    expect(told({ active: 1 })).toMatchObject({
      status: 'warn',
      title: expect.stringContaining('waits for the Job recover-mig-1'),
    })
  })

  test('may have found that the guest had not gone over, which is no failure of the Job', () => {
    expect(told(failed('PodFailurePolicy', 'exit code 42'))).toMatchObject({
      status: 'warn',
      cause: expect.stringContaining('ends as Failed, and the PVC of the target is deleted'),
    })
  })

  test('may fail itself', () => {
    const late = failed('DeadlineExceeded', 'Job was active longer than specified deadline')
    expect(told(late)).toMatchObject({
      status: 'fail',
      evidence: [{ value: expect.stringContaining('longer than specified deadline') }],
    })
  })

  test('has nothing more to say when it has found the marker', () => {
    expect(told({ conditions: [{ type: 'Complete', status: 'True' }] })).toBeUndefined()
  })
})

test('a target pod cannot be rendered where no class is the default for the claim of the state', () => {
  const classNamed = (annotations: object) => ({
    kind: 'StorageClass',
    metadata: { name: 'disks', annotations },
  })
  const reported = (annotations: object) => {
    const [subject] = reportOn(
      [
        kubevirt(),
        migration('Pending'),
        vmi(persistent),
        source,
        node('node-a'),
        node('node-b'),
        classNamed(annotations),
      ],
      { now: LATER },
    ).subjects
    return {
      finding: subject?.findings.find(({ code }) => code === 'MIG3060'),
      storage: subject?.questions.find(({ question }) => question === 'Quota and storage?'),
    }
  }
  const without = 'neither vmStateStorageClass nor a default storage class'
  const lacking = reported({})
  expect(lacking.finding?.title).toContain(without)
  expect(lacking.storage?.answer).toContain(without)
  const virtDefault = { 'storageclass.kubevirt.io/is-default-virt-class': 'true' }
  const well = reported(virtDefault)
  expect(well.finding).toBeUndefined()
  expect(well.storage?.answer).toContain('nothing speaks against them')
})

test('a target pod that waits for its second claim: which one that is, what it is for, and who does not make its volume', () => {
  const message =
    '0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found'
  const claim = (name: string, labels: object, storageClassName: string) => ({
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'demo', labels },
    spec: { storageClassName },
    status: { phase: 'Pending' },
  })
  const pod = unscheduled(message, {
    volumes: [
      { name: 'vm-state', persistentVolumeClaim: { claimName: 'second' } },
      { name: 'disk', persistentVolumeClaim: { claimName: 'late' } },
    ],
  })
  const classes = [
    { name: 'disks', provisioner: 'example.com/disks' },
    { name: 'waits', provisioner: 'p', volumeBindingMode: 'WaitForFirstConsumer' },
  ].map(({ name, ...more }) => ({ kind: 'StorageClass', metadata: { name }, ...more }))
  const found = reportOn([
    kubevirt(),
    migration('Scheduling'),
    vmi(persistent),
    source,
    pod,
    node('node-a'),
    node('node-b'),
    claim('second', { 'kubevirt.io/migrationName': 'mig-1' }, 'disks'),
    claim('late', {}, 'waits'),
    ...classes,
  ]).subjects[0]!.findings.find(({ code }) => code === 'MIG3025')
  expect(found).toMatchObject({
    title:
      'The target pod of vm-a waits for PVC second (Pending, class disks): pod has unbound immediate PersistentVolumeClaims',
    objects: expect.arrayContaining(['pvc/demo/second']),
    remedy: [{ command: 'kubectl -n demo describe pvc second' }],
  })
  expect(found?.cause).toContain('example.com/disks has not made its volume')
  expect(found?.cause).toContain('made for this migration')
})

describe('a VM whose guest was lost while its volumes were copied', () => {
  const lost = (claimName: string) => ({
    kind: 'VirtualMachine',
    metadata: { name: 'vm-a', namespace: 'demo' },
    spec: {
      updateVolumesStrategy: 'Migration',
      template: {
        spec: {
          volumes: [
            { name: 'seed', cloudInitNoCloud: {} },
            { name: 'root', persistentVolumeClaim: { claimName } },
          ],
        },
      },
    },
    status: {
      conditions: [
        {
          type: 'ManualRecoveryRequired',
          status: 'True',
          reason: 'VMI was removed or was final during the volume migration',
        },
      ],
      volumeUpdateState: {
        volumeMigrationState: {
          migratedVolumes: [
            {
              volumeName: 'root',
              sourcePVCInfo: { claimName: 'old' },
              destinationPVCInfo: { claimName: 'new' },
            },
          ],
        },
      },
    },
  })

  test('is told, although it has neither VMI nor migration, with the way back', () => {
    const [subject] = reportOn([kubevirt(), lost('new')]).subjects
    expect(subject?.ref).toBe('vm/demo/vm-a')
    expect(subject?.findings[0]).toMatchObject({
      code: 'MIG3077',
      status: 'fail',
      objects: ['vm/demo/vm-a', 'pvc/demo/old'],
      remedy: [
        {
          command: `kubectl -n demo patch vm vm-a --type=json -p '[{"op":"replace","path":"/spec/template/spec/volumes/1/persistentVolumeClaim/claimName","value":"old"}]'`,
        },
      ],
    })
    expect(verdictOn([kubevirt(), lost('new')])).toMatchObject({
      code: 'MIG3077',
      endsByItself: 'no',
    })
  })
})
