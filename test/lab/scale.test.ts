import { expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { startInformer } from '../../src/cluster/informer.ts'
import { create, list } from '../../src/cluster/objects.ts'
import { isFinal, phaseOf, timeOf } from '../../src/kubevirt/migration.ts'
import { MIGRATIONS, VMIS } from '../../src/kubevirt/resources.ts'
import type { Migration, Vmi } from '../../src/kubevirt/types.ts'
import { startLab } from '../../src/lab/lab.ts'

const COUNT = 200
const WAITING = ['', 'Pending']

test('of 200 migrations at once five run, two out of a node, and all end', async () => {
  const lab = await startLab({
    name: `scale-${process.pid}`,
    nodes: 10,
    vms: COUNT,
    guest: 'none',
    clock: systemClock,
  })
  const admin = await lab.connect('admin')
  const homes = new Map<string, string>()
  for (const { metadata, status } of (await list<Vmi>(admin, VMIS, { namespace: 'default' })).items)
    homes.set(metadata.name, status?.nodeName ?? '')

  const all = new Map<string, Migration>()
  const ended = Promise.withResolvers<void>()
  let [most, mostOfNode] = [0, 0]
  const watching = startInformer<Migration>(admin, MIGRATIONS, {
    namespace: 'default',
    onChange({ type, object }) {
      if (type === 'DELETED') return
      all.set(object.metadata.name, object)
      const active = [...all.values()].filter(
        (migration) => !WAITING.includes(phaseOf(migration)) && !isFinal(migration),
      )
      most = Math.max(most, active.length)
      const byNode = Map.groupBy(active, ({ spec }) => homes.get(spec.vmiName ?? ''))
      for (const [, group] of byNode) mostOfNode = Math.max(mostOfNode, group.length)
      if (all.size === COUNT && [...all.values()].every(isFinal)) ended.resolve()
    },
  })
  try {
    await watching.synced
    const began = Date.now()
    await Promise.all(
      [...homes.keys()].map((vmiName) =>
        create(
          admin,
          MIGRATIONS,
          {
            apiVersion: 'kubevirt.io/v1',
            kind: 'VirtualMachineInstanceMigration',
            metadata: { name: `${vmiName}-move`, namespace: 'default' },
            spec: { vmiName },
          },
          { namespace: 'default' },
        ),
      ),
    )
    await ended.promise
    const took = Date.now() - began
    expect([...all.values()].map(phaseOf)).toEqual(Array(COUNT).fill('Succeeded'))
    expect(most).toBe(5)
    expect(mostOfNode).toBe(2)
    // With 195 others in the queue: once under way, nothing waits for them.
    expect(Math.max(...[...all.values()].map(activeFor))).toBeLessThan(took / 3)
  } finally {
    await watching.close()
    await admin.close()
    await lab.close()
  }
}, 180_000)

/** From the target pod to the end, ms. */
function activeFor({ status }: Migration): number {
  const at = (wanted: string) =>
    timeOf(
      status?.phaseTransitionTimestamps?.find(({ phase }) => phase === wanted)
        ?.phaseTransitionTimestamp,
    ) ?? 0
  return at('Succeeded') - at('Scheduling')
}
