import 'reflect-metadata'
import { X509CertificateGenerator } from '@peculiar/x509'
import { describe, expect, test } from 'vitest'
import {
  event,
  failed,
  handedOff,
  handler,
  kubevirt,
  LATER,
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

const both = [handler('node-a'), handler('node-b')]
const course = ['Pending', 'Scheduling', 'Scheduled', 'PreparingTarget', 'TargetReady', 'Running']
const copying = [
  migration('Running', { status: through(...course) }),
  vmi({}, handedOff({ startTimestamp: '2026-01-01T10:00:10Z', targetNodeAddress: '10.0.0.2' })),
  source,
  target('node-b'),
  kubevirt(),
  ...both,
]

function policy(spec: Record<string, unknown>, namespace = 'kubevirt') {
  return { kind: 'NetworkPolicy', metadata: { name: 'p', namespace }, spec }
}

const handlers = { matchLabels: { 'kubevirt.io': 'virt-handler' } }

describe('NetworkPolicies of KubeVirt’s namespace', () => {
  const codes = (objects: Parameters<typeof reportOn>[0]) =>
    reportOn(objects, { now: LATER }).subjects[0]!.findings.map(({ code }) => code)

  test.each([
    ['denies all that comes in', { podSelector: {}, policyTypes: ['Ingress'] }],
    ['denies all that goes out', { podSelector: {}, policyTypes: ['Egress'] }],
    [
      'admits some ports only',
      {
        podSelector: handlers,
        ingress: [{ from: [{ podSelector: handlers }], ports: [{ port: 8443 }] }],
      },
    ],
    [
      'admits the two fixed ports, which the proxy never listens on',
      { podSelector: handlers, ingress: [{ ports: [{ port: 49152, endPort: 49153 }] }] },
    ],
    [
      'admits others only',
      {
        podSelector: handlers,
        ingress: [{ from: [{ podSelector: { matchLabels: { a: 'b' } } }] }],
      },
    ],
  ])('one that %s may stop the copy', (_, spec) => {
    expect(codes([...copying, policy(spec)])).toContain('MIG7009')
  })

  test.each([
    ['admits virt-handler', { podSelector: {}, ingress: [{ from: [{ podSelector: handlers }] }] }],
    [
      'admits the ephemeral ports',
      { podSelector: {}, ingress: [{ ports: [{ port: 1024, endPort: 65535 }] }] },
    ],
    [
      'admits a range of addresses',
      { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }] },
    ],
    ['is about other pods', { podSelector: { matchLabels: { app: 'db' } } }],
  ])('one that %s does not', (_, spec) => {
    expect(codes([...copying, policy(spec)])).not.toContain('MIG7009')
  })

  test('nor one of another namespace, nor any beside a migration network', () => {
    const deny = { podSelector: {}, policyTypes: ['Ingress'] }
    expect(codes([...copying, policy(deny, 'demo')])).not.toContain('MIG7009')
    const network = copying.map((object) =>
      object.kind === 'KubeVirt' ? kubevirt({ network: 'lan' }) : object,
    )
    expect(codes([...network, policy(deny)])).not.toContain('MIG7009')
  })

  test('with packets that were dropped it is the cause; where the copy moves it is none', () => {
    const deny = policy({ podSelector: {}, policyTypes: ['Ingress'] })
    const line = (msg: string, reason?: string) =>
      JSON.stringify({ component: 'virt-handler', msg, reason, uid: 'v1' })
    const dropped = line(
      'unable to create outbound leg of proxy to host',
      'dial tcp 10.0.0.2:35001: connect: connection timed out',
    )
    const ended = [
      migration('Failed', { status: through(...course, 'Failed') }),
      vmi({}, failed()),
      ...copying.slice(2),
      deny,
    ]
    expect(verdictOn(ended, { log: [dropped] })).toMatchObject({ code: 'MIG7009', status: 'fail' })
    const moving = line(
      'Migration info for u1: TimeElapsed:4000ms DataProcessed:900MiB DataRemaining:100MiB DataTotal:1000MiB MemoryProcessed:900MiB MemoryRemaining:100MiB MemoryTotal:1000MiB MemoryBandwidth:900Mbps DirtyRate:1Mbps Iteration:1',
    )
    const found = reportOn([...copying, deny], { now: LATER, log: [moving] })
    expect(found.subjects[0]!.findings.map(({ code }) => code)).not.toContain('MIG7009')
  })
})

describe('claims that are believed', () => {
  const claim = {
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'root', namespace: 'demo' },
    spec: { accessModes: ['ReadWriteMany'], storageClassName: 'fast', volumeName: 'pv-1' },
  }
  const reason = `virError(Code=38, Domain=18, Message='Cannot access storage file '/disk.img': No such file or directory')`
  const ended = (failureReason: string) => [
    migration('Failed', { status: through(...course, 'Failed') }),
    vmi(
      { volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'root' } }] },
      failed(failureReason),
    ),
    claim,
  ]
  const pv = (spec: Record<string, unknown>) => ({
    kind: 'PersistentVolume',
    metadata: { name: 'pv-1' },
    spec,
  })
  const profile = {
    kind: 'StorageProfile',
    metadata: { name: 'fast' },
    status: { claimPropertySets: [{ accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem' }] },
  }
  const zone = { matchExpressions: [{ key: 'topology.topolvm.io/node', values: ['node-a'] }] }

  test.each([
    ['a PV of type local', pv({ local: { path: '/mnt' } }), 'local'],
    [
      'a PV tied to a node',
      pv({ nodeAffinity: { required: { nodeSelectorTerms: [zone] } } }),
      'node-a',
    ],
    [
      'a node-local driver',
      { kind: 'StorageClass', metadata: { name: 'fast' }, provisioner: 'rancher.io/local-path' },
      'local-path',
    ],
    ['a StorageProfile without ReadWriteMany', profile, 'ReadWriteOnce'],
  ])('%s contradicts ReadWriteMany', (_, object, word) => {
    const found = verdictOn([...ended(reason), object])
    expect(found).toMatchObject({ code: 'MIG3070', status: 'fail' })
    expect(found.text).toContain(word)
  })

  test('without an error of the disk it stands behind what did fail', () => {
    const other = `virError(Code=9, Domain=31, Message='operation failed: guest CPU doesn't match specification: missing features: hle')`
    expect(verdictOn([...ended(other), profile])).toMatchObject({ code: 'MIG8001' })
  })

  test('ReadWriteOncePod never lets a second pod have the claim', () => {
    const found = verdictOn([
      migration('Scheduling'),
      vmi(),
      source,
      unscheduled(
        '0/2 nodes are available: 2 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode.',
      ),
      node('node-a'),
      node('node-b'),
    ])
    expect(found).toMatchObject({ code: 'MIG3025', status: 'fail' })
    expect(found.text).toContain('ReadWriteOncePod')
  })
})

describe('refusals whose event is gone', () => {
  const range = (memory: string) => ({
    kind: 'LimitRange',
    metadata: { name: 'caps', namespace: 'demo' },
    spec: { limits: [{ type: 'Container', min: { memory } }] },
  })

  test('a LimitRange that the source pod would not pass today', () => {
    const found = verdictOn([migration('Pending'), vmi(), source, kubevirt(), range('4Gi')])
    expect(found).toMatchObject({ code: 'MIG3002', status: 'fail', endsByItself: 'no' })
    expect(found.text).toContain('minimum memory usage per Container is 4Gi')
  })

  test('one that it passes is no finding', () => {
    const found = reportOn([migration('Pending'), vmi(), source, kubevirt(), range('1Gi')])
    expect(found.subjects[0]!.findings.map(({ code }) => code)).not.toContain('MIG3002')
  })
})

describe('evacuations', () => {
  const evacuates = { annotations: { 'kubevirt.io/evacuationMigration': 'node-a' } }
  const cancelled = migration('Failed', {
    metadata: { ...evacuates, name: 'e-1', uid: 'e1', creationTimestamp: '2026-01-01T09:50:00Z' },
    status: { conditions: [{ type: 'migrationAbortRequested', status: 'True' }] },
  })

  test('a cancelled one comes back while the VM stays marked', () => {
    const marked = vmi({}, { evacuationNodeName: 'node-a' })
    const next = migration('Pending', { metadata: evacuates })
    expect(verdictOn([marked, cancelled, next])).toMatchObject({
      code: 'MIG2013',
      status: 'warn',
      endsByItself: 'no',
    })
    expect(verdictOn([vmi(), cancelled, next]).code).not.toBe('MIG2013')
  })

  test('a webhook that words its refusal over several lines is quoted', () => {
    const refusal =
      'Error creating pod: admission webhook "validate.kyverno.svc-fail" denied the request: \n\nresource Pod/demo/virt-launcher-vm-a was blocked due to the following policies'
    const found = verdictOn([
      migration('Pending'),
      vmi(),
      source,
      event('VirtualMachineInstance/vm-a', 'FailedCreate', refusal),
    ])
    expect(found).toMatchObject({ code: 'MIG3004' })
    expect(found.text).toContain('was blocked')
  })
})

describe('the authorities that virt-handler trusts', async () => {
  const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ])
  const authority = async (from: string, to: string) => {
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: 'CN=kubevirt.io',
      notBefore: new Date(from),
      notAfter: new Date(to),
      signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
      keys,
    })
    return certificate.toString('pem')
  }
  const old = await authority('2025-12-01T00:00:00Z', '2025-12-08T00:00:00Z')
  const valid = await authority('2025-12-30T00:00:00Z', '2026-01-06T00:00:00Z')
  const codes = (bundle: string) => {
    const map = {
      kind: 'ConfigMap',
      metadata: { name: 'kubevirt-ca', namespace: 'kubevirt' },
      data: { 'ca-bundle': bundle },
    }
    const found = reportOn([...copying, map], { now: LATER })
    return found.subjects[0]!.findings.map(({ code }) => code)
  }

  test('none that is valid: no proxy trusts another', () => {
    expect(codes(old)).toContain('MIG6003')
  })

  test('old ones beside a valid one do no harm', () => {
    expect(codes(`${old}\n${valid}`)).not.toContain('MIG6003')
  })
})
