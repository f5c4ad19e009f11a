import { LABEL } from '../../kubevirt/labels.ts'
import { isStateOver } from '../../kubevirt/migration.ts'
import { timestamp } from '../../kubevirt/time.ts'
import type { MigrationState, Vmi } from '../../kubevirt/types.ts'
import type { HandlerContext, LauncherPod } from './handler-context.ts'
import { interfacesOf, PAUSED_BY_MONITOR } from './handler-domain.ts'

/** The target virt-handler's part in a migration (fact sheet data-plane.md §3.2, steps 2, 3, 9, 11 to 13). */
export interface MigrationTarget {
  /** @param vmi undefined when the VMI concerns this node no more */
  sync(key: string, vmi: Vmi | undefined): Promise<void>
}

/** How long the source may take to hang up after all is done, ms. */
const QUIET_MS = 5000

/** What a VM may have waited for that the move has brought. */
const SETTLED = new Set(['MigrationRequired', 'VolumesChange', 'HotVCPUChange', 'HotMemoryChange'])

/** A VM that is on its way to this node. */
interface Arriving {
  vmiUid: string
  migrationUid: string
  since: number
}

export function migrationTarget(context: HandlerContext): MigrationTarget {
  const { node, clock, proxies, launchers, events, vmis, log } = context
  const arriving = new Map<string, Arriving>()

  async function sync(key: string, vmi: Vmi | undefined): Promise<void> {
    const state = vmi?.status?.migrationState
    const known = arriving.get(key)
    if (known && known.migrationUid !== state?.migrationUid) await release(key, known)
    if (!vmi || !state?.migrationUid || state.targetNode !== node) return
    const isLabelled = vmi.metadata.labels?.[LABEL.migrationTargetNode] === node
    if (isStateOver(state)) {
      const to = launchers.ofPod(vmi.metadata.namespace, state.targetPod)
      // The last answer must still reach the source.
      if (known && to && !state.failed) await to.launcher.quiet(QUIET_MS)
      if (known) await release(key, known)
      if (isLabelled) await cleanUp(vmi, state)
      return
    }
    if (!isLabelled) return
    const to = launchers.ofPod(vmi.metadata.namespace, state.targetPod)
    if (!to) return
    if (!isPrepared(key)) await prepare(key, vmi, state.migrationUid, to)
    const prepared = arriving.get(key)
    if (prepared) await follow(vmi, prepared, to)
  }

  /** A virt-handler that was started anew listens for nobody yet. */
  function isPrepared(key: string): boolean {
    const known = arriving.get(key)
    if (!known) return false
    if (context.faults.of('ListenerDies')) return true
    return Object.keys(proxies.manager.targetListenerPorts(known.vmiUid)).length > 0
  }

  async function prepare(key: string, vmi: Vmi, migrationUid: string, to: LauncherPod) {
    const vmiUid = vmi.metadata.uid ?? ''
    const block = vmi.status?.migrationMethod === 'BlockMigration'
    try {
      await proxies.manager.startTargetListener(vmiUid, to.launcher.targetFiles(vmiUid, block))
    } catch (err) {
      const message = `failed to handle post sync migration proxy: ${(err as Error).message}`
      events.record(vmi, 'Warning', 'SyncFailed', message)
      throw err
    }
    arriving.set(key, { vmiUid, migrationUid, since: clock.now() })
    const prepared = 'VirtualMachineInstance Migration Target Prepared.'
    events.record(vmi, 'Normal', 'PreparingTarget', prepared)
  }

  async function follow(vmi: Vmi, { vmiUid, migrationUid, since }: Arriving, to: LauncherPod) {
    const { domain } = to.launcher
    const { address } = proxies
    const isPublished = vmi.status?.migrationState?.targetNodeAddress === address
    const own = proxies.manager.targetListenerPorts(vmiUid)
    const ports = isPublished ? own : await context.publish(vmiUid, own)
    const published = await vmis.update(vmi, (draft) => {
      const state = draft.status?.migrationState
      if (state?.migrationUid !== migrationUid || isStateOver(state)) return
      if (state.targetNodeAddress !== address) {
        state.targetNodeAddress = address
        state.targetDirectMigrationNodePorts = ports
      }
      if (domain.state === 'none') return
      state.targetNodeDomainDetected = true
      if (domain.state === 'running')
        state.targetNodeDomainReadyTimestamp ??= timestamp(clock.now())
    })
    if (!isPublished) {
      const message = `Migration Target is listening at ${address}, on ports: ${Object.keys(ports).join(',')}`
      events.record(vmi, 'Normal', 'PreparingTarget', message)
    }
    if (domain.arrivedAt === undefined) return
    const arrivedAt = domain.arrivedAt
    await vmis.update(published, (draft) => complete(draft, { migrationUid, arrivedAt, since, to }))
    log({
      level: 'info',
      msg: 'The target node detected that the migration has completed',
      uid: vmiUid,
    })
    const message = `The VirtualMachineInstance migrated to node ${node}.`
    events.record(vmi, 'Normal', 'Migrated', message)
  }

  /** The VM has arrived: from now on it is this node's. */
  function complete(
    draft: Vmi,
    at: { migrationUid: string; arrivedAt: number; since: number; to: LauncherPod },
  ): void {
    const { status, metadata } = draft
    const state = status?.migrationState
    if (!status || state?.migrationUid !== at.migrationUid || isStateOver(state)) return
    state.startTimestamp ??= timestamp(at.since)
    state.endTimestamp = timestamp(at.arrivedAt)
    state.completed = true
    status.nodeName = node
    status.interfaces = interfacesOf(draft, at.to.podIP)
    delete status.evacuationNodeName
    delete status.launcherContainerImageVersion
    delete status.migratedVolumes
    plugIn(draft)
    status.conditions = (status.conditions ?? []).filter(
      ({ type, reason }) => !SETTLED.has(type) && reason !== PAUSED_BY_MONITOR,
    )
    metadata.labels = { ...metadata.labels, [LABEL.nodeName]: node }
    delete metadata.labels[LABEL.migrationTargetNode]
    delete metadata.labels[LABEL.outdatedLauncherImage]
    if (metadata.annotations) delete metadata.annotations['kubevirt.io/eviction-source']
  }

  /** After a failure: the launcher that waited in vain ends, and the VMI is no longer this node's business. */
  async function cleanUp(vmi: Vmi, state: MigrationState): Promise<void> {
    if (state.failed) {
      const to = launchers.ofPod(vmi.metadata.namespace, state.targetPod)
      if (to) {
        log({
          level: 'info',
          msg: 'Signaled target pod for failed migration to clean up',
          uid: vmi.metadata.uid ?? '',
        })
        await to.launcher.exit(0)
      }
    }
    await vmis.update(vmi, (draft) => {
      if (draft.metadata.labels?.[LABEL.migrationTargetNode] === node)
        delete draft.metadata.labels[LABEL.migrationTargetNode]
    })
  }

  async function release(key: string, { vmiUid }: Arriving): Promise<void> {
    arriving.delete(key)
    await proxies.manager.stopTargetListener(vmiUid)
    context.unpublish(vmiUid)
  }

  return { sync }
}

/** CPUs and memory that the new launcher has room for are the guest's from now on. */
function plugIn({ spec, status }: Vmi): void {
  const waits = (type: string) => status?.conditions?.some((condition) => condition.type === type)
  if (!status) return
  const { cores = 1, sockets = 1, threads = 1 } = spec.domain?.cpu ?? {}
  if (waits('HotVCPUChange')) status['currentCPUTopology'] = { cores, sockets, threads }
  const guest = spec.domain?.memory?.guest
  if (waits('HotMemoryChange') && guest !== undefined) {
    const memory = status['memory'] as object | undefined
    status['memory'] = { ...memory, guestRequested: guest, guestCurrent: guest }
  }
}
