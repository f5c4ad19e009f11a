import { afterAll } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { type Lab, type LabOptions, startLab } from '../../src/lab/lab.ts'

/**
 * A lab for the tests of a file, with its admin; closed behind them. To be awaited where tests are declared.
 * @param options its name gets this process' id; without more: two nodes, no VMs, no guests
 */
export async function runningLab(
  options: Pick<LabOptions, 'name'> & Partial<LabOptions>,
): Promise<{ lab: Lab; admin: Cluster }> {
  const lab = await startLab({
    nodes: 2,
    vms: 0,
    guest: 'none',
    clock: systemClock,
    ...options,
    name: `${options.name}-${process.pid}`,
  })
  const admin = await lab.connect('admin')
  afterAll(async () => {
    await admin.close()
    await lab.close()
  })
  return { lab, admin }
}
