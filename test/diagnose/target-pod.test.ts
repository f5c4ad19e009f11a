import { describe, expect, test } from 'vitest'
import {
  BORN,
  event,
  failed,
  handedOff,
  kubevirt,
  LATER,
  launcher,
  migration,
  node,
  source,
  target,
  through,
  unscheduled,
  verdictOn,
  vmi,
} from './world.ts'

const KEPT = "1 node(s) didn't match pod anti-affinity rules"
const SELECTOR = "node(s) didn't match Pod's node affinity/selector"
const scheduling = [migration('Scheduling'), vmi(), source]

describe('a target pod that no node takes: which constraint, and whose', () => {
  test('too little memory: how much is asked and free, in bytes and in people’s units', () => {
    const nodes = [node('node-a'), node('node-b', { allocatable: { memory: '1Gi' } })]
    const found = verdictOn([
      ...scheduling,
      unscheduled(`0/2 nodes are available: ${KEPT}, 1 Insufficient memory.`),
      ...nodes,
    ])
    expect(found).toMatchObject({
      code: 'MIG3010',
      endsByItself: 'yes',
      deadline: '2026-01-01T10:05:00Z',
    })
    expect(found.text).toContain(
      'node-b: Insufficient memory (asks 2147483648 bytes (2.0 GiB), 1073741824 bytes (1.0 GiB)',
    )
    expect(found.text).toContain('300 s (5 min)')
  })

  test.each([
    ['devices', { message: '1 Insufficient devices.kubevirt.io/kvm' }, 'MIG3023', 'device'],
    [
      'cordons',
      { message: '1 node(s) were unschedulable', nodeB: { spec: { unschedulable: true } } },
      'MIG3013',
      'node-b is cordoned',
    ],
    [
      'taints',
      {
        message: '1 node(s) had untolerated taint(s)',
        nodeB: { spec: { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] } },
      },
      'MIG3012',
      'dedicated=gpu',
    ],
    [
      'the VM’s own selector',
      {
        message: `1 ${SELECTOR}`,
        pod: { nodeSelector: { zone: 'a' } },
        vm: { nodeSelector: { zone: 'a' } },
      },
      'MIG3011',
      'The selector is the VM’s own',
    ],
    [
      'the migration’s selector',
      { message: `1 ${SELECTOR}`, pod: { nodeSelector: { pool: 'x' } }, added: { pool: 'x' } },
      'MIG3019',
      'addedNodeSelector',
    ],
    [
      'the source’s hostname',
      { message: `1 ${SELECTOR}`, pod: { nodeSelector: { 'kubernetes.io/hostname': 'node-a' } } },
      'MIG3015',
      'pinned to node-a',
    ],
    [
      'the CPU vendor',
      {
        message: `1 ${SELECTOR}`,
        pod: { nodeSelector: { 'cpu-vendor.node.kubevirt.io/Intel': 'true' } },
      },
      'MIG3017',
      'Intel',
    ],
    [
      'the machine type',
      {
        message: `1 ${SELECTOR}`,
        pod: { nodeSelector: { 'machine-type.node.kubevirt.io/q35': 'true' } },
      },
      'MIG3018',
      'q35',
    ],
    [
      'a virt-handler that is down',
      {
        message: `1 ${SELECTOR}`,
        pod: { nodeSelector: { 'kubevirt.io/schedulable': 'true' } },
        nodeB: { labels: { 'kubevirt.io/schedulable': 'false' } },
      },
      'MIG3022',
      'KubeVirt marks node-b',
    ],
    [
      'host-model',
      {
        message: `1 ${SELECTOR}`,
        pod: { nodeSelector: { 'cpu-model-migration.node.kubevirt.io/Icelake': 'true' } },
      },
      'MIG3014',
      'Icelake',
    ],
    [
      'spread constraints',
      { message: "1 node(s) didn't match pod topology spread constraints" },
      'MIG3024',
      'topologySpreadConstraints',
    ],
    [
      'an obsolete host model',
      {
        message: `1 ${SELECTOR}`,
        pod: {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [
                  {
                    matchExpressions: [
                      {
                        key: 'node-labeller.kubevirt.io/obsolete-host-model',
                        operator: 'DoesNotExist',
                      },
                    ],
                  },
                ],
              },
            },
          },
        },
      },
      'MIG3011',
      'obsolete-host-model',
    ],
  ])(
    '%s',
    (_, given: {
      message: string
      pod?: object
      vm?: object
      nodeB?: object
      added?: object
    }, code, word) => {
      const found = verdictOn([
        migration('Scheduling', given.added ? { spec: { addedNodeSelector: given.added } } : {}),
        vmi({ ...given.vm }),
        source,
        unscheduled(`0/2 nodes are available: ${KEPT}, ${given.message}.`, { ...given.pod }),
        node('node-a', { labels: { zone: 'a' } }),
        node('node-b', given.nodeB),
      ])
      expect(found).toMatchObject({ code, status: 'fail' })
      expect(found.text).toContain(word)
    },
  )

  test('anti-affinity that excludes more than the source is the VM’s own', () => {
    const found = verdictOn([
      ...scheduling,
      unscheduled("0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules."),
      node('node-a'),
      node('node-b'),
      node('node-c'),
    ])
    expect(found.code).toBe('MIG3024')
  })

  test('there is no second node', () => {
    const found = verdictOn([
      ...scheduling,
      unscheduled(`0/1 nodes are available: ${KEPT}.`),
      node('node-a'),
    ])
    expect(found).toMatchObject({
      code: 'MIG3020',
      text: expect.stringContaining('no second node'),
    })
  })

  test('a claim that is missing', () => {
    expect(
      verdictOn([...scheduling, unscheduled('persistentvolumeclaim "disk-1" not found')]),
    ).toMatchObject({ code: 'MIG3025', text: expect.stringContaining('disk-1') })
  })

  test('when the time-out has deleted the pod, its event still tells why', () => {
    const objects = [
      migration('Failed', {
        status: through('Pending', 'Scheduling', 'Failed'),
        metadata: { annotations: { 'kubevirt.io/migrationUnschedulablePodTimeoutSeconds': '8' } },
      }),
      vmi(),
      source,
      node('node-a'),
      node('node-b', { spec: { unschedulable: true } }),
      event(
        'VirtualMachineInstanceMigration/mig-1',
        'SuccessfulCreate',
        'Created migration target pod p-1',
        { type: 'Normal' },
      ),
      event(
        'Pod/p-1',
        'FailedScheduling',
        `0/2 nodes are available: ${KEPT}, 1 node(s) were unschedulable.`,
      ),
      event(
        'VirtualMachineInstanceMigration/mig-1',
        'SuccessfulDelete',
        'unschedulable pod demo/p-1 timeout period exceeded',
        { type: 'Normal' },
      ),
    ]
    expect(verdictOn(objects)).toMatchObject({
      code: 'MIG3013',
      text: expect.stringContaining('8 s'),
    })
  })
})

describe('a target pod that has its node and does not start', () => {
  const starting = (status: object) => [
    migration('Scheduling'),
    vmi(),
    source,
    target('node-b', { status: { phase: 'Pending', ...status } }),
  ]
  const waiting = (reason: string, message = '') => ({
    containerStatuses: [{ name: 'compute', state: { waiting: { reason, message } } }],
  })

  test.each([
    [
      'an image',
      waiting('ImagePullBackOff', 'Back-off pulling image'),
      undefined,
      'MIG3030',
      'cached',
    ],
    [
      'a configuration',
      waiting('CreateContainerConfigError', 'secret "s" not found'),
      undefined,
      'MIG3031',
      'secret "s" not found',
    ],
    ['a crash', waiting('CrashLoopBackOff'), undefined, 'MIG3037', 'compute'],
    [
      'the network',
      waiting('ContainerCreating'),
      [
        'FailedCreatePodSandBox',
        'Failed to create pod sandbox: failed to setup network for sandbox "x": no more IPs',
      ],
      'MIG3032',
      'no more IPs',
    ],
    [
      'a volume elsewhere',
      waiting('ContainerCreating'),
      [
        'FailedAttachVolume',
        'Multi-Attach error for volume "pv-1" Volume is already used by pod(s) virt-launcher-vm-a-src',
      ],
      'MIG3035',
      'virt-launcher-vm-a-src',
    ],
    [
      'a mount',
      waiting('ContainerCreating'),
      [
        'FailedMount',
        'MountVolume.MountDevice failed for volume "pv-2" : rpc error: code = Internal',
      ],
      'MIG3034',
      'pv-2',
    ],
    [
      'something unheard of',
      waiting('ContainerCreating'),
      ['FailedSomething', 'device plugin of a release to come'],
      'MIG3033',
      'device plugin of a release to come',
    ],
  ])('%s', (_, status, warning, code, word) => {
    const events = warning ? [event('Pod/virt-launcher-vm-a-tgt', warning[0]!, warning[1]!)] : []
    const found = verdictOn([...starting(status), ...events])
    expect(found).toMatchObject({
      code,
      status: 'fail',
      endsByItself: 'yes',
      deadline: '2026-01-01T10:15:00Z',
    })
    expect(found.text).toContain(word)
    expect(found.text).toContain('900 s (15 min)')
  })

  test('the attachment of the cluster names who holds the volume', () => {
    const attachment = {
      kind: 'VolumeAttachment',
      metadata: { name: 'csi-1' },
      spec: { nodeName: 'node-z', source: { persistentVolumeName: 'pv-1' } },
      status: { attached: true },
    }
    const warning = event(
      'Pod/virt-launcher-vm-a-tgt',
      'FailedAttachVolume',
      'Multi-Attach error for volume "pv-1" Volume is already exclusively attached to one node and can\'t be attached to another',
    )
    expect(
      verdictOn([...starting(waiting('ContainerCreating')), warning, attachment]).text,
    ).toContain('csi-1 holds it on node-z')
  })

  test('a pod that has been starting for a moment is no trouble', () => {
    expect(
      verdictOn(starting(waiting('ContainerCreating')), { now: Date.parse(BORN) + 9000 }),
    ).toMatchObject({ code: 'MIG0011', status: 'info' })
  })

  test('a sidecar that is not ready holds it without end', () => {
    const pod = target('node-b', {
      status: {
        containerStatuses: [
          { name: 'compute', ready: true, state: { running: {} } },
          { name: 'hook', ready: false, state: { running: {} } },
        ],
      },
    })
    expect(verdictOn([migration('Scheduling'), vmi(), source, pod], { now: LATER })).toMatchObject({
      code: 'MIG3036',
      endsByItself: 'no',
    })
  })

  test('hotplugged volumes without their attachment pod hold it without end', () => {
    const plugged = vmi({
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data', hotpluggable: true } }],
    })
    expect(verdictOn([migration('Scheduling'), plugged, source, target('node-b')])).toMatchObject({
      code: 'MIG3050',
      endsByItself: 'no',
      text: expect.stringContaining('data'),
    })
  })
})

describe('a target pod that ended or was never made', () => {
  const down = (status: object) => [
    migration('Failed', { status: through('Scheduling', 'PreparingTarget', 'Failed') }),
    vmi({}, handedOff({ failed: true, completed: true, failureReason: 'Target pod is down' })),
    source,
    target('node-b', { status: { phase: 'Failed', ...status } }),
  ]

  test('it crashed: exit code and stage', () => {
    const found = verdictOn(
      down({
        containerStatuses: [
          { name: 'compute', state: { terminated: { exitCode: 1, reason: 'Error' } } },
        ],
      }),
    )
    expect(found).toMatchObject({ code: 'MIG4004', text: expect.stringContaining('exit code 1') })
    expect(found.text).toContain('while the target was being prepared')
  })

  test.each([
    ['deleted while it copied', '2026-01-01T10:01:40Z', 'MIG3042'],
    ['stopped only after it had failed', '2026-01-01T10:01:59Z', 'MIG8027'],
  ])('%s, by the kubelet’s event', (_, lastTimestamp, code) => {
    const pod = 'virt-launcher-vm-a-tgt'
    const cut = "virError(Code=38, Domain=7, Message='End of file while reading data')"
    const state = failed(cut)
    const slot = { ...(state['migrationState'] as object), targetPod: pod }
    const found = verdictOn([
      migration('Failed', { status: through('Pending', 'Running', 'Failed') }),
      vmi({}, { migrationState: slot }),
      source,
      event(`Pod/${pod}`, 'Killing', 'Stopping container compute', { lastTimestamp }),
    ])
    expect(found).toMatchObject({ code })
  })

  test('it was killed for its memory, or evicted', () => {
    expect(
      verdictOn(
        down({
          containerStatuses: [
            { name: 'compute', state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } },
          ],
        }),
      ).code,
    ).toBe('MIG3080')
    expect(
      verdictOn(down({ reason: 'Evicted', message: 'The node was low on resource: memory.' })),
    ).toMatchObject({ code: 'MIG3043', text: expect.stringContaining('low on resource') })
  })

  test.each([
    [
      'quota',
      'Error creating pod: pods "p" is forbidden: exceeded quota: q, requested: requests.memory=2488667840,pods=1, used: requests.memory=2488667840,pods=1, limited: requests.memory=4Gi,pods=20',
      'MIG3001',
      '682368384 bytes (650.8 MiB)',
    ],
    [
      'quota of CPU',
      'Error creating pod: pods "p" is forbidden: exceeded quota: cpu, requested: limits.cpu=2015m, used: limits.cpu=2015m, limited: limits.cpu=3',
      'MIG3001',
      'limits.cpu is short by 1030m',
    ],
    [
      'a LimitRange',
      'Error creating pod: pods "p" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi',
      'MIG3002',
      '1Gi',
    ],
    [
      'pod security',
      'failed to render launch manifest: failed to create target pod for vmi demo/vm-a, it needs a privileged namespace to run: pods "p" is forbidden: violates PodSecurity "restricted:latest": seccompProfile',
      'MIG3003',
      'restricted',
    ],
    [
      'a webhook',
      'Error creating pod: admission webhook "validate.kyverno.svc" denied the request: registry not allowed',
      'MIG3004',
      'validate.kyverno.svc',
    ],
    [
      'anything else',
      'Error creating pod: pods "p" is forbidden: no security context constraint',
      'MIG3005',
      'no security context constraint',
    ],
  ])('%s forbids it', (_, message, code, word) => {
    const found = verdictOn([
      migration('Pending'),
      vmi(),
      source,
      event('VirtualMachineInstance/vm-a', 'FailedCreate', message),
    ])
    expect(found).toMatchObject({ code, status: 'fail' })
    expect(found.text).toContain(word)
  })

  test('what forbade it is over once it exists', () => {
    const refusal = event(
      'VirtualMachineInstance/vm-a',
      'FailedCreate',
      'Error creating pod: pods "p" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
    )
    const found = verdictOn(
      [migration('PreparingTarget'), vmi({}, handedOff()), source, target('node-b'), refusal],
      { now: Date.parse(BORN) + 30_000 },
    )
    expect(found.code).toBe('MIG0011')
  })

  test('without the event, the quota itself and the source pod tell', () => {
    const quota = {
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'demo' },
      spec: {},
      status: { hard: { 'requests.memory': '3Gi' }, used: { 'requests.memory': '2Gi' } },
    }
    const held = migration('Pending', {
      status: { conditions: [{ type: 'migrationRejectedByResourceQuota', status: 'True' }] },
    })
    expect(verdictOn([held, vmi(), source, quota])).toMatchObject({
      code: 'MIG3001',
      text: expect.stringContaining('1073741824 bytes (1.0 GiB)'),
    })
  })

  test('a pod of an earlier attempt that has not ended holds it', () => {
    const old = launcher('virt-launcher-vm-a-old', 'node-c', {
      labels: { 'kubevirt.io/migrationJobUID': 'u0' },
    })
    const before = {
      ...migration('Failed'),
      metadata: {
        name: 'mig-0',
        namespace: 'demo',
        uid: 'u0',
        creationTimestamp: '2026-01-01T09:00:00Z',
      },
    }
    expect(verdictOn([before, migration('Pending'), vmi(), source, old])).toMatchObject({
      code: 'MIG9001',
      endsByItself: 'yes',
      text: expect.stringContaining('mig-0'),
    })
  })

  test('errors of rendering are silent: what is missing is looked for', () => {
    expect(
      verdictOn([kubevirt(), migration('Pending'), vmi({}, { selinuxContext: '' }), source], {
        now: LATER,
      }),
    ).toMatchObject({ code: 'MIG3060', endsByItself: 'no' })
  })
})
