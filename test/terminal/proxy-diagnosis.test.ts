import { describe, expect, test } from 'vitest'
import { probePlanReport } from '../../src/diagnose/probe-plan-report.ts'
import { planProbes } from '../../src/evidence/cluster/probe-plan.ts'
import { createObjects } from '../../src/evidence/objects.ts'
import { objectsIn } from '../../src/evidence/shape.ts'
import type { Migration, Vmi } from '../../src/kubevirt/types.ts'
import { parseTcpTable } from '../../src/probe/socket-table.ts'
import { diagnosisText } from '../../src/terminal/diagnosis.ts'
import { probePlanLines } from '../../src/terminal/probe-plan-view.ts'
import { createTheme } from '../../src/terminal/theme.ts'
import { ADDRESS, copying, established, probe, read } from '../diagnose/proxies.ts'
import { migration, reportOn, vmi } from '../diagnose/world.ts'

const env = { LANG: 'C.UTF-8' }
const pipe = { theme: createTheme({ isTTY: false, env }), interactive: false, columns: () => 80 }
const terminal = (columns: number, color = false) => ({
  theme: createTheme({ isTTY: true, color, env }),
  interactive: true,
  columns: () => columns,
})

const rows = [
  established(35001),
  established(41068),
  `SYN-SENT 0 1 10.9.0.1:50112 ${ADDRESS}:38284`,
]
const blocked = reportOn(copying(), {
  probes: [probe({ source: { connections: read(parseTcpTable(rows.join('\n'))) } })],
})
const frame = (lines: string[]) => lines.join('\n')

describe('diagnose proxy for a person: the channels before all', () => {
  test('at 80 columns', () => {
    expect(frame(diagnosisText(blocked, terminal(80)))).toMatchInlineSnapshot(`
      "CHANNEL        PORT    MAP       LISTENER   SOURCE SOCKET   CONNECTIONS
      0 control      35001   ✓ right   ✓ open     ✓ live          ✓ 1, 488 KiB in 2s
      49152 memory   41068   ✓ right   ✓ open     ✓ live          ✓ 1, 488 KiB in 2s
      49153 disks    38284   ✓ right   ✓ open     ✓ live          ✗ SYN-SENT

      10.9.0.2 does not answer at port 38284 (label 49153, disks (NBD)): SYN-SENT
        Packets to it are dropped, while the same address is connected at port 35001
        and 41068: a firewall lets only some ports through. Labels such as 49152 and
        49153 are never on the wire: the ports are random (32768–60999).
        Running for 1m57s · likely · MIG7001: kubectl mig explain MIG7001
        → Allow TCP from virt-handler to virt-handler on the whole ephemeral range
          (32768–60999), on the network that this address is of
        → See whether a NetworkPolicy stands in the way
            kubectl -n kubevirt get networkpolicy

      vmim/demo/mig-1  Running
        ✓ Migration object created?  mig-1, 2m ago
        ✓ Target pod created?        virt-launcher-vm-a-tgt, Running, on node-b
        ✓ Pending or running?        Running, for 1m57s
        ✓ Policy and concurrency?    1 of 5 slots of the cluster in use, policy none
        · Quota and storage?         nothing speaks against them; not in what was
                                     read: ResourceQuota, PersistentVolumeClaim
        ✗ 10.9.0.2 does not answer at port 38284 (label 49153, disks (NBD)): SYN-SENT
          MIG7001
            pod/kubevirt/virt-handler-node-a ss -tanH: SYN-SENT Recv-Q 0 Send-Q 1
            10.9.0.1:50112 10.9.0.2:38284
        · vm-a is being migrated: Running for at least 10s, the copy is in progress
          MIG8000
        ✓ Nothing blocks a migration of vm-a: LiveMigratable is True MIG1000

      7 objects and 0 log lines read from test at 2026-01-01T10:02:00Z; 21 of 26
      checks carried out
        not in it, though checks ask for it: Node, MigrationPolicy, ConfigMap,
        NetworkPolicy, PersistentVolumeClaim"
    `)
  })

  test('at 120 columns', () => {
    expect(frame(diagnosisText(blocked, terminal(120)))).toMatchInlineSnapshot(`
      "CHANNEL        PORT    MAP       LISTENER   SOURCE SOCKET   CONNECTIONS
      0 control      35001   ✓ right   ✓ open     ✓ live          ✓ 1, 488 KiB in 2s
      49152 memory   41068   ✓ right   ✓ open     ✓ live          ✓ 1, 488 KiB in 2s
      49153 disks    38284   ✓ right   ✓ open     ✓ live          ✗ SYN-SENT

      10.9.0.2 does not answer at port 38284 (label 49153, disks (NBD)): SYN-SENT
        Packets to it are dropped, while the same address is connected at port 35001 and 41068: a firewall lets only some
        ports through. Labels such as 49152 and 49153 are never on the wire: the ports are random (32768–60999).
        Running for 1m57s · likely · MIG7001: kubectl mig explain MIG7001
        → Allow TCP from virt-handler to virt-handler on the whole ephemeral range (32768–60999), on the network that this
          address is of
        → See whether a NetworkPolicy stands in the way
            kubectl -n kubevirt get networkpolicy

      vmim/demo/mig-1  Running
        ✓ Migration object created?  mig-1, 2m ago
        ✓ Target pod created?        virt-launcher-vm-a-tgt, Running, on node-b
        ✓ Pending or running?        Running, for 1m57s
        ✓ Policy and concurrency?    1 of 5 slots of the cluster in use, policy none
        · Quota and storage?         nothing speaks against them; not in what was read: ResourceQuota, PersistentVolumeClaim
        ✗ 10.9.0.2 does not answer at port 38284 (label 49153, disks (NBD)): SYN-SENT MIG7001
            pod/kubevirt/virt-handler-node-a ss -tanH: SYN-SENT Recv-Q 0 Send-Q 1 10.9.0.1:50112 10.9.0.2:38284
        · vm-a is being migrated: Running for at least 10s, the copy is in progress MIG8000
        ✓ Nothing blocks a migration of vm-a: LiveMigratable is True MIG1000

      7 objects and 0 log lines read from test at 2026-01-01T10:02:00Z; 21 of 26 checks carried out
        not in it, though checks ask for it: Node, MigrationPolicy, ConfigMap, NetworkPolicy, PersistentVolumeClaim"
    `)
  })

  test('through a pipe nothing is cut', () => {
    expect(frame(diagnosisText(blocked, pipe).slice(0, 5))).toMatchInlineSnapshot(`
      "CHANNEL        PORT    MAP       LISTENER   SOURCE SOCKET   CONNECTIONS
      0 control      35001   ✓ right   ✓ open     ✓ live          ✓ 1, 488 KiB in 2s
      49152 memory   41068   ✓ right   ✓ open     ✓ live          ✓ 1, 488 KiB in 2s
      49153 disks    38284   ✓ right   ✓ open     ✓ live          ✗ SYN-SENT
      "
    `)
  })

  test('in colour what is wrong stands out', () => {
    const [, control, , disk] = diagnosisText(blocked, terminal(120, true))
    expect(control).toContain('\u001b[32m✓ open\u001b[39m')
    expect(disk).toContain('\u001b[31m✗ SYN-SENT\u001b[39m')
  })

  test('what was not read is no cross and no tick', () => {
    const report = reportOn(copying(), { probes: [{ migrationUid: 'u1', rung: 'none' }] })
    expect(frame(diagnosisText(report, pipe).slice(0, 4))).toMatchInlineSnapshot(`
      "CHANNEL        PORT    MAP       LISTENER     SOURCE SOCKET   CONNECTIONS
      0 control      35001   ✓ right   ? not read   ? not read      ? not read
      49152 memory   41068   ✓ right   ? not read   ? not read      ? not read
      49153 disks    38284   ✓ right   ? not read   ? not read      ? not read"
    `)
  })

  test('before hand-off there is nothing to look at', () => {
    const report = reportOn([migration('Scheduling'), vmi()], { probes: [] })
    expect(diagnosisText(report, pipe)[0]).toBe(
      'No proxy is open: no migration has been handed off to virt-handler',
    )
  })
})

describe('a dry run', () => {
  const objects = createObjects()
  for (const item of objectsIn(copying()).items) objects.add(item, 'test')
  const plan = planProbes(
    objects,
    objects.list<Migration>('VirtualMachineInstanceMigration')[0]!,
    objects.list<Vmi>('VirtualMachineInstance')[0],
  )!
  const lines = (rung: 'none' | 'exec' | 'connect') =>
    frame(probePlanLines(probePlanReport([plan], rung, 0), pipe))

  test('says which commands and what a connection leaves behind', () => {
    expect(lines('connect')).toMatchInlineSnapshot(`
      "vmim/demo/mig-1
      By exec would be run, read-only, each ended after five seconds:
        in pod/kubevirt/virt-handler-node-a, container virt-handler (node-a, the source):
          ip -br addr show
          ss -tinH state established   2 times, 2s apart
          ss -tanH
          ss -xlH
          ip route get 10.9.0.2
          cat /etc/virt-handler/migrationservercertificates/tls.crt
        in pod/kubevirt/virt-handler-node-b, container virt-handler (node-b, the target):
          ip -br addr show
          ss -tinH state established   2 times, 2s apart
          ss -ltnH
          cat /etc/virt-handler/servercertificates/tls.crt
      Then, once each, never to the ports of labels 49152 and 49153:
        a TCP connection from pod/kubevirt/virt-handler-node-a to 10.9.0.2:35001 (label 0); it leaves a connection to virtqemud that stays until the target's launcher ends
        a TLS handshake without a certificate from port-forward by the API server to port 35001 of pod/kubevirt/virt-handler-node-b (label 0); it leaves a connection to virtqemud that stays until the target's launcher ends"
    `)
  })

  test('says so where it would not connect', () => {
    expect(lines('exec')).toContain('With --probe=connect also, once each, never to the ports of')
    expect(lines('none')).toContain('With --probe=none nothing would be run on any node')
  })

  test('of what has no proxies', () => {
    expect(probePlanLines(probePlanReport([], 'exec', 0), pipe)).toEqual([
      'No migration has proxies now: nothing would be run on any node',
    ])
  })
})
