import { ANNOTATION, LABEL } from '../../kubevirt/labels.ts'
import { conditionOf } from '../../kubevirt/migration.ts'
import type { Condition, Pod, Vmi } from '../../kubevirt/types.ts'
import { evictionStrategyOf } from '../../rules/eviction.ts'
import { guestSpecOf } from './guest-spec.ts'
import type { HandlerContext } from './handler-context.ts'
import { judge, reportRunning, unplug } from './handler-domain.ts'
import { type KeyedQueue, keyedQueue } from './keyed-queue.ts'
import type { Launcher } from './launcher.ts'
import { migrationSource } from './migration-source.ts'
import { migrationTarget } from './migration-target.ts'

/** Plays virt-handler for one node: each VMI that concerns the node is brought to where its object says it should be. */
export function handlerQueue(context: HandlerContext): KeyedQueue {
  const { node, clock, vmis, launchers, events, log } = context
  const source = migrationSource(context, (key, ms) => queue.addLater(key, ms))
  const target = migrationTarget(context)

  async function reconcile(key: string): Promise<void> {
    if (!context.isUp()) return
    const vmi = vmis.get(key)
    if (vmi?.metadata.deletionTimestamp) await shutDown(vmi)
    else if (vmi) await run(vmi)
    // Each looks again: what the one has written concerns the other.
    await source.sync(key, vmis.get(key))
    await target.sync(key, vmis.get(key))
  }

  /** Starts the guest of a VMI that was scheduled here; one that runs takes over what can be changed. */
  async function run(vmi: Vmi): Promise<void> {
    if (vmi.status?.nodeName !== node) return
    const { dirtyRate } = guestSpecOf(vmi)
    for (const { launcher } of launchers.ofVmi(vmi.metadata.uid)) {
      if (launcher.domain.crashed) return crash(vmi, launcher)
      if (launcher.domain.state === 'running') launcher.setDirtyRate(dirtyRate)
    }
    if (vmi.status.phase === 'Running') return keep(vmi)
    if (vmi.status.phase !== 'Scheduled') return
    const own = launchers
      .ofVmi(vmi.metadata.uid)
      .find(({ pod }) => !pod.metadata.labels?.[LABEL.migrationJobUid])
    if (!own) return
    own.launcher.boot(guestSpecOf(vmi))
    if (own.launcher.domain.state !== 'running') return
    const at = {
      now: clock.now(),
      podIP: own.podIP,
      node: context.nodeObject(),
      kubevirt: context.kubevirt(),
    }
    const up = await vmis.update(vmi, (draft) => {
      if (draft.status?.phase === 'Scheduled') reportRunning(draft, at)
    })
    tellObstacle(up, conditionOf(up, 'LiveMigratable'))
    events.record(vmi, 'Normal', 'Created', 'VirtualMachineInstance defined.')
    events.record(vmi, 'Normal', 'Started', 'VirtualMachineInstance started.')
  }

  /** What it is to give up, and whether it could move, may be other than when it was started. */
  async function keep(vmi: Vmi): Promise<void> {
    const at = { node: context.nodeObject(), kubevirt: context.kubevirt() }
    let obstacle: Condition | undefined
    await vmis.update(vmi, (draft) => {
      obstacle = undefined
      if (draft.status?.nodeName !== node) return
      unplug(draft)
      obstacle = judge(draft, at)
    })
    tellObstacle(vmi, obstacle)
  }

  /** A VM that is to move when its node is drained, and can't. */
  function tellObstacle(vmi: Vmi, obstacle: Condition | undefined): void {
    const strategy = evictionStrategyOf(vmi, context.kubevirt())
    if (obstacle?.status !== 'False' || strategy !== 'LiveMigrate') return
    const message = `EvictionStrategy is set but vmi is not migratable; ${obstacle.message}`
    events.record(vmi, 'Warning', 'Migrated', message)
  }

  /** The guest has ended by itself, and its launcher with it. */
  async function crash(vmi: Vmi, launcher: Launcher): Promise<void> {
    await vmis.update(vmi, (draft) => {
      if (draft.status) draft.status.phase = 'Failed'
    })
    events.record(vmi, 'Warning', 'Stopped', 'The VirtualMachineInstance crashed.')
    await launcher.exit(1)
  }

  /** A VMI that is deleted takes its guest with it. */
  async function shutDown(vmi: Vmi): Promise<void> {
    const here = launchers.ofVmi(vmi.metadata.uid)
    if (here.length > 0) events.record(vmi, 'Normal', 'Deleted', 'Signaled Deletion')
    await Promise.all(here.map(({ launcher }) => launcher.exit(0)))
    if (vmi.status?.nodeName !== node) return
    await shutDownInOrder(context, vmi)
  }

  const queue = keyedQueue(reconcile, {
    clock,
    onError: (key, err) =>
      log({
        level: 'error',
        msg: 'Synchronizing the VirtualMachineInstance failed.',
        name: key,
        reason: String(err),
      }),
  })
  return queue
}

/** The pod of a guest that runs here is to go, and nobody moved the guest: it is shut down, which is no failure. */
export async function stopGuest(context: HandlerContext, { metadata }: Pod): Promise<void> {
  const { node, vmis, launchers, isUp } = context
  const { namespace, name, labels, annotations } = metadata
  const here = launchers.ofPod(namespace ?? '', name)
  if (!isUp() || here?.launcher.domain.state !== 'running') return
  const vmi = vmis.get(`${namespace}/${annotations?.[ANNOTATION.domain]}`)
  if (vmi?.metadata.uid !== labels?.[LABEL.createdBy] || vmi?.status?.nodeName !== node) return
  await shutDownInOrder(context, vmi)
}

async function shutDownInOrder({ vmis, events }: HandlerContext, vmi: Vmi): Promise<void> {
  const phase = vmi.status?.phase
  if (phase === 'Failed' || phase === 'Succeeded') return
  await vmis.update(vmi, (draft) => {
    if (draft.status && draft.status.phase !== 'Failed') draft.status.phase = 'Succeeded'
  })
  events.record(vmi, 'Normal', 'Stopped', 'The VirtualMachineInstance was shut down.')
}
