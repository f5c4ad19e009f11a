import { expect, test } from 'vitest'
import {
  event,
  failed,
  launcher,
  migration,
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
