import { expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { create, list, patch } from '../../src/cluster/objects.ts'
import { phaseOf } from '../../src/kubevirt/migration.ts'
import { KUBEVIRTS, MIGRATIONS } from '../../src/kubevirt/resources.ts'
import type { Migration } from '../../src/kubevirt/types.ts'
import { startLab } from '../../src/lab/lab.ts'

test('a lab whose VMs are being copied ends at once, each node in order', async () => {
  const cut: unknown[] = []
  const lab = await startLab({
    name: `shutdown-${process.pid}`,
    nodes: 3,
    vms: 4,
    guest: 'synthetic',
    memory: '64Mi',
    clock: systemClock,
  })
  try {
    const admin = await lab.connect('admin')
    // So slow that the copies stay under way until the lab ends.
    const configuration = { migrations: { bandwidthPerMigration: '2Mi' } }
    const kubevirt = { namespace: 'kubevirt', name: 'kubevirt' }
    await patch(admin, KUBEVIRTS, kubevirt, { spec: { configuration } }, 'merge')
    for (const vmiName of ['vm-1', 'vm-2', 'vm-3']) {
      const migration = {
        apiVersion: 'kubevirt.io/v1',
        kind: 'VirtualMachineInstanceMigration',
        metadata: { name: `${vmiName}-move`, namespace: 'default' },
        spec: { vmiName },
      }
      await create(admin, MIGRATIONS, migration, { namespace: 'default' })
    }
    await expect
      .poll(
        async () =>
          (await list<Migration>(admin, MIGRATIONS, {})).items.filter(
            (migration) => phaseOf(migration) === 'Running',
          ).length,
        { timeout: 20_000 },
      )
      .toBeGreaterThan(1)
    await admin.close()
    for (const node of lab.nodes) {
      const late = setTimeout(() => cut.push(node.name), 4500)
      void node.ended.then(() => clearTimeout(late))
    }
  } finally {
    await lab.close()
  }
  expect(cut).toEqual([])
}, 40_000)
