import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diagnose } from '../../src/diagnose/engine.ts'
import { reportOf } from '../../src/diagnose/report.ts'
import { KINDS } from '../../src/evidence/kinds.ts'
import { latestMoment } from '../../src/evidence/latest.ts'
import { createObjects } from '../../src/evidence/objects.ts'
import { objectsIn } from '../../src/evidence/shape.ts'

test('items of a typed list take its kind, and an empty list is a list that was read', () => {
  expect(objectsIn({ kind: 'PodList', items: [{ metadata: { name: 'a' } }] })).toMatchObject({
    items: [{ kind: 'Pod', metadata: { name: 'a' } }],
    kinds: ['Pod'],
  })
  expect(objectsIn({ kind: 'ResourceQuotaList', items: [] })).toEqual({
    items: [],
    kinds: ['ResourceQuota'],
  })
})

test('cloud-init, sysprep, credentials, environments and what repeats them are never kept', () => {
  const { items } = objectsIn({
    kind: 'VirtualMachineInstance',
    metadata: {
      name: 'vm',
      managedFields: [{ x: 'SECRET' }],
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'SECRET', kept: 'yes' },
    },
    spec: {
      accessCredentials: [{ sshPublicKey: 'SECRET' }],
      volumes: [
        { name: 'a', cloudInitNoCloud: { userData: 'SECRET' } },
        { name: 'b', cloudInitConfigDrive: { userDataBase64: 'SECRET' } },
        { name: 'c', sysprep: { secret: 'SECRET' } },
      ],
      containers: [{ name: 'compute', env: [{ name: 'PASSWORD', value: 'SECRET' }] }],
    },
  })
  expect(JSON.stringify(items)).not.toContain('SECRET')
  expect(items[0]).toMatchObject({ metadata: { annotations: { kept: 'yes' } } })
})

test('of a Secret only its certificate is kept', () => {
  const { items } = objectsIn({
    kind: 'Secret',
    metadata: { name: 'kubevirt-virt-handler-certs', namespace: 'kubevirt' },
    data: { 'tls.crt': 'CERT', 'tls.key': 'KEY' },
  })
  expect(JSON.stringify(items)).toContain('CERT')
  expect(JSON.stringify(items)).not.toContain('KEY')
  expect(
    objectsIn({ kind: 'Secret', metadata: { name: 'x' }, data: { password: 'p' } }).items,
  ).toEqual([])
})

test('events of both API groups are one kind of event', () => {
  const { items } = objectsIn({
    kind: 'Event',
    apiVersion: 'events.k8s.io/v1',
    metadata: { name: 'e' },
    regarding: { kind: 'Pod', name: 'p' },
    note: 'hello',
    reportingController: 'kubelet',
    series: { count: 4, lastObservedTime: '2026-01-01T10:00:00Z' },
  })
  expect(items[0]).toMatchObject({
    involvedObject: { kind: 'Pod', name: 'p' },
    message: 'hello',
    source: { component: 'kubelet' },
    count: 4,
    lastTimestamp: '2026-01-01T10:00:00Z',
  })
})

test('the newest moment is of something that happened, never a deletion’s time', () => {
  const objects = createObjects()
  const [pod] = objectsIn({
    kind: 'Pod',
    metadata: {
      name: 'p',
      creationTimestamp: '2026-01-01T10:00:00Z',
      deletionTimestamp: '2026-01-01T12:00:00Z',
    },
  }).items
  objects.add(pod!, 'x')
  expect(latestMoment(objects, KINDS, [])).toBe(Date.parse('2026-01-01T10:00:00Z'))
})

test('objects of any shape are judged without a crash', () => {
  const names = ['vm-a', 'mig-1', 'node-a', 'u1']
  const leaf = fc.oneof(
    fc.constantFrom(
      ...names,
      'True',
      'False',
      'Pending',
      'Running',
      'Failed',
      '2026-01-01T10:00:00Z',
      '1Gi',
      '',
    ),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.string(),
  )
  const keys = [
    'metadata',
    'spec',
    'status',
    'name',
    'namespace',
    'uid',
    'labels',
    'annotations',
    'conditions',
    'type',
    'reason',
    'message',
    'phase',
    'nodeName',
    'volumes',
    'migrationState',
    'vmiName',
    'containers',
    'containerStatuses',
    'state',
    'waiting',
    'taints',
    'items',
    'involvedObject',
    'domain',
    'devices',
    'interfaces',
    'persistentVolumeClaim',
    'phaseTransitionTimestamps',
    'hard',
    'used',
    'nodeSelector',
    'affinity',
    'migrations',
    'configuration',
    'ownerReferences',
    'networks',
    'disks',
    'requests',
    'resources',
    'allocatable',
    'volumeStatus',
    'status',
    'finalizers',
    'tolerations',
  ]
  const tree = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 5 }),
    ),
  })).value
  const object = fc.record({
    kind: fc.constantFrom(
      'VirtualMachineInstanceMigration',
      'VirtualMachineInstance',
      'Pod',
      'Node',
      'Event',
      'KubeVirt',
      'PersistentVolumeClaim',
      'PersistentVolume',
      'ResourceQuota',
      'MigrationPolicy',
      'VirtualMachine',
      'DaemonSet',
      'StorageClass',
    ),
    metadata: fc.record(
      {
        name: fc.constantFrom(...names),
        namespace: fc.constantFrom('demo', 'x'),
        labels: tree,
        annotations: tree,
        uid: fc.constantFrom(...names),
        creationTimestamp: tree,
        ownerReferences: tree,
      },
      { requiredKeys: ['name'] },
    ),
    spec: fc.oneof(
      tree,
      fc.record(
        {
          vmiName: fc.constantFrom(...names),
          volumes: tree,
          domain: tree,
          nodeSelector: tree,
          affinity: tree,
          taints: tree,
          containers: tree,
          configuration: tree,
        },
        { requiredKeys: [] },
      ),
    ),
    status: fc.oneof(
      tree,
      fc.record(
        {
          phase: fc.constantFrom(
            'Pending',
            'Scheduling',
            'Running',
            'Failed',
            'Succeeded',
            'PreparingTarget',
          ),
          conditions: tree,
          migrationState: tree,
          nodeName: fc.constantFrom(...names),
          containerStatuses: tree,
          phaseTransitionTimestamps: tree,
          volumeStatus: tree,
        },
        { requiredKeys: [] },
      ),
    ),
    involvedObject: tree,
    message: tree,
    reason: tree,
  })
  fc.assert(
    fc.property(fc.array(object, { minLength: 1, maxLength: 8 }), (list) => {
      const objects = createObjects()
      for (const item of objectsIn(structuredClone(list)).items) objects.add(item, 'x')
      const diagnosis = diagnose(
        {
          source: { kind: 'files', from: ['x'] },
          objects,
          logs: [],
          logLines: 0,
          logFiles: 0,
          gaps: [],
          latest: undefined,
        },
        0,
      )
      if (diagnosis.judged.length > 0) JSON.stringify(reportOf(diagnosis, 0))
    }),
    { numRuns: 300 },
  )
})
