import { isStateOver } from '../../kubevirt/migration.ts'
import { parseQuantity, unitsOf, ZERO } from '../../kubevirt/quantity.ts'
import { timestamp } from '../../kubevirt/time.ts'
import type { Condition, MigrationState, Vmi } from '../../kubevirt/types.ts'
import { copyLimits } from '../../rules/convergence.ts'
import { parallelConnections } from '../../rules/parallel-connections.ts'
import { guestSpecOf } from './guest-spec.ts'
import type { HandlerContext, LauncherPod } from './handler-context.ts'
import { PAUSED_BY_MONITOR } from './handler-domain.ts'
import type { MigrationRecord } from './outgoing-migration.ts'
import { keyOf } from './vmi-view.ts'

/** QEMU's own limit, which KubeVirt leaves as it is unless a smaller one is configured (fact sheet data-plane.md §4.6). */
const QEMU_DOWNTIME_MS = 300

/** The target has so long to show the domain after the copy has ended (fact sheet data-plane.md §3.7), ms. */
const OBSERVED_WITHIN_MS = 60_000
const NEVER_OBSERVED =
  "The VirtualMachineInstance's domain was never observed on the target after the migration completed within the timeout period."

const PAUSED: Condition = {
  type: 'Paused',
  status: 'True',
  reason: PAUSED_BY_MONITOR,
  message: 'VMI was paused by the migration monitor',
  lastProbeTime: null,
  lastTransitionTime: null,
}

/** A VM that this node is sending away, or has sent. */
interface Departure {
  vmi: Vmi
  vmiUid: string
  from: LauncherPod
  migrationUid: string
  told: boolean
}

/** The source virt-handler's part in a migration (fact sheet data-plane.md §3.2, steps 5 to 8 and 13). */
export interface MigrationSource {
  /** @param vmi undefined when the VMI concerns this node no more */
  sync(key: string, vmi: Vmi | undefined): Promise<void>
}

/** @param later looks at a VMI again after so many ms */
export function migrationSource(
  context: HandlerContext,
  later: (key: string, ms: number) => void,
): MigrationSource {
  const { node, clock, proxies, launchers, events, vmis, log } = context
  const departures = new Map<string, Departure>()

  async function sync(key: string, vmi: Vmi | undefined): Promise<void> {
    const known = departures.get(key)
    const state = vmi?.status?.migrationState
    if (known && known.migrationUid !== state?.migrationUid) await release(key, known, vmi)
    if (!vmi || !state?.migrationUid || state.sourceNode !== node) return
    if (isStateOver(state)) {
      if (known) await release(key, known, vmi)
      return
    }
    const departure = departures.get(key) ?? (await depart(vmi, state))
    if (departure) await follow(vmi, state, departure)
  }

  /** Starts the copy once the target listens; undefined while it does not. */
  async function depart(vmi: Vmi, state: MigrationState): Promise<Departure | undefined> {
    const from = launchers.ofPod(vmi.metadata.namespace, state.sourcePod)
    const { migrationUid = '', targetNodeAddress, targetDirectMigrationNodePorts: ports } = state
    if (!ports || !targetNodeAddress || !from || from.launcher.domain.state === 'none') return
    const vmiUid = vmi.metadata.uid ?? ''
    const configuration = state.migrationConfiguration ?? {}
    const spec = guestSpecOf(vmi)
    const settings = {
      bandwidth: unitsOf(parseQuantity(configuration.bandwidthPerMigration) ?? ZERO),
      maxDowntimeMs: Math.min(Number(configuration.maxDowntimeMs ?? 900), QEMU_DOWNTIME_MS),
      autoConverge: configuration.allowAutoConverge ?? false,
      postCopy: configuration.allowPostCopy ?? false,
      connections: parallelConnections(vmi),
    }
    const limits = copyLimits(configuration, vmi, spec.diskBytes)
    const map = Object.fromEntries(Object.entries(ports).map(([port, label]) => [port, +label]))
    try {
      await proxies.manager.startSourceListener(
        vmiUid,
        targetNodeAddress,
        map,
        from.launcher.baseDir,
      )
      const block = vmi.status?.migrationMethod === 'BlockMigration'
      from.launcher.migrate({ uid: migrationUid, vmiUid, block, spec, settings, limits })
    } catch (err) {
      const message = `failed to handle migration proxy: ${(err as Error).message}`
      events.record(vmi, 'Warning', 'SyncFailed', message)
      throw err
    }
    const effective = JSON.stringify({ ...settings, ...limits })
    log({
      level: 'info',
      msg: `migration options matched for vmi ${vmi.metadata.name}: ${effective}`,
      uid: vmiUid,
    })
    events.record(vmi, 'Normal', 'Migrating', 'VirtualMachineInstance is migrating.')
    const departure = { vmi, vmiUid, from, migrationUid, told: false }
    departures.set(keyOf(vmi), departure)
    return departure
  }

  async function follow(vmi: Vmi, state: MigrationState, departure: Departure): Promise<void> {
    const { launcher } = departure.from
    if (state.abortRequested && launcher.domain.outgoing?.abortStatus === undefined) {
      if (launcher.cancelMigration(departure.migrationUid))
        events.record(vmi, 'Normal', 'Migrating', 'VirtualMachineInstance is aborting migration.')
    }
    // As it is now: it goes on changing while the VMI is written.
    const record = launcher.domain.outgoing && { ...launcher.domain.outgoing }
    if (record?.uid !== departure.migrationUid) return
    const reported = await vmis.update(vmi, (draft) => report(draft, record))
    if (reported.status?.migrationState?.failed) launcher.settleMigration()
    if (record.endedAt === undefined) return
    if (!record.failed) await expectTarget(vmi, record.endedAt, departure)
    if (departure.told) return
    tell(departure)
    if (!reported.status?.migrationState?.failed) return
    const message = `VirtualMachineInstance migration uid ${record.uid} failed. reason:${record.failureReason}`
    events.record(vmi, 'Warning', 'Migrated', message)
  }

  /** The copy has ended well: now the target has to show the domain, or the VM is lost. */
  async function expectTarget(vmi: Vmi, endedAt: number, { told }: Departure): Promise<void> {
    const left = endedAt + OBSERVED_WITHIN_MS - clock.now()
    if (left > 0) {
      if (!told) later(keyOf(vmi), left)
      return
    }
    await vmis.update(vmi, (draft) => {
      if (draft.status) draft.status.phase = 'Failed'
    })
    events.record(vmi, 'Warning', 'Migrated', NEVER_OBSERVED)
  }

  /** Stops the listeners; a guest that has gone takes its launcher with it. */
  async function release(key: string, departure: Departure, vmi: Vmi | undefined): Promise<void> {
    const { launcher } = departure.from
    const record = launcher.domain.outgoing
    const isHere = vmi?.status?.nodeName === node
    if (record?.uid === departure.migrationUid && record.endedAt === undefined) {
      // Its end brings us here again. The target may say that all is done before our launcher has heard it over the
      // proxy; but a copy that nobody waits for any more is stopped.
      if (isHere) launcher.cancelMigration(departure.migrationUid)
      return
    }
    await proxies.manager.stopSourceListener(departure.vmiUid)
    tell(departure)
    departures.delete(key)
    if (!isHere || launcher.domain.state === 'ended') await launcher.exit(0)
  }

  function tell(departure: Departure): void {
    if (departure.told) return
    departure.told = true
    context.onEnded(departure.vmi, departure.from.launcher)
  }

  return { sync }
}

/** The launcher's record as it stands in the VMI; success is the target's to declare. */
function report(draft: Vmi, record: Readonly<MigrationRecord>): void {
  const state = draft.status?.migrationState
  if (!draft.status || state?.migrationUid !== record.uid || isStateOver(state)) return
  state.startTimestamp ??= timestamp(record.startedAt)
  state.mode = record.mode
  if (record.abortStatus) state.abortStatus = record.abortStatus
  markPaused(draft.status, record)
  if (!record.failed || record.endedAt === undefined) return
  state.endTimestamp = timestamp(record.endedAt)
  state.completed = true
  state.failed = true
  state.failureReason = record.failureReason ?? ''
  if (record.irrecoverable) draft.status.phase = 'Failed'
}

/** A guest that was suspended so that its copy could end shows it, until that end. */
function markPaused(status: NonNullable<Vmi['status']>, record: Readonly<MigrationRecord>): void {
  const others = (status.conditions ?? []).filter(({ reason }) => reason !== PAUSED.reason)
  const isPaused = record.mode === 'Paused' && record.endedAt === undefined
  const known = status.conditions?.find(({ reason }) => reason === PAUSED.reason)
  if (isPaused) status.conditions = [...others, known ?? PAUSED]
  else if (known) status.conditions = others
}
