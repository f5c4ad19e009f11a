import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { exec } from '../../../src/cluster/exec.ts'
import { readHandlerMetrics } from '../../../src/cluster/handler-metrics.ts'
import { create, get, list } from '../../../src/cluster/objects.ts'
import { MIGRATIONS, PODS } from '../../../src/kubevirt/resources.ts'
import type { Migration, Pod } from '../../../src/kubevirt/types.ts'
import { startLab } from '../../../src/lab/lab.ts'
import { findBinaries } from '../../../src/lab/real-api/binaries.ts'
import { LISTENERS } from '../../../src/probe/commands.ts'

const binaries = await findBinaries(process.env)

test.skipIf(!binaries)(
  'a whole lab on a real API server moves a VM',
  async () => {
    const lab = await startLab({
      name: `real-${process.pid}`,
      nodes: 2,
      vms: 1,
      guest: 'synthetic',
      memory: '8Mi',
      clock: systemClock,
      binaries,
    })
    onTestFinished(() => lab.close())
    const admin = await lab.connect('admin')
    onTestFinished(() => admin.close())
    const migration = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceMigration',
      metadata: { name: 'move' },
      spec: { vmiName: 'vm-1' },
    }
    await create(admin, MIGRATIONS, migration, { namespace: 'default' })
    const second = create(
      admin,
      MIGRATIONS,
      { ...migration, metadata: { name: 'again' } },
      { namespace: 'default' },
    )
    await expect(second).rejects.toThrow(
      /admission webhook "migration-create-validator.kubevirt.io" denied the request: in-flight migration detected/,
    )
    const phase = async () =>
      (await get<Migration>(admin, MIGRATIONS, { namespace: 'default', name: 'move' })).status
        ?.phase
    await expect.poll(phase, { timeout: 60_000, interval: 200 }).toBe('Succeeded')

    // By way of the kubelets, as on any cluster.
    const { items } = await list<Pod>(admin, PODS, {
      namespace: 'kubevirt',
      labelSelector: 'kubevirt.io=virt-handler',
    })
    const { signal } = new AbortController()
    for (const { metadata } of items) {
      const pod = metadata.name
      const handler = { namespace: 'kubevirt', pod }
      const log = await admin.text({ path: `/api/v1/namespaces/kubevirt/pods/${pod}/log` })
      expect(log).toContain('"component":"virt-handler"')
      const container = { ...handler, container: 'virt-handler' }
      const options = { signal, timeoutMs: 5000 }
      const { stdout } = await exec(admin, container, LISTENERS.argv, options)
      if (process.platform === 'linux') expect(LISTENERS.parse(stdout)).not.toEqual([])
      await readHandlerMetrics(admin, handler, signal)
    }
  },
  180_000,
)
