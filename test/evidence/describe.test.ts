import { expect, test } from 'vitest'
import { isDescribed, logLinesIn, parseDescribed } from '../../src/evidence/describe.ts'
import { objectsIn } from '../../src/evidence/shape.ts'

const VMI = `Name:         vm-a
Namespace:    demo
Labels:       kubevirt.io/nodeName=node-a
              team=x
Annotations:  kubevirt.io/latest-observed-api-version: v1
API Version:  kubevirt.io/v1
Kind:         VirtualMachineInstance
Metadata:
  Creation Timestamp:  2026-01-01T10:00:00Z
  Finalizers:
    kubevirt.io/foregroundDeleteVirtualMachine
  UID:  v1
Spec:
  Domain:
    Devices:
      Disks:
        Disk:
          Bus:  virtio
        Name:   root
        Disk:
          Bus:  sata
        Name:   seed
  Send To:
    Connect URL:   192.0.2.1:9185
    Migration ID:  m-1
Status:
  Active Pods:
    6f1e-77:  node-a
  Conditions:
    Last Transition Time:  2026-01-01T10:00:00Z
    Status:                True
    Type:                  Ready
    Message:               cannot migrate VMI: PVC data is not shared
    Reason:                DisksNotLiveMigratable
    Status:                False
    Type:                  LiveMigratable
  Migration State:
    Failed:         true
    Migration UID:  u1
    Target Direct Migration Node Ports:
      35001:  0
  Node Name:  node-a
  Volume Status:
    Name:    root
    Target:  vda
Events:
  Type     Reason    Age              From                 Message
  ----     ------    ----             ----                 -------
  Warning  Migrated  11s (x3 over 1m)  virt-handler, n-1    VirtualMachineInstance migration uid u1 failed.  reason: none
`

test('a custom resource: its fields, lists and events', () => {
  const { items } = objectsIn(parseDescribed(VMI))
  expect(items[0]).toMatchObject({
    kind: 'VirtualMachineInstance',
    apiVersion: 'kubevirt.io/v1',
    metadata: {
      name: 'vm-a',
      namespace: 'demo',
      uid: 'v1',
      labels: { 'kubevirt.io/nodeName': 'node-a', team: 'x' },
      annotations: { 'kubevirt.io/latest-observed-api-version': 'v1' },
      finalizers: ['kubevirt.io/foregroundDeleteVirtualMachine'],
    },
    spec: {
      sendTo: { connectURL: '192.0.2.1:9185', migrationID: 'm-1' },
      domain: { devices: { disks: [{ name: 'root' }, { name: 'seed' }] } },
    },
    status: {
      activePods: { '6f1e-77': 'node-a' },
      nodeName: 'node-a',
      conditions: [{ type: 'Ready' }, { type: 'LiveMigratable', reason: 'DisksNotLiveMigratable' }],
      migrationState: {
        failed: true,
        migrationUid: 'u1',
        targetDirectMigrationNodePorts: { '35001': 0 },
      },
      volumeStatus: [{ name: 'root', target: 'vda' }],
    },
  })
  expect(items[1]).toMatchObject({
    kind: 'Event',
    involvedObject: { kind: 'VirtualMachineInstance', name: 'vm-a', namespace: 'demo' },
    type: 'Warning',
    reason: 'Migrated',
    message: 'VirtualMachineInstance migration uid u1 failed.  reason: none',
  })
})

test('a pod: where it is, what it is for, and its events; several descriptions in one text', () => {
  const pod = `Name:             virt-launcher-vm-a-x
Namespace:        demo
Node:             node-b/192.0.2.2
Labels:           kubevirt.io=virt-launcher
                  kubevirt.io/migrationJobUID=u1
Status:           Pending
Conditions:
  Type           Status
  PodScheduled   True
Events:
  Type     Reason       Age  From     Message
  ----     ------       ---- ----     -------
  Warning  FailedMount  2m   kubelet  MountVolume.SetUp failed
`
  const { items } = objectsIn(parseDescribed(`$ kubectl describe vmi,pod\n${VMI}\n\n${pod}`))
  expect(items.map(({ kind }) => kind)).toEqual(['VirtualMachineInstance', 'Event', 'Pod', 'Event'])
  expect(items[2]).toMatchObject({
    metadata: { labels: { 'kubevirt.io/migrationJobUID': 'u1' } },
    spec: { nodeName: 'node-b' },
    status: { phase: 'Pending' },
  })
})

test('what is a description, and what below it is a log', () => {
  expect(isDescribed(`$ kubectl describe vmi vm-a\n${VMI}`)).toBe(true)
  expect(isDescribed('name: vm-a\nnamespace: demo\n')).toBe(false)
  const log = '{"msg":"boom"}\nE0101 10:00:00.000000 1 a.go:1] boom\n'
  expect(logLinesIn(`${VMI}${log}`).trim()).toBe(log.trim())
  expect(logLinesIn(`${VMI}${log}`).split('\n')).toHaveLength(`${VMI}${log}`.split('\n').length)
})
