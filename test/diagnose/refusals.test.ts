import { expect, test } from 'vitest'
import {
  BORN,
  event,
  failed,
  handedOff,
  handler,
  kubevirt,
  launcher,
  migration,
  node,
  reportOn,
  source,
  target,
  through,
  unscheduled,
  verdictOn,
  vmi,
} from './world.ts'

const scheduling = [migration('Scheduling'), vmi(), source]
const creating = target('node-b', {
  status: {
    phase: 'Pending',
    containerStatuses: [{ name: 'compute', state: { waiting: { reason: 'ContainerCreating' } } }],
  },
})
const rejected = (reason: string, message: string) =>
  target('node-b', { status: { phase: 'Failed', reason, message } })

test('a second migration that is refused: the one in the way is named', () => {
  const log = [
    'denied the request: in-flight migration detected. Active migration job (u1) is currently already in progress for VMI vm-a.',
  ]
  const found = verdictOn([migration('Running'), vmi()], { log })
  expect(found).toMatchObject({ code: 'MIG1012', status: 'warn' })
  expect(found.text).toContain('mig-1 is in flight (Running)')
  const over = migration('Failed', { status: through('Pending', 'Running', 'Failed') })
  expect(verdictOn([over, vmi({}, failed('no luck'))], { log }).code).not.toBe('MIG1012')
})

test('a target pod after one that failed is told', () => {
  const labels = { 'kubevirt.io/migrationJobUID': 'u1' }
  const first = launcher('virt-launcher-vm-a-1', 'node-b', { labels, status: { phase: 'Failed' } })
  const found = verdictOn([
    ...scheduling,
    first,
    launcher('virt-launcher-vm-a-2', 'node-c', { labels }),
  ])
  expect(found).toMatchObject({ code: 'MIG3044', status: 'warn' })
  expect(found.text).toContain('on node-b')
})

test.each([
  [
    'no device',
    'UnexpectedAdmissionError',
    'Allocate failed due to no healthy devices present',
    'MIG3023',
  ],
  [
    'no NUMA node',
    'TopologyAffinityError',
    'Resources cannot be allocated with Topology locality',
    'MIG3010',
  ],
  [
    'no room',
    'OutOfmemory',
    "Node didn't have enough resource: memory, requested: 9, used: 5, capacity: 10",
    'MIG3010',
  ],
  ['other labels', 'NodeAffinity', 'Pod was rejected: Predicate NodeAffinity failed', 'MIG3011'],
  [
    'a shutdown',
    'Terminated',
    'Pod was terminated in response to imminent node shutdown.',
    'MIG3043',
  ],
])('a target pod that the kubelet refuses: %s', (_, reason, message, code) => {
  expect(verdictOn([...scheduling, rejected(reason, message)]).code).toBe(code)
})

test.each([
  [
    'a volume that its driver attaches to one node',
    'FailedAttachVolume',
    'AttachVolume.Attach failed for volume "pvc-1" : rpc error: the volume pvc-1 is already attached to another node node-a',
    'MIG3035',
    'held on node-a',
  ],
  [
    'a Secret that is gone',
    'FailedMount',
    'MountVolume.SetUp failed for volume "init" : secret "user-data" not found',
    'MIG3034',
    'secret "user-data" not found',
  ],
])('%s', (_, reason, message, code, says) => {
  const found = verdictOn([
    ...scheduling,
    creating,
    event('Pod/virt-launcher-vm-a-tgt', reason, message),
  ])
  expect(found.code).toBe(code)
  expect(found.text).toContain(says)
})

test('a taint of Kubernetes itself is not to be tolerated, its reason is to be mended', () => {
  const taint = '1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }'
  const { verdict } = reportOn([...scheduling, unscheduled(`0/2 nodes are available: ${taint}.`)])
  expect(verdict).toMatchObject({
    code: 'MIG3012',
    title: expect.stringContaining('taint node.kubernetes.io/unreachable is not tolerated'),
    next: [{ text: expect.stringContaining('Restore the nodes') }],
  })
})

test('post-copy that page sizes forbid has no sysctl for a remedy', () => {
  const over = migration('Failed', { status: through('Pending', 'Running', 'Failed') })
  const why = 'Postcopy is not supported: Postcopy needs matching RAM page sizes (s=200000 d=1000)'
  const { verdict } = reportOn([over, vmi({}, failed(why))])
  expect(verdict.code).toBe('MIG8012')
  expect(JSON.stringify(verdict.next)).not.toContain('sysctl')
})

test('a reason whose quotes are escaped is the same reason', () => {
  const over = migration('Failed', { status: through('Pending', 'Running', 'Failed') })
  const why = String.raw`guest CPU doesn\'t match specification: missing features: npt`
  expect(verdictOn([over, vmi({}, failed(why))]).code).toBe('MIG8001')
})

test('a VM that was paused for want of space', () => {
  const paused = {
    type: 'Paused',
    status: 'True',
    reason: 'PausedIOError',
    message: 'low-level IO error detected: not enough space',
  }
  expect(verdictOn([migration('Succeeded'), vmi({}, { conditions: [paused] })]).code).toBe(
    'MIG3078',
  )
})

test('an evacuation that goes on though its node is not cordoned any more', () => {
  const annotations = { 'kubevirt.io/evacuationMigration': 'node-a' }
  const marked = vmi({}, { evacuationNodeName: 'node-a' })
  const before = migration('Failed', {
    metadata: { name: 'mig-0', uid: 'u0', creationTimestamp: '2026-01-01T09:00:00Z', annotations },
  })
  const next = migration('Pending', { metadata: { annotations } })
  const told = (home: Record<string, unknown>) =>
    reportOn([before, next, marked, home]).subjects.flatMap(({ findings }) =>
      findings.filter(({ code }) => code === 'MIG2013'),
    )
  expect(told(node('node-a'))).toMatchObject([{ status: 'warn', confidence: 'likely' }])
  expect(told(node('node-a', { spec: { unschedulable: true } }))).toEqual([])
})

test('back-off of which the failures are not in what was read counts none', () => {
  const annotations = { 'kubevirt.io/evacuationMigration': 'node-a' }
  const held = event(
    'VirtualMachineInstance/vm-a',
    'MigrationBackoff',
    'backoff migrating vmi demo/vm-a',
  )
  const found = verdictOn([migration('Pending', { metadata: { annotations } }), vmi(), held])
  expect(found.text).toContain('failed evacuation migrations of vm-a before it')
  expect(found.text).not.toContain('0 failed')
})

test('only echoes, and launchers of two releases: the skew is named', () => {
  const image = (release: string) => ({
    containers: [{ name: 'compute', image: `launcher:${release}` }],
  })
  const over = migration('Failed', { status: through('Pending', 'Running', 'Failed') })
  const found = verdictOn([
    over,
    vmi(
      {},
      failed("virError(Code=1, Domain=7, Message='internal error: client socket is closed')"),
    ),
    launcher('virt-launcher-vm-a-src', 'node-a', { spec: image('v1.5') }),
    target('node-b', { spec: image('v1.6') }),
  ])
  expect(found.code).toBe('MIG8090')
  expect(found.text).toContain('source launcher:v1.5, target launcher:v1.6: a skew of versions')
})

test('a phase that is not known is not surely on its way', () => {
  expect(
    reportOn([migration('Frobnicating'), vmi()], { now: Date.parse(BORN) }).verdict,
  ).toMatchObject({
    code: 'MIG0011',
    confidence: 'possible',
  })
})

test('a VM that cannot move is told where all that was moved is well', () => {
  const status = {
    conditions: [
      { type: 'LiveMigratable', status: 'False', reason: 'HostDeviceNotLiveMigratable' },
    ],
  }
  const moved = migration('Succeeded', { spec: { vmiName: 'other' } })
  expect(verdictOn([moved, vmi({}, status)])).toMatchObject({ code: 'MIG1004', status: 'info' })
})

test('a quota of which the shortage cannot be told is named', () => {
  const rejected = { type: 'migrationRejectedByResourceQuota', status: 'True' }
  const quota = {
    kind: 'ResourceQuota',
    metadata: { name: 'q-1', namespace: 'demo' },
    spec: {},
    status: {},
  }
  const pending = migration('Pending', { status: { conditions: [rejected] } })
  expect(verdictOn([pending, vmi(), quota]).text).toContain('in the namespace: q-1')
})

test('a policy engine’s second line, which names the policy, is told', () => {
  const denied =
    'Error creating pod: admission webhook "validate.kyverno.svc-fail" denied the request: \n\nresource Pod/demo/x was blocked\n\nrequire-labels: no owner'
  const found = verdictOn([
    migration('Pending'),
    vmi(),
    event('VirtualMachineInstance/vm-a', 'FailedCreate', denied),
  ])
  expect(found).toMatchObject({ code: 'MIG3004' })
  expect(found.text).toContain('require-labels')
})

test('a refusal that names no VM is about the one that has its reason', () => {
  const held = (reason: string) => ({
    conditions: [{ type: 'LiveMigratable', status: 'False', reason }],
  })
  const other = vmi({}, held('DisksNotLiveMigratable'), { name: 'vm-b', uid: 'v2' })
  const log = [
    'denied the request: Cannot migrate VMI, Reason: HostDeviceNotLiveMigratable, Message: VMI uses a PCI host devices',
  ]
  const found = verdictOn([vmi({}, held('HostDeviceNotLiveMigratable')), other], { log })
  expect(found).toMatchObject({ code: 'MIG1004', status: 'fail' })
  expect(found.text).toContain('vm-a')
})

test('the target node was lost while the copy ran: that explains the echo', () => {
  const over = migration('Failed', {
    status: {
      phaseTransitionTimestamps: [
        { phase: 'Running', phaseTransitionTimestamp: '2026-01-01T10:01:00Z' },
        { phase: 'Failed', phaseTransitionTimestamp: '2026-01-01T10:01:50Z' },
      ],
    },
  })
  const lost = (lastTransitionTime: string) => ({
    ...node('node-b'),
    status: { conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime }] },
  })
  const code = (at: string) =>
    verdictOn([over, vmi({}, failed('Lost connection to destination host')), lost(at)]).code
  expect(code('2026-01-01T10:01:55Z')).toBe('MIG4023')
  expect(code('2025-12-01T10:00:00Z')).toBe('MIG8090')
})

test('why virt-handler of the target does not start is told with it', () => {
  const why =
    'cannot find a network-attachment-definition (migration-network) in namespace (kubevirt)'
  const of = {
    involvedObject: { kind: 'Pod', name: 'virt-handler-node-b', namespace: 'kubevirt' },
    metadata: { name: 'e', namespace: 'kubevirt' },
  }
  const found = verdictOn([
    migration('PreparingTarget'),
    vmi({}, handedOff()),
    handler('node-b', {
      conditions: [{ type: 'Ready', status: 'False' }],
      containerStatuses: [
        { name: 'virt-handler', state: { waiting: { reason: 'ContainerCreating' } } },
      ],
    }),
    event('Pod/virt-handler-node-b', 'FailedCreatePodSandBox', why, of),
  ])
  expect(found).toMatchObject({ code: 'MIG4006' })
  expect(found.text).toContain(why)
})

test('a budget of the migration itself that was left raised', () => {
  const budget = (name: string, desiredHealthy: number) => ({
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'demo', ownerReferences: [{ name: 'vm-a' }] },
    spec: {},
    status: { desiredHealthy },
  })
  const left = [budget('kubevirt-disruption-budget-x', 1), budget('kubevirt-migration-pdb-y', 2)]
  const found = verdictOn([migration('Succeeded'), vmi(), source, ...left])
  expect(found).toMatchObject({ code: 'MIG9015' })
  expect(found.text).toContain('kubevirt-migration-pdb-y')
})

test('KubeVirt alone, not deployed, is all that was read', () => {
  const status = { phase: 'Deploying' }
  expect(verdictOn([kubevirt({}, { status })])).toMatchObject({ code: 'MIG0003', status: 'warn' })
})

test('a VM that has ended is not being copied', () => {
  const over = vmi({}, { ...handedOff(), phase: 'Succeeded' })
  const found = verdictOn([migration('Running'), over])
  expect(found).toMatchObject({ code: 'MIG4013', status: 'fail' })
  expect(found.text).toContain('the VMI is Succeeded')
})
