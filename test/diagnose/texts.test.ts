import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CATALOGUE } from '../../src/diagnose/catalogue.ts'
import { KNOWN_TEXTS } from '../../src/diagnose/known-texts.ts'
import { fill, matchTexts } from '../../src/diagnose/texts.ts'
import { failed, handedOff, migration, reportOn, through, verdictOn, vmi } from './world.ts'

describe('the table', () => {
  test('every code of it is in the catalogue', () => {
    for (const { code } of KNOWN_TEXTS) expect(CATALOGUE).toHaveProperty(code)
  })

  test('every group that a sentence quotes is one that its pattern can give', () => {
    for (const { pattern, title, means, next } of KNOWN_TEXTS) {
      const groups = [...pattern.source.matchAll(/\(\?<(\w+)>/g)].map((match) => match[1])
      for (const [, name] of [title, means, next].join(' ').matchAll(/\{(\w+)\}/g))
        expect(groups).toContain(name)
    }
  })

  test('a sentence without its value has no hole', () => {
    expect(fill('It fails ({what})', {})).toBe('It fails')
    expect(fill('It fails: {what}', {})).toBe('It fails')
    expect(fill('{a} and {b}', { a: 'x', b: 'y' })).toBe('x and y')
  })

  test('what healthy clusters say too is noise, whatever else the line holds', () => {
    const text =
      'failed to load the certificate /etc/virt-handler/clientcertificates/tls.crt: no such file'
    expect(matchTexts(text, 'log').map(({ row }) => row.worth)).toEqual(['noise'])
  })

  test('no text makes a pattern run for ever', () => {
    const part = fc.constantFrom(
      ...KNOWN_TEXTS.map(({ anchor }) => anchor),
      'a',
      ' ',
      ':',
      '"',
      '=',
      ',',
      '1.2.3.4:5',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const started = performance.now()
        matchTexts(parts.join(''), 'log')
        expect(performance.now() - started).toBeLessThan(500)
      }),
    )
  })
})

const virError = (message: string, code = 1, domain = 10) =>
  `Live migration failed error encountered during MigrateToURI3 libvirt api call: virError(Code=${code}, Domain=${domain}, Message='${message}')`

/** What libvirt, QEMU and the launcher say, and under which code it is told (data-plane.md §4.5, §8.2). */
describe('a failure reason decides', () => {
  test.each([
    [
      "operation failed: guest CPU doesn't match specification: missing features: hle,rtm",
      'MIG8001',
      'hle, rtm',
    ],
    [
      "operation failed: guest CPU doesn't match specification: extra features: ht",
      'MIG8002',
      'ht',
    ],
    [
      'the CPU is incompatible with host CPU: Host CPU does not provide required features: avx512vl',
      'MIG8001',
      'avx512vl',
    ],
    [
      'qemu-kvm: Features 0x130afe7ffa unsupported. Allowed features: 0x17',
      'MIG8003',
      '0x130afe7ffa',
    ],
    [
      "error while loading state for instance 0x0 of device '0000:00:02.0/virtio-net'",
      'MIG8003',
      'virtio-net',
    ],
    [
      'Cannot check QEMU binary /usr/libexec/qemu-kvm: No such file or directory',
      'MIG8004',
      '/usr/libexec/qemu-kvm',
    ],
    ["invalid argument: unsupported machine type 'pc-q35-rhel9.4.0'", 'MIG8004', 'machine type'],
    [
      'internal error: cannot set CPU affinity on process 71: Invalid argument',
      'MIG8005',
      'cpuset',
    ],
    [
      'unsupported configuration: Target domain host device count 1 does not match source 0',
      'MIG8006',
      '1',
    ],
    [
      "use of 'VIR_MIGRATE_PARAM_MIGRATE_DISKS' requires use of 'VIR_MIGRATE_NON_SHARED_DISK' flag",
      'MIG8007',
      'bug',
    ],
    [
      'Postcopy is not supported: Userfaultfd not available: Operation not permitted',
      'MIG8012',
      'userfaultfd',
    ],
    [
      'cannot migrate domain: 0000:00:03.0/vhost-user-fs: migration is not supported',
      'MIG8021',
      'vhost-user-fs',
    ],
    ["operation failed: domain 'demo_vm-a' already exists with uuid 1234", 'MIG8023', 'demo_vm-a'],
    ['Hook script execution failed: internal error', 'MIG8022', 'hook'],
    ['internal error: QEMU unexpectedly closed the monitor', 'MIG8014', 'killed'],
    ["qemu-kvm: cannot set up guest memory 'pc.ram': Cannot allocate memory", 'MIG3080', 'memory'],
    [
      'Failed to get "write" lock Is another process using the image [/disk.img]?',
      'MIG3073',
      'lock',
    ],
    ['Unsafe migration: Migration without shared storage is unsafe', 'MIG3074', '81'],
    [
      'Migration may lead to data corruption if disks use cache other than none or directsync',
      'MIG3075',
      'cache',
    ],
    [
      "blockdev-add': Failed to connect to '/x/u-49153-source.sock': No such file or directory",
      'MIG5009',
      '49153',
    ],
    [
      "Failed to connect socket to '/x/u-source.sock': Connection refused",
      'MIG5009',
      'Connection refused',
    ],
    ['internal error: connection closed due to keepalive timeout', 'MIG7008', '30 s'],
    [
      'unsupported configuration: Target device video ram 16384 does not match source 32768',
      'MIG8006',
      'video ram',
    ],
    ['internal error: cannot find suitable emulator for x86_64', 'MIG8004', 'x86_64'],
    [
      'Requested operation is not valid: cannot migrate domain with 1 snapshots',
      'MIG8021',
      '1 snapshots',
    ],
    [
      "Requested operation is not valid: cannot migrate a domain with <hostdev mode='subsystem' type='pci'>",
      'MIG8021',
      'hostdev',
    ],
    [
      "unable to execute QEMU command 'migrate': State blocked by non-migratable CPU device (invtsc flag)",
      'MIG8021',
      'invtsc',
    ],
    ['operation failed: Failed to load PCIDevice:config', 'MIG8003', 'PCIDevice'],
    ["qemu-kvm: Unknown savevm section or instance 'pl011' 0", 'MIG8003', 'pl011'],
    [
      'qemu-kvm: Size mismatch: 0000:00:02.0/virtio-net-pci.rom: 0x40000 != 0x80000: Invalid argument',
      'MIG8003',
      '0x80000',
    ],
    [
      'qemu-kvm: Unknown ramblock "0000:00:05.0/vga.vram", cannot accept migration',
      'MIG8003',
      'vga.vram',
    ],
    ['kvm: error: failed to set MSR 0x48e to 0xfff9fffe04006172', 'MIG8001', '0x48e'],
    ['internal error: Unknown CPU model SapphireRapids-v2', 'MIG8001', 'SapphireRapids-v2'],
    [
      "Cannot access storage file '/disks/root/disk.img' (as uid:107, gid:107): Permission denied",
      'MIG3076',
      'Permission denied',
    ],
    [
      "unable to set user and group to '107:107' on '/disks/root/disk.img': Operation not permitted",
      'MIG3076',
      '107:107',
    ],
    [
      'cannot limit locked memory of process 71 to 2222: Operation not permitted',
      'MIG8021',
      '2222',
    ],
  ])('%s', (message, code, word) => {
    const found = verdictOn([
      migration('Failed', { status: through('Running', 'Failed') }),
      vmi({}, failed(virError(message))),
    ])
    expect(found).toMatchObject({ code, status: 'fail' })
    expect(found.text).toContain(word)
    expect(found.text).toContain('node-b')
  })

  test('a reason that nobody knows is quoted, without its wrapping', () => {
    const found = verdictOn([
      migration('Failed', { status: through('Running', 'Failed') }),
      vmi({}, failed(virError('Domain not found: none', 42))),
    ])
    expect(found).toMatchObject({
      code: 'MIG8027',
      status: 'fail',
      text: expect.stringContaining('Domain not found: none'),
    })
    expect(found.text).not.toContain('virError')
  })

  test('the launcher’s own line decides where no failure reason was read, and is quoted when nobody knows it', () => {
    const line = (reason: string) =>
      JSON.stringify({ component: 'virt-launcher', msg: 'Live migration failed.', reason })
    const objects = [migration('Failed', { status: through('Running', 'Failed') }), vmi()]
    const unknown = verdictOn(objects, {
      log: [line("virError(Code=1, Domain=10, Message='internal error: never seen before')")],
    })
    expect(unknown).toMatchObject({ code: 'MIG8027', status: 'fail' })
    expect(unknown.text).toContain('never seen before')
    const cut = line("virError(Code=38, Domain=7, Message='Cannot recv data: Input/output error')")
    expect(verdictOn(objects, { log: [cut] })).toMatchObject({ code: 'MIG8090' })
  })

  test('a destination that is too small is known also where its size is not told', () => {
    const text =
      "unable to execute QEMU command 'blockdev-add': The size of the target has to be smaller or equal to the  actual size of the containing file"
    const objects = [migration('Failed'), vmi({}, failed(virError(text)))]
    expect(verdictOn(objects)).toMatchObject({ code: 'MIG3072', status: 'fail' })
  })

  test('an echo alone is not the cause, and it says where that would be found', () => {
    const found = verdictOn([
      migration('Failed', { status: through('Running', 'Failed') }),
      vmi({}, failed(virError('End of file while reading data: Input/output error', 38, 7))),
    ])
    expect(found).toMatchObject({ code: 'MIG8090', status: 'fail' })
    expect(found.text).toMatch(/secondary/i)
  })

  test('of a cluster whose logs were not read it names the command that reads them', () => {
    const objects = [
      migration('Failed', { status: through('Running', 'Failed') }),
      vmi({}, failed(virError('End of file while reading data: Input/output error', 38, 7))),
    ]
    expect(reportOn(objects, { cluster: true }).verdict.next).toEqual([
      expect.objectContaining({
        command: 'kubectl mig diagnose vmim/mig-1 -n demo --logs',
      }),
    ])
    expect(reportOn(objects).verdict.next[0]).toEqual({
      text: expect.stringMatching(/^Read the logs of both virt-handlers/),
    })
  })
})

/** data-plane.md §2.7 and §8.2: what virt-handler says when the proxy fails. */
describe('virt-handler’s log decides where libvirt only saw the end of its channel', () => {
  const OUT = 'unable to create outbound leg of proxy to host'
  const COPY = 'error encountered copying data to outbound connection'
  test.each([
    [OUT, 'dial tcp 10.0.0.2:35001: connect: connection refused', 'MIG5002'],
    [OUT, 'dial tcp 10.0.0.2:35001: connect: connection timed out', 'MIG7001'],
    [OUT, 'dial tcp 10.0.0.2:35001: i/o timeout', 'MIG7001'],
    [OUT, 'dial tcp 10.0.0.2:35001: connect: no route to host', 'MIG7002'],
    [OUT, 'EOF', 'MIG5011'],
    [OUT, 'read tcp 10.0.0.1:5->10.0.0.2:35001: read: connection reset by peer', 'MIG5011'],
    [OUT, 'dial tcp 10.0.0.2:35001: connect: host is down', 'MIG7002'],
    [COPY, 'write tcp 10.0.0.1:5->10.0.0.2:35001: write: connection timed out', 'MIG7008'],
    [COPY, 'write tcp 10.0.0.1:5->10.0.0.2:35001: write: connection reset by peer', 'MIG7013'],
    ['proxy unix socket listener returned error.', 'accept4: too many open files', 'MIG5007'],
    [OUT, 'tls: received unexpected handshake message of type *tls.clientHelloMsg', 'MIG6001'],
    [OUT, 'common name is invalid, expected kubevirt.io:a, but got kubevirt.io:b', 'MIG6004'],
    [COPY, 'remote error: tls: certificate required', 'MIG6009'],
    // Our own proxy's words.
    [OUT, 'certificate signed by unknown authority: x is not in our bundle (y)', 'MIG6002'],
    [COPY, "the target says: unknown certificate authority; it doesn't trust ours", 'MIG6002'],
    [OUT, "certificate has expired or is not yet valid: the target's ended 2026", 'MIG6003'],
    [COPY, 'the target says: bad certificate; nothing is wrong with ours', 'MIG6008'],
    [COPY, 'write ECONNRESET: the other proxy takes no more', 'MIG7013'],
    [OUT, 'certificate specifies an incompatible key usage: the target must', 'MIG6010'],
    [OUT, 'tls: first record does not look like a TLS handshake', 'MIG6001'],
    [
      OUT,
      'could not verify peer certificate: x509: certificate signed by unknown authority',
      'MIG6002',
    ],
    [
      'error encountered copying data into inbound connection',
      'remote error: tls: unknown certificate authority',
      'MIG6002',
    ],
    [
      OUT,
      'could not verify peer certificate: x509: certificate has expired or is not yet valid: current time 2026-01-01T10:00:00Z is after 2025-12-31T00:00:00Z',
      'MIG6003',
    ],
    [COPY, 'common name is invalid, got kubevirt.io:system:client:migration', 'MIG6004'],
    [OUT, 'remote error: tls: protocol version not supported', 'MIG6005'],
    [COPY, 'tls: no cipher suite supported by both client and server', 'MIG6006'],
    [OUT, 'No client certificate, client is not yet ready to talk to the server', 'MIG6007'],
    [OUT, 'remote error: tls: bad certificate', 'MIG6008'],
    [
      OUT,
      'could not verify peer certificate: x509: certificate specifies an incompatible key usage',
      'MIG6010',
    ],
    [
      OUT,
      'dial unix /proc/1/root/var/run/libvirt/virtqemud-sock: connect: no such file or directory',
      'MIG5004',
    ],
    [
      'handshake failed, fallback to old tls config',
      'dial tcp 10.0.0.2:35001: connect: connection refused',
      'MIG5002',
    ],
    [
      'failed to create unix socket for proxy service',
      'listen tcp :0: bind: address already in use',
      'MIG5007',
    ],
  ])('%s: %s', (msg, reason, code) => {
    const line = JSON.stringify({
      component: 'virt-handler',
      level: 'error',
      msg,
      reason,
      outbound: '10.0.0.2:35001',
      uid: 'v1',
      timestamp: '2026-01-01T10:01:05Z',
    })
    const objects = [
      migration('Failed', { status: through('Running', 'Failed') }),
      vmi({}, failed(virError('End of file while reading data: Input/output error', 38, 7))),
    ]
    expect(verdictOn(objects, { log: [line] })).toMatchObject({ code, status: 'fail' })
  })

  test('not for a migration that was never handed off, and not for another VM', () => {
    const line = (uid: string) =>
      JSON.stringify({
        component: 'virt-handler',
        level: 'error',
        msg: OUT,
        reason: 'EOF',
        uid,
        timestamp: '2026-01-01T10:01:05Z',
      })
    const never = [migration('Failed', { status: through('Scheduling', 'Failed') }), vmi()]
    expect(verdictOn(never, { log: [line('v1')] }).code).toBe('MIG0006')
    const other = [migration('Failed', { status: through('Running', 'Failed') }), vmi({}, failed())]
    expect(verdictOn(other, { log: [line('00000000-0000-4000-8000-000000000009')] }).code).toBe(
      'MIG0006',
    )
  })

  test('lines of another day prove nothing where there is a reason, and little where there is none', () => {
    const old = JSON.stringify({
      component: 'virt-handler',
      level: 'error',
      msg: OUT,
      reason: 'remote error: tls: bad certificate',
      uid: 'v1',
      timestamp: '2025-12-24T10:01:05Z',
    })
    const closed = failed(virError('QEMU unexpectedly closed the monitor'))
    const ended = migration('Failed', { status: through('Running', 'Failed') })
    expect(verdictOn([ended, vmi({}, closed)], { log: [old] }).code).toBe('MIG8014')
    expect(verdictOn([ended, vmi({}, failed())], { log: [old] }).code).toBe('MIG6008')
    expect(verdictOn([migration('Running'), vmi({}, handedOff())], { log: [old] }).code).toBe(
      'MIG8000',
    )
  })

  test('what was said in the second in which an attempt before it ended is about that', () => {
    const line = JSON.stringify({
      component: 'virt-launcher',
      level: 'error',
      msg: 'Live migration failed.',
      reason:
        "virError(Code=78, Domain=10, Message='operation aborted: job 'migration out' canceled by client')",
      uid: 'v1',
      timestamp: '2026-01-01T10:00:00.4Z',
    })
    const metadata = { creationTimestamp: '2026-01-01T10:00:00Z' }
    const reason = failed(virError('QEMU unexpectedly closed the monitor'))
    const ended = migration('Failed', { metadata, status: through('Running', 'Failed') })
    const phaseTransitionTimestamps = [
      { phase: 'Failed', phaseTransitionTimestamp: '2026-01-01T10:00:00Z' },
    ]
    const cancelled = migration('Failed', {
      metadata: { name: 'mig-0', uid: 'u0', creationTimestamp: '2026-01-01T09:59:50Z' },
      status: { phaseTransitionTimestamps },
    })
    const told = (...objects: object[]) =>
      reportOn([...objects, ended, vmi({}, reason)] as never, { log: [line] })
        .subjects.find(({ ref }) => ref.endsWith('mig-1'))
        ?.findings.flatMap(({ status, code }) => (status === 'fail' ? [code] : []))
    expect(told(cancelled)).toEqual(['MIG8014'])
    expect(told()).toHaveLength(2)
  })

  test('what stands in the log before the copy was begun is about one whose migration is gone', () => {
    const said = (msg: string, more: object = {}) =>
      JSON.stringify({
        component: 'virt-launcher',
        level: 'info',
        msg,
        uid: 'v1',
        timestamp: '2026-01-01T10:00:00.4Z',
        ...more,
      })
    const cancelled = said('Live migration failed.', {
      reason:
        "virError(Code=78, Domain=10, Message='operation aborted: job 'migration out' canceled by client')",
    })
    const begun = said('Initiating live migration.')
    const metadata = { creationTimestamp: '2026-01-01T10:00:00Z' }
    const ended = migration('Failed', { metadata, status: through('Running', 'Failed') })
    const reason = failed(virError('QEMU unexpectedly closed the monitor'))
    const told = (...log: string[]) =>
      reportOn([ended, vmi({}, reason)] as never, { log })
        .subjects.find(({ ref }) => ref.endsWith('mig-1'))
        ?.findings.flatMap(({ status, code }) => (status === 'fail' ? [code] : []))
    expect(told(cancelled, begun)).toEqual(['MIG8014'])
    expect(told(begun, cancelled)).toHaveLength(2)
    // One that begins later says nothing about this one.
    expect(told(cancelled, begun.replace('10:00:00', '11:00:00'))).toHaveLength(2)
  })

  test('nothing in a log counts against a VM that moved', () => {
    const line = JSON.stringify({
      component: 'virt-handler',
      level: 'error',
      msg: OUT,
      reason: 'EOF',
      uid: 'v1',
      timestamp: '2026-01-01T10:01:05Z',
    })
    expect(verdictOn([migration('Succeeded'), vmi()], { log: [line] })).toMatchObject({
      code: 'MIG0010',
      status: 'pass',
    })
  })
})

describe('that the target’s QEMU ended with the stream is a cause only where nothing else ended that', () => {
  const line = (fields: object) =>
    JSON.stringify({ level: 'error', uid: 'v1', timestamp: '2026-01-01T10:01:05Z', ...fields })
  const qemu = [
    'check_section_footer: Read section footer failed: -5',
    'load of migration failed: Invalid argument',
  ].map((text) =>
    line({ component: 'virt-launcher', subcomponent: 'qemu', msg: `qemu-kvm: ${text}` }),
  )
  const reset = line({
    component: 'virt-handler',
    msg: 'error encountered copying data into inbound connection',
    reason: 'read tcp 10.0.0.1:5->10.0.0.2:35001: read: connection reset by peer',
  })
  const killed = line({
    component: 'virt-launcher',
    msg: "internal error: QEMU unexpectedly closed the monitor (vm='demo_vm-1'): killed",
  })
  const found = (
    log: string[],
    reason = virError(
      "operation failed: job 'migration out' failed: Unable to write to socket: Broken pipe",
      9,
    ),
  ) => {
    const status = through('Running', 'Failed')
    const { verdict, subjects } = reportOn(
      [migration('Failed', { status }), vmi({}, failed(reason))],
      { log },
    )
    const bad = subjects[0]!.findings.filter(({ status }) => status === 'fail')
    return { verdict, codes: bad.map(({ code }) => code), cause: bad[0]?.cause ?? '' }
  }

  test('alone it is told', () => {
    const { verdict, codes } = found(qemu)
    expect([verdict.code, codes]).toEqual(['MIG8014', ['MIG8014']])
  })

  test('beside a connection that was reset it is an echo, and that line none of its own', () => {
    const { verdict, codes, cause } = found([...qemu, reset])
    expect([verdict.code, codes]).toEqual(['MIG7013', ['MIG7013']])
    expect(cause).toMatch(
      /Ignore as echoes of it: .*The stream to the target’s QEMU ended in the middle/,
    )
    expect(cause).not.toMatch(/A proxy connection broke/)
  })

  test('beside a copy that was given up too', () => {
    const { codes } = found(qemu, 'Live migration stuck for 151 seconds')
    expect(codes).toEqual([expect.not.stringMatching('MIG8014')])
  })

  test('a QEMU that was killed is the cause, not the reset that follows from it', () => {
    expect(found([killed, reset]).verdict.code).toBe('MIG8014')
  })
})

describe('a client without certificate may be a scanner or our own probe', () => {
  const line = (pos: string) =>
    JSON.stringify({
      component: 'virt-handler',
      level: 'error',
      msg: 'error encountered copying data to outbound connection',
      outbound: 'v1-0',
      pos,
      reason: pos === 'a' ? "tls: client didn't provide a certificate" : 'EOF',
      timestamp: '2026-01-01T10:01:20.000000Z',
    })
  const found = (phase: string, state: ReturnType<typeof failed>, log: string[]) => {
    const { subjects, verdict } = reportOn(
      [migration(phase, { status: through('Pending', 'TargetReady', phase) }), vmi({}, state)],
      { log },
    )
    return { verdict, told: subjects[0]!.findings.find(({ code }) => code === 'MIG6009') }
  }

  test('while the migration runs it is told, and is not the verdict', () => {
    const { verdict, told } = found('Running', handedOff(), [line('a'), line('b')])
    expect(told).toMatchObject({ status: 'info', confidence: 'possible' })
    expect(verdict.code).not.toBe('MIG6009')
    expect(told!.cause).not.toMatch(/echoes/)
  })

  test('beside another cause of a failure it is none', () => {
    const { verdict, told } = found('Failed', failed('Live migration stuck for 151 seconds'), [
      line('a'),
    ])
    expect(told).toMatchObject({ status: 'info' })
    expect(verdict.code).not.toBe('MIG6009')
  })

  test('where nothing else explains a failure, it may', () => {
    const { verdict } = found('Failed', failed(), [line('a')])
    expect(verdict).toMatchObject({ code: 'MIG6009', confidence: 'possible' })
  })
})

/** Further texts of the same families, as public reports quote them. */
describe('a line is known', () => {
  test.each([
    [
      'Error migrating VirtualMachine the server has asked for the client to provide credentials',
      'MIG0001',
    ],
    ['LiveMigration feature gate is not enabled in kubevirt-config', 'MIG1014'],
    [
      'denied the request: VMI vm-a is configured with an eviction strategy but is not live-migratable',
      'MIG2010',
    ],
    [
      'Error creating pod: pods "x" is forbidden: unable to validate against any security context constraint: [not usable]',
      'MIG3003',
    ],
    [
      'Error creating pod: Internal error occurred: failed calling webhook "validate.kyverno.svc-fail": connection refused',
      'MIG3004',
    ],
    ['the node "node-a" does not allow migration with host-model', 'MIG3014'],
    ['Container image "x:1" is not present with pull policy of Never', 'MIG3030'],
    ['Back-off pulling image "registry.example/x:1"', 'MIG3030'],
    [
      'Failed to create pod sandbox: rpc error: code = DeadlineExceeded desc = context deadline exceeded',
      'MIG3032',
    ],
    ['MapVolume.MapPodDevice failed for volume "pvc-1" : rpc error: code = Internal', 'MIG3034'],
    ['Error: container create failed: open /dev/vhost-net: no such file', 'MIG3031'],
    ['The node was low on resource: ephemeral-storage.', 'MIG3043'],
    [
      'Allocate failed due to requested number of devices unavailable for nvidia.com/A100',
      'MIG3023',
    ],
    ['Resources cannot be allocated with Topology locality', 'MIG3010'],
    ['Pod was rejected: Predicate NodeAffinity failed', 'MIG3011'],
    ['Critical network error: pod link (pod7e0055a6880) is missing', 'MIG4015'],
    ['panic: runtime error: invalid memory address or nil pointer dereference', 'MIG4003'],
    ['listen tcp 0.0.0.0:40000: bind: address already in use', 'MIG5007'],
    [
      "unable to execute QEMU command 'nbd-server-start': Failed to bind socket: Address already in use",
      'MIG5007',
    ],
    [
      'proxy listener returned error: accept tcp [::]:40000: accept4: too many open files',
      'MIG5007',
    ],
    ['remote error: tls: protocol version not supported', 'MIG6005'],
    [
      'unable to create outbound leg of proxy to host: remote error: tls: unknown certificate',
      'MIG6008',
    ],
    [
      'unable to create outbound leg of proxy to host: dial unix /x.sock: connect: permission denied',
      'MIG5004',
    ],
    ['unable to create outbound leg of proxy to host: context deadline exceeded', 'MIG7002'],
    ['listen tcp 192.0.2.1:0: bind: cannot assign requested address', 'MIG5007'],
    ['denied the request: Eviction triggered evacuation of VMI "demo/vm-a"', 'MIG2010'],
    [
      'error when evicting pods/"virt-launcher-vm-a-x" -n "demo": Cannot evict pod as it would violate the pod\'s disruption budget.',
      'MIG2010',
    ],
    ['qemu-kvm: Missing section footer for 0000:00:01.3/piix4_pm', 'MIG8003'],
    ['qemu-kvm: get_pci_config_device: Bad config data: i=0x10 read: a1 device: 1', 'MIG8003'],
    ['qemu-kvm: VQ 2 size 0x100 < last_avail_idx 0x1d9 - used_idx 0x0', 'MIG8003'],
    ['tpm-emulator: TPM result for CMD_SET_STATEBLOB: 0x9 operation failed', 'MIG8003'],
    ['Could not access KVM kernel module: Permission denied', 'MIG8014'],
    ["Could not open '/dev/vhost-net': Permission denied", 'MIG8014'],
    ['qemu-kvm: Not a migration stream', 'MIG8014'],
    ["multifd: received id '3' but only 2 channels", 'MIG8006'],
    [
      "unable to execute QEMU command 'migrate': 0000:09:00.0: VFIO migration is not supported in kernel",
      'MIG8021',
    ],
    ['Migration is disabled when VirtFS export path is mounted in the guest', 'MIG8021'],
    ["Requested operation is not valid: domain 'demo_vm-a' is already active", 'MIG8023'],
    ['Live migration failed: operation failed: domain is no longer running', 'MIG4013'],
    [
      'cannot resolve symlink /var/run/kubevirt/hotplug-disks/vol1: No such file or directory',
      'MIG3076',
    ],
    ['Failed to get "consistent read" lock', 'MIG3073'],
    ["unable to execute QEMU command 'blockdev-mirror': No space left on device", 'MIG3078'],
    ["block job 'drive-ua-rootdisk' failed: Input/output error", 'MIG3079'],
    ['qemu-kvm: Unable to read from socket: Connection reset by peer', 'MIG8090'],
    ["Domain not found: no domain with matching name 'demo_vm-a'", 'MIG8090'],
    ['operation failed: migration job: unexpectedly failed', 'MIG8090'],
    ["unable to connect to server at 'node-b:16509': Connection refused", 'MIG5002'],
    ["unable to connect to server at '192.0.2.2:16514': Connection timed out", 'MIG7001'],
    [
      "unable to execute QEMU command 'migrate': Failed to connect to '192.0.2.2:49160': No route to host",
      'MIG7002',
    ],
    ["Unable to resolve address 'node-b' service '49152': Name or service not known", 'MIG7002'],
    ['hostname on destination resolved to localhost, but migration requires an FQDN', 'MIG7002'],
    ['Attempt to migrate guest to the same host 00020003-0004', 'MIG4022'],
    ['Cannot recv data: Host key verification failed.: Connection reset by peer', 'MIG6012'],
    ["Network not found: no network with matching name 'br-ex'", 'MIG4015'],
    ["Cannot get interface MTU on 'br0': No such device", 'MIG4015'],
    ["no storage vol with matching path '/images/a.qcow2'", 'MIG3076'],
    [
      "unable to set security context 'system_u:object_r:svirt_image_t:s0' on '/x.img': Permission denied",
      'MIG3076',
    ],
    ['Migration failed because vmi does not exist.', 'MIG4013'],
    [
      'no matches for kind "VirtualMachineInstanceMigration" in version "kubevirt.io/v1"',
      'MIG0003',
    ],
    [
      'admission webhook "v.harvesterhci.io" denied the request: cannot migrate while upgrading',
      'MIG1009',
    ],
    [
      'default-scheduler pod/virt-launcher-vm-a-x 0/3 nodes are available: 3 Insufficient memory.',
      'MIG3026',
    ],
  ])('%s', (line, code) => {
    expect(matchTexts(line, 'log')[0]?.row.code).toBe(code)
  })
})
