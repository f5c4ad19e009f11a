import { describe, expect, test } from 'vitest'
import { diagnosisText } from '../../src/terminal/diagnosis.ts'
import { createTheme } from '../../src/terminal/theme.ts'
import {
  event,
  handedOff,
  handler,
  kubevirt,
  LATER,
  migration,
  node,
  reportOn,
  source,
  target,
  unscheduled,
  vmi,
} from './world.ts'

const env = { LANG: 'C.UTF-8' }
const pipe = { theme: createTheme({ isTTY: false, env }), interactive: false, columns: () => 80 }
const terminal = (columns: number, color = false) => ({
  theme: createTheme({ isTTY: true, color, env }),
  interactive: true,
  columns: () => columns,
})

const full = reportOn([
  kubevirt(),
  migration('Scheduling'),
  vmi(),
  source,
  unscheduled(
    "0/2 nodes are available: 1 node(s) didn't match pod anti-affinity rules, 1 Insufficient memory.",
  ),
  node('node-a'),
  node('node-b', { allocatable: { memory: '1Gi' } }),
])

describe('a report for a person', () => {
  test('a place has a name, and no stage', () => {
    const subjects = full.subjects.map((one) => ({ ...one, ref: 'node/node-a', stage: 'unknown' }))
    expect(diagnosisText({ ...full, subjects }, pipe)).toContain('node/node-a')
  })

  test('through a pipe: the verdict first, one line each', () => {
    expect(diagnosisText(full, pipe).join('\n')).toMatchInlineSnapshot(`
      "The target pod of vm-a cannot be scheduled: Insufficient memory on 1 node
        node-b: Insufficient memory (asks 2147483648 bytes (2.0 GiB), 1073741824 bytes (1.0 GiB) of 1073741824 bytes (1.0 GiB) free); node-a is excluded as the source (the target must run elsewhere). The time-out (300 s (5 min) after the pod was made, 2026-01-01T10:05:00Z) ends the migration.
        Scheduling for at least 1m59s · ends by itself, at the latest 2026-01-01T10:05:00Z · certain · MIG3010: kubectl mig explain MIG3010
        → Free capacity on another node (move or stop VMs) or add a node; the target asks for as much as the VM, its overhead included

      vmim/demo/mig-1  Scheduling
        ✓ Migration object created?  mig-1, 2m ago
        ✗ Target pod created?        virt-launcher-vm-a-tgt, Pending, on no node
        · Pending or running?        Scheduling, for at least 1m59s
        ✓ Policy and concurrency?    1 of 5 slots of the cluster in use, policy is resolved at hand-off
        ? Quota and storage?         nothing speaks against them; not in what was read: ResourceQuota, PersistentVolumeClaim
        ✗ The target pod of vm-a cannot be scheduled: Insufficient memory on 1 node  MIG3010
            pod/demo/virt-launcher-vm-a-tgt PodScheduled=False Unschedulable: 0/2 nodes are available: 1 node(s) didn't match pod anti-affinity rules, 1 Insufficient memory.
        ✓ Nothing blocks a migration of vm-a: LiveMigratable is True  MIG1000

      7 objects and 0 log lines read from test; the newest moment in it is 2026-01-01T10:02:00Z; 11 of 12 checks carried out
        not in it, though checks ask for it: PersistentVolumeClaim"
    `)
  })

  test('on 80 columns', () => {
    const lines = diagnosisText(full, terminal(80))
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "The target pod of vm-a cannot be scheduled: Insufficient memory on 1 node
        node-b: Insufficient memory (asks 2147483648 bytes (2.0 GiB), 1073741824 bytes
        (1.0 GiB) of 1073741824 bytes (1.0 GiB) free); node-a is excluded as the
        source (the target must run elsewhere). The time-out (300 s (5 min) after the
        pod was made, 2026-01-01T10:05:00Z) ends the migration.
        Scheduling for at least 1m59s · ends by itself, at the latest
        2026-01-01T10:05:00Z · certain · MIG3010: kubectl mig explain MIG3010
        → Free capacity on another node (move or stop VMs) or add a node; the target
          asks for as much as the VM, its overhead included

      vmim/demo/mig-1  Scheduling
        ✓ Migration object created?  mig-1, 2m ago
        ✗ Target pod created?        virt-launcher-vm-a-tgt, Pending, on no node
        · Pending or running?        Scheduling, for at least 1m59s
        ✓ Policy and concurrency?    1 of 5 slots of the cluster in use, policy is
                                     resolved at hand-off
        ? Quota and storage?         nothing speaks against them; not in what was
                                     read: ResourceQuota, PersistentVolumeClaim
        ✗ The target pod of vm-a cannot be scheduled: Insufficient memory on 1 node
          MIG3010
            pod/demo/virt-launcher-vm-a-tgt PodScheduled=False Unschedulable: 0/2
            nodes are available: 1 node(s) didn't match pod anti-affinity rules, 1
            Insufficient memory.
        ✓ Nothing blocks a migration of vm-a: LiveMigratable is True MIG1000

      7 objects and 0 log lines read from test; the newest moment in it is
      2026-01-01T10:02:00Z; 11 of 12 checks carried out
        not in it, though checks ask for it: PersistentVolumeClaim"
    `)
  })

  test('on 120 columns, and no wider than that', () => {
    const lines = diagnosisText(full, terminal(200))
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120)
    expect(diagnosisText(full, terminal(120))).toEqual(lines)
  })

  test('in colour: what is bad is red, what is good is green', () => {
    const [first, ...rest] = diagnosisText(full, terminal(120, true))
    expect(first).toContain('\u001b[31m')
    expect(rest.join('\n')).toContain('\u001b[32m✓\u001b[39m Migration object created?')
  })

  test('of many subjects those with which something is wrong, and how many others', () => {
    const many = Array.from({ length: 12 }, (_, i) => [
      {
        ...migration(i < 8 ? 'Pending' : 'Succeeded'),
        metadata: {
          name: `m-${i}`,
          namespace: 'demo',
          uid: `m${i}`,
          creationTimestamp: '2026-01-01T10:00:00Z',
        },
        spec: { vmiName: `vm-${i}` },
      },
      vmi({}, { phase: i < 8 ? 'Scheduling' : 'Running' }, { name: `vm-${i}`, uid: `v${i}` }),
    ]).flat()
    const lines = diagnosisText(reportOn(many), pipe)
    expect(lines).toContain(
      'vmim/demo/m-7  Pending  vm-7 does not run yet: its VMI is Scheduling  MIG1015',
    )
    expect(lines).toContain('and 4 more subjects with which nothing is wrong')
  })

  test('commands are not broken, so that they can be copied', () => {
    const down = handler('node-b', { conditions: [{ type: 'Ready', status: 'False' }] })
    const report = reportOn(
      [migration('PreparingTarget'), vmi({}, handedOff()), source, target('node-b'), down],
      { now: LATER },
    )
    expect(diagnosisText(report, terminal(40))).toContain(
      '      kubectl -n kubevirt logs virt-handler-node-b --previous',
    )
  })

  test('escape sequences in what others wrote are shown, not sent', () => {
    const hostile = event(
      'VirtualMachineInstance/vm-a',
      'FailedCreate',
      'Error creating pod: \u001b]0;owned\u0007\u001b[2Jboo',
    )
    const text = diagnosisText(reportOn([migration('Pending'), vmi(), source, hostile]), pipe).join(
      '\n',
    )
    expect(text).toContain('\\x1b]0;owned\\x07\\x1b[2Jboo')
  })
})
