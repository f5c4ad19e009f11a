import fc from 'fast-check'
import { expect, test } from 'vitest'
import { logOrigin } from '../../src/evidence/layout.ts'
import { parseLogLine } from '../../src/evidence/log-line.ts'

test.each([
  [
    'KubeVirt’s JSON',
    '{"component":"virt-handler","level":"error","listening":"u-source.sock","msg":"unable to create outbound leg of proxy to host","outbound":"10.0.0.1:35001","reason":"EOF","timestamp":"2026-01-01T10:00:00.500000Z","uid":"u"}',
    {
      text: 'unable to create outbound leg of proxy to host: EOF',
      component: 'virt-handler',
      level: 'error',
      uid: 'u',
      outbound: '10.0.0.1:35001',
      listening: 'u-source.sock',
      time: Date.parse('2026-01-01T10:00:00.5Z'),
    },
  ],
  [
    'klog',
    'E0101 10:02:10.000000 7 ovs_linux.go:232] not ready',
    { text: 'not ready', level: 'error', pos: 'ovs_linux.go:232' },
  ],
  [
    'libvirt',
    '2026-01-01 10:00:00.123+0000: 77: error : virNetSocketReadWire:1781 : End of file',
    {
      text: 'End of file',
      component: 'libvirt',
      level: 'error',
      pos: 'virNetSocketReadWire:1781',
      time: Date.parse('2026-01-01T10:00:00.123Z'),
    },
  ],
  [
    'QEMU',
    '2026-01-01T10:00:00.5Z qemu-kvm: load of migration failed',
    {
      text: 'qemu-kvm: load of migration failed',
      time: Date.parse('2026-01-01T10:00:00.5Z'),
    },
  ],
  [
    'a collector’s stamp before JSON',
    '2026-01-01T10:00:01Z {"msg":"hello","level":"info"}',
    { text: 'hello', level: 'info', time: Date.parse('2026-01-01T10:00:01Z') },
  ],
  [
    'the kubelet’s stamp',
    '2026-01-01T10:00:01Z stderr F panic: no',
    { text: 'panic: no', time: Date.parse('2026-01-01T10:00:01Z') },
  ],
  ['plain text', 'panic: timed out', { text: 'panic: timed out' }],
])('%s is read', (_, raw, expected) => {
  expect(parseLogLine(raw)).toEqual(expected)
})

test('any line is read as something', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (raw) => {
      expect(typeof parseLogLine(raw).text).toBe('string')
    }),
  )
})

test.each([
  [
    'namespaces/demo/pods/virt-launcher-vm-a-x/compute/compute/logs/current.log',
    { namespace: 'demo', pod: 'virt-launcher-vm-a-x', container: 'compute', previous: false },
  ],
  [
    'mg/namespaces/kubevirt/pods/virt-handler-z/virt-handler/virt-handler/logs/previous.log',
    { namespace: 'kubevirt', pod: 'virt-handler-z', container: 'virt-handler', previous: true },
  ],
  [
    'supportbundle_1/logs/harvester-system/virt-handler-z/virt-handler.log',
    {
      namespace: 'harvester-system',
      pod: 'virt-handler-z',
      container: 'virt-handler',
      previous: false,
    },
  ],
  [
    'var/log/pods/demo_virt-launcher-a_1234/compute/0.log',
    { namespace: 'demo', pod: 'virt-launcher-a', container: 'compute', previous: false },
  ],
  ['virt-controller-abc.log', { pod: 'virt-controller-abc', previous: false }],
  ['notes.txt', { previous: false }],
])('the path %s tells whose log it is', (file, expected) => {
  expect(logOrigin(file)).toEqual({ file, ...expected })
})

test.each([
  ['kubectl logs --prefix', '[pod/virt-handler-abcde/virt-handler] '],
  [
    'kubectl logs --prefix --timestamps',
    '[pod/virt-handler-abcde/virt-handler] 2026-01-01T10:00:01Z ',
  ],
  ['stern', 'virt-handler-abcde virt-handler '],
])('%s: the line behind its pod', (_, prefix) => {
  expect(
    parseLogLine(`${prefix}{"msg":"hello","uid":"u","timestamp":"2026-01-01T10:00:00Z"}`),
  ).toEqual({
    text: 'hello',
    uid: 'u',
    time: Date.parse('2026-01-01T10:00:00Z'),
    pod: 'virt-handler-abcde',
    container: 'virt-handler',
  })
})

test.each([
  [
    'Docker',
    (line: string) => ({ log: `${line}\n`, stream: 'stderr', time: '2026-01-01T10:00:01Z' }),
  ],
  ['Loki', (line: string) => ({ line, '@timestamp': '2026-01-01T10:00:01Z' })],
  ['Fluentd', (line: string) => ({ message: line, time: '2026-01-01T10:00:01Z' })],
])('%s: the JSON line in its JSON', (_, wrap) => {
  const time = Date.parse('2026-01-01T10:00:01Z')
  expect(parseLogLine(JSON.stringify(wrap('{"msg":"hello","uid":"u"}')))).toEqual({
    text: 'hello',
    uid: 'u',
    time,
  })
  expect(parseLogLine(JSON.stringify(wrap('panic: "no"')))).toMatchObject({
    text: 'panic: "no"',
    time,
  })
})

test('what Fluentd knows of the pod is kept, and journald’s stamp of K3s goes', () => {
  const kubernetes = { pod_name: 'virt-launcher-a-1', container_name: 'compute' }
  expect(parseLogLine(JSON.stringify({ log: 'panic', kubernetes }))).toEqual({
    text: 'panic',
    pod: 'virt-launcher-a-1',
    container: 'compute',
  })
  expect(parseLogLine('Jan  1 10:00:00 node-a k3s[123]: {"msg":"hello"}')).toEqual({
    text: 'hello',
  })
})
