import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import SCHEMA from '../../schema/diagnosis-report.json' with { type: 'json' }
import type { ProxyProbe } from '../../src/evidence/probes.ts'
import { parseAddresses, parseRoute } from '../../src/probe/addresses.ts'
import { parseTcpTable } from '../../src/probe/socket-table.ts'
import {
  ADDRESS,
  arrived,
  copying,
  counted,
  established,
  PORTS,
  probe,
  read,
  unread,
} from './proxies.ts'
import { handler, migration, reportOn, through, verdictOn } from './world.ts'

const isValid = new Ajv().compile(SCHEMA)

/** The channels by their labels, and what was found beside the copy itself. */
function look(seen: ProxyProbe, objects = copying()) {
  const report = reportOn(objects, { probes: [seen] })
  expect(isValid(report), JSON.stringify(isValid.errors)).toBe(true)
  const [subject] = report.subjects
  const channels = Object.fromEntries(
    (subject?.channels ?? []).map(({ label, purpose: _, port: __, connection, ...rest }) => [
      label,
      { ...rest, connection: connection.state },
    ]),
  )
  const { verdict, coverage } = report
  return { channels, verdict, coverage, findings: subject?.findings ?? [] }
}

const verdictOf = (seen: ProxyProbe, objects = copying()) => verdictOn(objects, { probes: [seen] })

test('all is well: every channel is, and data flow', () => {
  const { channels, findings, coverage } = look(probe())
  const well = { map: 'right', listener: 'open', sourceSocket: 'live', connection: 'flowing' }
  expect(channels).toEqual({ 0: well, 49152: well, 49153: well })
  expect(findings.find(({ code }) => code === 'MIG5000')).toMatchObject({
    status: 'pass',
    title: expect.stringMatching(
      /^Data flow: 1500000 bytes .* in 2 s \(label 0, 49152 and 49153\)$/,
    ),
  })
  expect(findings.filter(({ status }) => !['pass', 'info'].includes(status))).toEqual([])
  expect(coverage.gaps.filter(({ what }) => what === 'ss')).toEqual([])
})

test('what was not looked at is not read, and no pass', () => {
  const missing = unread('container virt-handler has no ss')
  const { channels, findings } = look(
    probe({
      source: { connections: missing, counted: missing, unixListeners: missing },
      target: { listeners: missing },
    }),
  )
  const gone = { map: 'right', listener: 'unread', sourceSocket: 'unread', connection: 'unread' }
  expect(channels).toEqual({ 0: gone, 49152: gone, 49153: gone })
  expect(findings.map(({ code }) => code)).not.toContain('MIG5000')
})

test('a check without what it needs counts as not carried out, with the reason', () => {
  const whole = look(probe()).coverage
  const part = look(probe({ target: { listeners: unread('no ss there') } })).coverage
  expect(part.total).toBe(whole.total)
  expect(part.evaluated).toBe(whole.evaluated - 1)
  expect(part.gaps).toContainEqual(
    expect.objectContaining({ detail: 'listeners of the target: no ss there' }),
  )
})

test('a probe of another migration is not this one’s', () => {
  const { channels, findings } = look(probe({ migrationUid: 'another', target: {} }))
  expect(channels[0]).toMatchObject({ listener: 'unread' })
  expect(findings.map(({ code }) => code)).not.toContain('MIG5000')
})

describe('listeners and sockets', () => {
  const without = (...ports: number[]) =>
    read(
      parseTcpTable(
        [8443, ...Object.keys(PORTS).map(Number)]
          .filter((port) => !ports.includes(port))
          .map((port) => `LISTEN 0 4096 *:${port} *:*`)
          .join('\n'),
      ),
    )

  test('nothing listens at a published port', () => {
    const seen = probe({ target: { listeners: without(41068) } })
    expect(look(seen).channels[49152]).toMatchObject({ listener: 'closed' })
    expect(verdictOf(seen)).toMatchObject({
      code: 'MIG5002',
      status: 'fail',
      text: expect.stringContaining('nothing listens at port 41068 (label 49152)'),
    })
  })

  test('one that listens at another address only is none', () => {
    const listeners = read(parseTcpTable('LISTEN 0 4096 127.0.0.1:35001 *:*'))
    expect(look(probe({ target: { listeners } })).channels[0]).toMatchObject({ listener: 'closed' })
  })

  test('virt-handler was started after it had published: the ports are stale', () => {
    const objects = copying().filter(
      ({ metadata }) => (metadata as { name: string }).name !== 'virt-handler-node-b',
    )
    const restarted = handler('node-b', {
      containerStatuses: [
        {
          name: 'virt-handler',
          restartCount: 1,
          state: { running: { startedAt: '2026-01-01T10:01:55Z' } },
        },
      ],
    })
    const seen = probe({ target: { listeners: without(...Object.keys(PORTS).map(Number)) } })
    expect(verdictOf(seen, [...objects, restarted])).toMatchObject({ code: 'MIG5006' })
  })

  test('a socket of the source that nobody listens at', () => {
    const unixListeners = read(['/proc/1/root/var/run/kubevirt/migrationproxy/v1-source.sock'])
    const seen = probe({ source: { unixListeners } })
    expect(look(seen).channels[49152]).toMatchObject({ sourceSocket: 'dead' })
    expect(verdictOf(seen)).toMatchObject({
      code: 'MIG5009',
      text: expect.stringContaining('label 49152 and 49153'),
    })
  })

  test('before the copy begins the source’s sockets are only not there yet', () => {
    const objects = [
      ...copying({ startTimestamp: undefined }).filter(
        ({ kind }) => kind !== 'VirtualMachineInstanceMigration',
      ),
      migration('TargetReady', { status: through('Pending', 'PreparingTarget', 'TargetReady') }),
    ]
    const seen = probe({ source: { unixListeners: read([]), connections: read([]) } })
    expect(look(seen, objects).channels[0]).toEqual({
      map: 'right',
      listener: 'open',
      sourceSocket: 'not-yet',
      connection: 'not-yet',
    })
  })
})

describe('the port map', () => {
  test('a label that is needed is missing', () => {
    const objects = copying({ targetDirectMigrationNodePorts: { '35001': 0, '41068': 49152 } })
    expect(look(probe(), objects).channels[49153]).toMatchObject({ map: 'wrong' })
    expect(verdictOf(probe(), objects)).toMatchObject({ code: 'MIG5005' })
  })

  test('a label that is published twice', () => {
    const ports = { '35001': 0, '41068': 49152, '38284': 49153, '40000': 0 }
    expect(verdictOf(probe(), copying({ targetDirectMigrationNodePorts: ports }))).toMatchObject({
      code: 'MIG5005',
      text: expect.stringContaining('label 0 more than once'),
    })
  })
})

describe('connections', () => {
  const synSent = (port: number) => `SYN-SENT 0 1 10.9.0.1:50112 ${ADDRESS}:${port}`

  test('a blocked port shows itself by SYN-SENT; that others answer is told', () => {
    const rows = [established(35001), established(41068), synSent(38284)]
    const seen = probe({ source: { connections: read(parseTcpTable(rows.join('\n'))) } })
    expect(look(seen).channels[49153]).toMatchObject({ connection: 'unanswered' })
    expect(verdictOf(seen)).toMatchObject({
      code: 'MIG7001',
      text: expect.stringMatching(/port 38284 \(label 49153.*connected at port 35001 and 41068/),
    })
  })

  test('one that is only being made is not blocked: two seconds later it is there', () => {
    const rows = [established(35001), `SYN-SENT 0 1 10.9.0.1:58284 ${ADDRESS}:38284`]
    const seen = probe({ source: { connections: read(parseTcpTable(rows.join('\n'))) } })
    expect(look(seen).channels[49153]).not.toMatchObject({ connection: 'unanswered' })
  })

  test('a port of another address, or another’s connection, is not it', () => {
    const rows = [established(35001), `SYN-SENT 0 1 10.9.0.1:50112 10.9.0.3:38284`]
    const seen = probe({ source: { connections: read(parseTcpTable(rows.join('\n'))) } })
    expect(look(seen).channels[49153]).toMatchObject({ connection: 'none' })
  })

  test.each([
    [
      'nothing moves and nothing waits: idle, not stalled',
      { before: [{ port: 41068, sent: 5 }], after: [{ port: 41068, sent: 5 }] },
      'idle',
      'MIG8000',
    ],
    [
      'nothing moves and something waits: the path stalls',
      {
        before: [{ port: 41068, sent: 5, sendQ: 900 }],
        after: [{ port: 41068, sent: 5, sendQ: 900 }],
      },
      'stalled',
      'MIG7008',
    ],
    [
      'what is sent again and again is no progress',
      {
        before: [{ port: 41068, sent: 5, acked: 5, sendQ: 900 }],
        after: [{ port: 41068, sent: 4000, acked: 5, sendQ: 900, retrans: 3 }],
      },
      'stalled',
      'MIG7008',
    ],
  ])('%s', (_, { before, after }, state, code) => {
    const seen = probe({ source: { counted: counted(before, after) } })
    expect(look(seen).channels[49152]).toMatchObject({ connection: state })
    expect(verdictOf(seen)).toMatchObject({ code })
  })

  test('what arrives and is not read is the target’s matter, though bytes still fill its buffers', () => {
    const grows = counted([{ port: 41068, sent: 1000 }], [{ port: 41068, sent: 9000 }])
    const seen = probe({
      source: { counted: grows },
      target: { counted: arrived(41068, 1000, 9000) },
    })
    expect(look(seen).channels[49152]).toMatchObject({ connection: 'stalled' })
    expect(verdictOf(seen)).toMatchObject({ code: 'MIG5013', status: 'fail' })
  })

  test('full segments are lost where a connection can be made: the MTU', () => {
    const lost = counted(
      [{ port: 41068, sent: 5, acked: 5, sendQ: 900 }],
      [{ port: 41068, sent: 4000, acked: 5, sendQ: 900, retrans: 3 }],
    )
    const seen = probe({ source: { counted: lost }, connect: read('connected') })
    expect(verdictOf(seen)).toMatchObject({ code: 'MIG7011' })
  })
})

describe('the way', () => {
  const at = (addresses: string) => ({ addresses: read(parseAddresses(addresses)) })
  const network = copying({}, { network: 'fast' })

  test('virt-handler of the target has another address now', () => {
    expect(verdictOf(probe({ target: at('eth0@if9 UP 10.9.0.77/24') }))).toMatchObject({
      code: 'MIG5006',
    })
  })

  test('it listens on its pod’s address, and a migration network is set', () => {
    expect(verdictOf(probe(), network)).toMatchObject({
      code: 'MIG7003',
      text: expect.stringContaining('has no migration0'),
    })
  })

  test('the source is not on the migration network', () => {
    const seen = probe({ target: at(`migration0@if3 UP ${ADDRESS}/24`) })
    expect(verdictOf(seen, network)).toMatchObject({
      code: 'MIG7003',
      text: expect.stringContaining('node-a'),
    })
  })

  test('the source is, and leaves by its pod network', () => {
    const seen = probe({
      target: at(`migration0@if3 UP ${ADDRESS}/24`),
      source: at('eth0 UP 10.1.0.1/24\nmigration0@if4 UP 10.77.0.1/24'),
    })
    expect(verdictOf(seen, network)).toMatchObject({ code: 'MIG7010', status: 'warn' })
  })

  test('both are on it', () => {
    const seen = probe({
      target: at(`migration0@if3 UP ${ADDRESS}/24`),
      source: {
        ...at('migration0@if4 UP 10.9.0.1/24'),
        route: read(parseRoute(`${ADDRESS} dev migration0 src 10.9.0.1`)),
      },
    })
    expect(verdictOf(seen, network)).toMatchObject({ code: 'MIG8000' })
  })

  test('there is no route', () => {
    expect(verdictOf(probe({ source: { route: read('none' as const) } }))).toMatchObject({
      code: 'MIG7002',
    })
  })

  test('the link of either side is down', () => {
    const down = at(`eth0@if9 LOWERLAYERDOWN ${ADDRESS}/24`)
    expect(verdictOf(probe({ target: down }))).toMatchObject({ code: 'MIG7012' })
    const source = at('eth0@if7 DOWN 10.9.0.1/24')
    expect(verdictOf(probe({ source }))).toMatchObject({
      code: 'MIG7012',
      text: expect.stringContaining('node-a'),
    })
  })
})

describe('one connection', () => {
  test.each([
    ['refused', 'MIG5002'],
    ['timed-out', 'MIG7001'],
    ['no-route', 'MIG7002'],
    ['connected', 'MIG8000'],
  ] as const)('%s: %s', (outcome, code) => {
    expect(verdictOf(probe({ connect: read(outcome) }))).toMatchObject({ code })
  })

  test.each([
    ['no-tls', 'ERR_SSL_WRONG_VERSION_NUMBER', 'MIG6001', 'certain'],
    ['nothing', 'ECONNRESET', 'MIG6001', 'likely'],
    ['nothing', 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', 'MIG6007', 'certain'],
    ['nothing', 'ERR_SSL_UNSUPPORTED_PROTOCOL', 'MIG6005', 'certain'],
    ['nothing', 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'MIG6006', 'certain'],
  ] as const)('a handshake that ends in %s, %s: %s', (spoke, error, code, confidence) => {
    const { verdict } = look(probe({ handshake: read({ spoke, error }) }))
    expect(verdict).toMatchObject({ code, confidence })
  })
})

describe('releases', () => {
  const image = (node: string, tag: string, command: string[] = []) => ({
    ...handler(node),
    spec: {
      nodeName: node,
      containers: [
        { name: 'virt-handler', image: `quay.io/kubevirt/virt-handler:${tag}`, command },
      ],
    },
  })
  const on = (from: object, to: object) => [
    ...copying().filter(
      ({ kind, metadata }) =>
        kind !== 'Pod' || !/^virt-handler/.test((metadata as { name: string }).name),
    ),
    from as Record<string, unknown>,
    to as Record<string, unknown>,
  ]
  const NARROW = ['virt-handler', '--migration-cn-types', 'migration']

  test.each([
    ['1.9 to 1.6', image('node-a', 'v1.9.0'), image('node-b', 'v1.6.2'), true],
    [
      '1.6 to 1.9 that still accepts both',
      image('node-a', 'v1.6.2'),
      image('node-b', 'v1.9.0'),
      false,
    ],
    [
      '1.6 to 1.9 that accepts only the new',
      image('node-a', 'v1.6.2'),
      image('node-b', 'v1.9.0', NARROW),
      true,
    ],
    ['1.9 to 1.9', image('node-a', 'v1.9.0'), image('node-b', 'v1.9.0', NARROW), false],
    ['a build that tells nothing', image('node-a', 'latest'), image('node-b', 'v1.6.2'), false],
  ])('%s', (_, from, to, refused) => {
    const { findings } = look(probe(), on(from, to))
    expect(findings.some(({ code }) => code === 'MIG6004')).toBe(refused)
  })
})

test('that TLS is off is said, and is no fault', () => {
  const { findings, verdict } = look(probe(), copying({}, { disableTLS: true }))
  expect(findings).toContainEqual(expect.objectContaining({ code: 'MIG6013', status: 'info' }))
  expect(verdict.code).toBe('MIG8000')
})
