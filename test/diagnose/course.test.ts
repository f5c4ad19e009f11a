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
  verdictOn,
  vmi,
} from './world.ts'

const both = [handler('node-a'), handler('node-b')]

describe('before the migration', () => {
  test('a VM that nobody asks to move may be unmigratable: that is no finding', () => {
    const bound = vmi(
      {},
      {
        conditions: [
          {
            type: 'LiveMigratable',
            status: 'False',
            reason: 'DisksNotLiveMigratable',
            message: 'cannot migrate VMI: PVC d is not shared',
          },
        ],
      },
    )
    expect(verdictOn([bound])).toMatchObject({ code: 'MIG1002', status: 'info' })
  })

  test('persistent state on a ReadWriteOnce PVC: a blocker up to v1.3, none from v1.4 on', () => {
    const claim = {
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'persistent-state-for-vm-a', namespace: 'demo' },
      spec: { accessModes: ['ReadWriteOnce'] },
    }
    const old = vmi(
      {},
      {
        conditions: [
          {
            type: 'LiveMigratable',
            status: 'False',
            reason: 'DisksNotLiveMigratable',
            message: 'cannot migrate VMI: Backend storage PVC is not RWX',
          },
        ],
      },
    )
    const before = verdictOn([
      old,
      claim,
      kubevirt({}, { status: { observedKubeVirtVersion: 'v1.3.1' } }),
    ])
    expect(before).toMatchObject({
      code: 'MIG1002',
      text: expect.stringContaining('persistent-state-for-vm-a'),
    })
    expect(verdictOn([vmi(), claim, kubevirt()])).toMatchObject({
      code: 'MIG1016',
      text: expect.stringContaining('not a blocker'),
    })
  })

  test('all blockers at once, not only the one that virt-handler names', () => {
    const bound = vmi(
      {
        domain: {
          devices: { interfaces: [{ name: 'default', bridge: {} }], hostDevices: [{ name: 'x' }] },
        },
        networks: [{ name: 'default', pod: {} }],
      },
      {
        evacuationNodeName: 'node-a',
        conditions: [
          {
            type: 'LiveMigratable',
            status: 'False',
            reason: 'HostDeviceNotLiveMigratable',
            message: 'VMI uses a PCI host devices',
          },
        ],
      },
    )
    const codes = reportOn([bound]).subjects[0]!.findings.map(({ code }) => code)
    expect(codes).toEqual(expect.arrayContaining(['MIG1001', 'MIG1004']))
  })

  test.each([
    ['External', { evictionStrategy: 'External' }, { evacuationNodeName: 'node-a' }, 'MIG2009'],
    [
      'LiveMigrate of what cannot move',
      { evictionStrategy: 'LiveMigrate' },
      {
        conditions: [
          {
            type: 'LiveMigratable',
            status: 'False',
            reason: 'DisksNotLiveMigratable',
            message: 'PVC d is not shared',
          },
        ],
      },
      'MIG2010',
    ],
    ['None', { evictionStrategy: 'None' }, { phase: 'Succeeded' }, 'MIG2015'],
  ])('drained with strategy %s', (_, spec, status, code) => {
    expect(
      verdictOn([vmi(spec, status), node('node-a', { spec: { unschedulable: true } }), kubevirt()])
        .code,
    ).toBe(code)
  })

  test('marked again after it has moved: the earlier success is not the matter', () => {
    const marked = vmi(
      { evictionStrategy: 'External' },
      { nodeName: 'node-b', evacuationNodeName: 'node-b' },
    )
    expect(verdictOn([migration('Succeeded'), marked, kubevirt()]).code).toBe('MIG2009')
  })

  test('a change waits, and nobody may create the migration', () => {
    const changed = vmi(
      {},
      {
        conditions: [
          { type: 'LiveMigratable', status: 'True' },
          { type: 'HotVCPUChange', status: 'True' },
        ],
      },
    )
    expect(verdictOn([changed, kubevirt()])).toMatchObject({
      code: 'MIG2011',
      status: 'fail',
      endsByItself: 'no',
    })
    const open = kubevirt(
      {},
      { spec: { workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate'] } } },
    )
    expect(verdictOn([changed, open])).toMatchObject({ code: 'MIG2011', status: 'warn' })
  })
})

describe('waiting in Pending', () => {
  const other = (n: number, phase: string) => ({
    ...migration(phase),
    metadata: {
      name: `m-${n}`,
      namespace: 'demo',
      uid: `o${n}`,
      creationTimestamp: '2026-01-01T09:59:00Z',
    },
    spec: { vmiName: `vm-${n}` },
  })

  test('the cluster limit: used, limit, by whom, and who competes; never a place in a line', () => {
    const report = reportOn([
      kubevirt({ parallelMigrationsPerCluster: 2 }),
      migration('Pending'),
      vmi(),
      source,
      other(1, 'Running'),
      other(2, 'Scheduled'),
      other(3, 'Pending'),
    ])
    const { verdict } = report.subjects.find(({ ref }) => ref === 'vmim/demo/mig-1')!
    expect(verdict).toMatchObject({
      code: 'MIG2001',
      endsByItself: 'yes',
      title: expect.stringContaining('2 of 2'),
    })
    expect(verdict.cause).toContain('vm-1 and vm-2')
    expect(verdict.cause).toContain('1 Running + 1 Scheduled')
    expect(verdict.cause).toContain('1 compete with it')
  })

  test('the limit of its node', () => {
    const found = verdictOn([
      kubevirt({ parallelOutboundMigrationsPerNode: 1 }),
      migration('Pending'),
      vmi(),
      source,
      other(1, 'Running'),
      vmi({}, {}, { name: 'vm-1', uid: 'v-1' }),
    ])
    expect(found).toMatchObject({ code: 'MIG2002', text: expect.stringContaining('1 of 1') })
  })

  test('the VM does not run yet', () => {
    expect(
      verdictOn([migration('Pending'), vmi({}, { phase: 'Scheduling', nodeName: undefined })]),
    ).toMatchObject({ code: 'MIG1015', status: 'warn' })
  })

  test.each([
    ['migrationBlockedByUtilityVolumes', 'MIG2006'],
    ['migrationBlockedByBackup', 'MIG2007'],
  ])('%s', (type, code) => {
    const held = migration('Pending', {
      status: { conditions: [{ type, status: 'True', message: 'Waiting for x to complete' }] },
    })
    expect(verdictOn([held, vmi(), source])).toMatchObject({ code, status: 'warn' })
  })

  test('nothing that was read explains it: unknown, and what would decide', () => {
    expect(
      verdictOn([kubevirt(), migration('Pending'), vmi(), source], { now: LATER }),
    ).toMatchObject({
      code: 'MIG0006',
      status: 'unknown',
      text: expect.stringContaining('ResourceQuotas'),
    })
  })

  test('what is merely good to know does not hide that', () => {
    const state = {
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'persistent-state-for-vm-a', namespace: 'demo' },
      spec: { accessModes: ['ReadWriteOnce'] },
    }
    expect(
      verdictOn([kubevirt(), migration('Pending'), vmi(), source, state], { now: LATER }),
    ).toMatchObject({ code: 'MIG0006', status: 'unknown' })
    const policy = { kind: 'MigrationPolicy', metadata: { name: 'p' }, spec: { selectors: {} } }
    const copying = [kubevirt(), migration('Running'), vmi({}, handedOff()), source, policy]
    expect(verdictOn(copying)).toMatchObject({ code: 'MIG8000', status: 'info' })
    expect(reportOn(copying).subjects[0]!.findings.map(({ code }) => code)).toContain('MIG2008')
    expect(
      verdictOn([migration('Succeeded'), vmi({}, handedOff({ completed: true })), policy]),
    ).toMatchObject({ code: 'MIG0010' })
  })

  test('virt-controller never looked', () => {
    expect(verdictOn([migration('', { status: {} }), vmi()], { now: LATER })).toMatchObject({
      code: 'MIG0004',
      endsByItself: 'no',
    })
  })

  test('the source node is gone', () => {
    expect(
      verdictOn([migration('Pending'), vmi(), source, node('node-a', { ready: 'Unknown' })], {
        now: LATER,
      }).code,
    ).toBe('MIG4023')
  })
})

describe('between scheduling and the copy, where no time-out is', () => {
  const preparing = [migration('PreparingTarget'), vmi({}, handedOff()), source, target('node-b')]
  const ready = [
    migration('TargetReady'),
    vmi({}, handedOff({ targetNodeAddress: '10.0.0.2' })),
    source,
    target('node-b'),
  ]

  test('virt-handler of the target is down', () => {
    const down = handler('node-b', {
      conditions: [{ type: 'Ready', status: 'False' }],
      containerStatuses: [
        { name: 'virt-handler', state: { waiting: { reason: 'CrashLoopBackOff' } } },
      ],
    })
    expect(verdictOn([...preparing, handler('node-a'), down], { now: LATER })).toMatchObject({
      code: 'MIG4006',
      endsByItself: 'no',
      text: expect.stringContaining('CrashLoopBackOff'),
    })
  })

  test.each([
    ['PreparingTarget', preparing, 'syncing migration target failed: no space left', 'MIG4003'],
    [
      'PreparingTarget',
      preparing,
      'failed to configure vmi network for migration target: no bridge',
      'MIG4015',
    ],
    ['TargetReady', ready, 'failed to handle migration proxy: listen failed', 'MIG4007'],
    ['TargetReady', ready, 'cannot migrate VMI until backup b-1 is completed', 'MIG4018'],
  ])('%s: virt-handler says why', (_, objects, message, code) => {
    const found = verdictOn(
      [...objects, ...both, event('VirtualMachineInstance/vm-a', 'SyncFailed', message)],
      { now: LATER },
    )
    expect(found).toMatchObject({ code, status: 'fail', endsByItself: 'no' })
    expect(found.text).toContain('no time-out')
  })

  test('silence is told as that', () => {
    expect(verdictOn([...preparing, ...both], { now: LATER })).toMatchObject({
      code: 'MIG4003',
      endsByItself: 'no',
      text: expect.stringContaining('19m59s'),
    })
    expect(verdictOn([...ready, ...both], { now: LATER }).code).toBe('MIG4007')
    expect(
      verdictOn([migration('Scheduled'), vmi(), source, target('node-b')], { now: LATER }).code,
    ).toBe('MIG4002')
  })

  test('a cancel that is not acted on', () => {
    const cancelled = migration('PreparingTarget', {
      metadata: { deletionTimestamp: '2026-01-01T10:01:00Z' },
    })
    expect(verdictOn([cancelled, vmi({}, handedOff()), source, target('node-b')])).toMatchObject({
      code: 'MIG4010',
    })
  })

  test('another job took the state over', () => {
    const taken = event(
      'VirtualMachineInstanceMigration/mig-1',
      'FailedMigration',
      "VMI's migration state was taken over by another migration job during active migration.",
    )
    expect(
      verdictOn([
        migration('Failed'),
        vmi({}, { migrationState: { migrationUid: 'other' } }),
        taken,
      ]),
    ).toMatchObject({ code: 'MIG4011', text: expect.stringContaining('other') })
  })
})

describe('the copy', () => {
  const running = [
    migration('Running'),
    vmi(
      { domain: { memory: { guest: '4Gi' } } },
      handedOff({ startTimestamp: '2026-01-01T10:00:05Z' }),
    ),
    source,
    target('node-b'),
  ]
  const progress = (dirty: number, rate: number) =>
    JSON.stringify({
      component: 'virt-launcher',
      msg: `Migration info for u1: TimeElapsed:60000ms DataProcessed:8000MiB DataRemaining:900MiB DataTotal:4096MiB MemoryBandwidth:${rate}Mbps DirtyRate:${dirty}Mbps Iteration:12`,
      uid: 'v1',
      timestamp: '2026-01-01T10:01:05Z',
    })

  test('under way is no finding; it says when its limit ends it', () => {
    expect(verdictOn(running)).toMatchObject({
      code: 'MIG8000',
      status: 'info',
      endsByItself: 'yes',
      deadline: '2026-01-01T10:12:35Z',
    })
  })

  test('a guest that is faster than the link: never done', () => {
    const found = verdictOn(running, { log: [progress(410, 380)] })
    expect(found).toMatchObject({ code: 'MIG8008', status: 'warn' })
    expect(found.text).toContain('can never finish')
    expect(verdictOn(running, { log: [progress(10, 380)] })).toMatchObject({
      code: 'MIG8000',
      status: 'info',
    })
  })

  test('two rates that are near each other are called that, and the verdict is not certain', () => {
    const { verdict } = reportOn(running, { log: [progress(46, 48)] })
    expect(verdict).toMatchObject({
      code: 'MIG8008',
      confidence: 'likely',
      title: expect.stringContaining('46 Mbps, about as fast as the 48 Mbps that are copied'),
    })
    expect(verdict.cause).not.toContain('can never finish')
    expect(reportOn(running, { log: [progress(80, 48)] }).verdict.confidence).toBe('certain')
  })

  test('before all was sent once the dirty rate is unknown, not 0', () => {
    const first = progress(0, 380)
      .replace('8000MiB', '400MiB')
      .replace('Iteration:12', 'Iteration:1')
    const { cause } = reportOn(running, { log: [first] }).verdict
    expect(cause).toMatch(/^After 1 pass 400 MiB/)
    expect(cause).toContain('the dirty rate is not known before all was sent once, at least 20 s')
  })

  test('of a guest that does not write, its load is not what is to be lowered', () => {
    const remedies = (dirty: number) =>
      reportOn(running, { log: [progress(dirty, 5)] }).verdict.next.map(({ text }) => text)
    expect(remedies(0)[0]).toMatch(/^Give the migration a faster network/)
    expect(remedies(0).join()).not.toMatch(/write load|auto-converge/)
    expect(remedies(2)[0]).toMatch(/write load/)
  })

  test('a link too slow for the limit: said before it is over, where nothing else would end it', () => {
    // 900 MiB at 5 Mbps are 25 minutes, and ten are left.
    expect(verdictOn(running, { log: [progress(0, 5)] })).toMatchObject({
      code: 'MIG8030',
      status: 'warn',
      endsByItself: 'yes',
      text: expect.stringMatching(/about \d+ s .*more are needed, and it is aborted in \d+ s/),
    })
    const settings = { migrationConfiguration: { allowPostCopy: true } }
    const patient = running.map((object) =>
      object['kind'] === 'VirtualMachineInstance'
        ? vmi({}, handedOff({ startTimestamp: '2026-01-01T10:00:05Z', ...settings }))
        : object,
    )
    expect(verdictOn(patient, { log: [progress(0, 5)] })).toMatchObject({ code: 'MIG8000' })
  })

  test('virt-handler was replaced in the middle', () => {
    const fresh = handler('node-a', {}, { creationTimestamp: '2026-01-01T10:01:00Z' })
    expect(verdictOn([...running, fresh, handler('node-b')])).toMatchObject({
      code: 'MIG5001',
      text: expect.stringContaining('node-a'),
    })
  })

  test('virt-handler of the target fell in the second in which the ports were published, and is not up again', () => {
    const fallen = handler(
      'node-b',
      {
        containerStatuses: [
          {
            name: 'virt-handler',
            restartCount: 1,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { exitCode: 2, finishedAt: '2026-01-01T10:00:00Z' } },
          },
        ],
      },
      { creationTimestamp: '2026-01-01T09:00:00Z' },
    )
    const seen = [migration('Failed', { status: through('Running', 'Failed') }), fallen]
    const objects = [...seen, vmi({}, handedOff({ failed: true, completed: true }))]
    const refused =
      'unable to create outbound leg of proxy to host: dial tcp 10.0.0.2:34747: connect: connection refused'
    for (const log of [[], [refused]])
      expect(verdictOn(objects, { log })).toMatchObject({
        code: 'MIG5006',
        text: expect.stringContaining('went down at 2026-01-01T10:00:00Z'),
      })
  })

  test.each([
    ['Live migration is not completed after 800 seconds and has been aborted', 'MIG8009', '800 s'],
    ['Live migration stuck for 151 seconds and has been aborted', 'MIG8010', '151 s'],
    ['Live migration stuck for 181004616448 sec and has been aborted', 'MIG8010', 'nanoseconds'],
    ['Live migration has been aborted', 'MIG8011', 'nobody cancelled'],
  ])('%s', (reason, code, word) => {
    const found = verdictOn([
      migration('Failed', { status: through('Running', 'Failed') }),
      vmi({}, failed(reason)),
    ])
    expect(found).toMatchObject({ code, status: 'fail' })
    expect(found.text).toContain(word)
  })

  test('what the user cancelled is no failure', () => {
    const found = verdictOn([
      migration('Failed', { status: through('Running', 'Failed') }),
      vmi(
        {},
        handedOff({
          failed: true,
          completed: true,
          abortRequested: true,
          failureReason: 'Live migration has been aborted',
        }),
      ),
    ])
    expect(found).toMatchObject({ code: 'MIG4020', status: 'info' })
  })

  test('source and target are one node', () => {
    expect(
      verdictOn([
        migration('Failed'),
        vmi({}, handedOff({ targetNode: 'node-a', failed: true, completed: true })),
      ]).code,
    ).toBe('MIG4022')
  })
})

describe('afterwards', () => {
  test('older failures followed by a success are not findings', () => {
    const older = {
      ...migration('Failed'),
      metadata: {
        name: 'mig-0',
        namespace: 'demo',
        uid: 'u0',
        creationTimestamp: '2026-01-01T09:00:00Z',
      },
    }
    const report = reportOn([older, migration('Succeeded'), vmi({}, { nodeName: 'node-b' })])
    expect(report.subjects).toHaveLength(1)
    expect(report.verdict.code).toBe('MIG0010')
  })

  test('completed launchers are not findings', () => {
    const done = Array.from({ length: 5 }, (_, i) => ({
      ...source,
      metadata: { ...(source.metadata as object), name: `old-${i}`, uid: `o${i}` },
      status: { phase: 'Succeeded' },
    }))
    expect(
      reportOn([migration('Succeeded'), vmi({}, { nodeName: 'node-b' }), ...done, target('node-b')])
        .verdict.code,
    ).toBe('MIG0010')
  })

  test('several subjects with one cause share it', () => {
    const second = {
      ...migration('Pending'),
      metadata: {
        name: 'mig-2',
        namespace: 'demo',
        uid: 'u2',
        creationTimestamp: '2026-01-01T10:00:00Z',
      },
      spec: { vmiName: 'vm-b' },
    }
    const message =
      'Error creating pod: pods "p" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'
    const report = reportOn([
      migration('Pending'),
      second,
      vmi(),
      vmi({}, {}, { name: 'vm-b', uid: 'v2' }),
      event('VirtualMachineInstance/vm-a', 'FailedCreate', message),
      event('VirtualMachineInstance/vm-b', 'FailedCreate', message),
    ])
    expect(report.verdict.cause).toContain('vmim/demo/mig-2')
  })
})

describe('where only logs speak', () => {
  const line = (msg: string, over: object = {}) =>
    JSON.stringify({
      component: 'virt-controller',
      msg,
      namespace: 'demo',
      name: 'mig-1',
      timestamp: '2026-01-01T10:00:00Z',
      ...over,
    })
  const limit =
    'Waiting to schedule target pod for vmi [demo/vm-a] migration because total running parallel migration count [5] is currently at the global cluster limit.'

  test('what is waited for', () => {
    expect(verdictOn([], { log: [line(limit)] })).toMatchObject({ code: 'MIG2001', status: 'warn' })
  })

  test('what was refused', () => {
    const denied =
      'admission webhook "migration-create-validator.kubevirt.io" denied the request: Cannot migrate VMI, Reason: DisksNotLiveMigratable, Message: cannot migrate VMI: PVC d is not shared'
    expect(verdictOn([], { log: [denied] })).toMatchObject({
      code: 'MIG1009',
      status: 'fail',
      text: expect.stringContaining('PVC d is not shared'),
    })
    const unmigratable = vmi(
      {},
      {
        conditions: [
          {
            type: 'LiveMigratable',
            status: 'False',
            reason: 'DisksNotLiveMigratable',
            message: 'cannot migrate VMI: PVC d is not shared',
          },
        ],
      },
    )
    expect(verdictOn([unmigratable], { log: [denied] })).toMatchObject({
      code: 'MIG1002',
      status: 'fail',
    })
  })

  test('each VM that they name is a subject, the worst first; those that are well are left out', () => {
    const report = reportOn([], {
      log: [
        line(
          'Migration info for u: TimeElapsed:1000ms DataRemaining:1MiB DataTotal:9MiB MemoryBandwidth:9Mbps DirtyRate:1Mbps Iteration:1',
          { name: 'vm-b' },
        ),
        line('panic: timed out waiting for domain to be defined', { name: 'vm-c' }),
        line(limit),
      ],
    })
    expect(report.subjects.map(({ ref, verdict }) => [ref, verdict.code])).toEqual([
      ['logs of demo/vm-c', 'MIG4005'],
      ['logs of demo/mig-1', 'MIG2001'],
    ])
  })
})
