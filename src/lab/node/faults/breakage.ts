import type { Clock } from '../../../clock.ts'
import { LABEL_DISK } from '../../../kubevirt/ports.ts'
import { parseQuantity, unitsOf, ZERO } from '../../../kubevirt/quantity.ts'
import type { ProxyLog, ProxyRecord } from '../../../proxy/log.ts'
import type { PortMap } from '../../../proxy/port-map.ts'
import type { ProxyTls } from '../../../proxy/tls.ts'
import type { KeyPair } from '../../certificates.ts'
import type { HandlerIdentity } from '../certificates.ts'
import type { HandlerLife } from '../handler-life.ts'
import type { Launcher } from '../launcher.ts'
import { blockPort } from './blocked-port.ts'
import { certificateFault, faultyCertificates } from './identity.ts'
import { createLink } from './link.ts'
import type { NodeFaults } from './node-faults.ts'
import type { RelayedPort } from './relayed-port.ts'

/** What the faults of a node do to what runs on it. */
export interface Breakage {
  /** What virt-handler shows and trusts now. */
  identity(): ProxyTls & HandlerIdentity['certificates']
  /** Whether others may dislike its certificates. */
  isRefused(): boolean
  /** A line of the proxy, as the node tells of it: at the ports that are published. */
  tell(record: ProxyRecord): void
  /** See HandlerContext. */
  publish(vmiUid: string, ports: PortMap): Promise<PortMap>
  /** Nobody comes for the VMI any more. */
  unpublish(vmiUid: string): void
  /** The same launcher, which does not end while it hangs, however often it is told to. */
  launcher(launcher: Launcher): Launcher
  /** Resolves when it has ended, however long it hangs. */
  stop(launcher: Launcher, code: number): Promise<void>
  /** Something about a launcher has changed. @param die ends it, out of memory */
  launcherChanged(launcher: Launcher, die: () => void): void
  /** What is published in the place of the node's own ports. */
  relayedPorts(): RelayedPort[]
  /** Brings all to what the faults are now. */
  act(): Promise<void>
  close(): Promise<void>
}

export interface BreakageParts {
  clock: Clock
  faults: NodeFaults
  identity: HandlerIdentity
  /** The cluster's own. */
  authority: KeyPair
  log: ProxyLog
  /** Where the target's listeners are. */
  address(): string
  stopListening(vmiUid: string): Promise<void>
  life(): HandlerLife
  /** Pods whose image could not be pulled are to be looked at. */
  pullAgain(): void
  /** Of virt-handler's pod: it may have come to the migration network, or lost it. */
  attachAgain(): Promise<void>
}

const RELAYING = ['PortBlocked', 'LinkStalled', 'LinkSlow'] as const
const NEW_LISTENER = new Set(['proxy started listening', 'Manager created proxy on target'])

/** How long virt-handler is away when it is started anew, ms: a container takes a while. */
const RESTART_MS = 2000

export function createBreakage(parts: BreakageParts): Breakage {
  const { clock, authority } = parts
  const link = createLink(clock)
  const relayed = new Map<string, RelayedPort[]>()
  const relayedPorts = () => [...relayed.values()].flat()
  const held: ProxyRecord[] = []
  const hanging = new Set<() => void>()
  const stop = new AbortController()
  const own = { ca: parts.identity.ca, ...parts.identity.certificates }
  let shown = own
  let wrong: string | undefined
  let isRestarting = false

  async function publish(vmiUid: string, ports: PortMap): Promise<PortMap> {
    const faults = parts.faults
    if (faults.of('HandlerRestarts')) await restart()
    if (faults.of('ListenerDies')) await parts.stopListening(vmiUid)
    unpublish(vmiUid)
    const entries = Object.entries(ports).map(async ([port, label]) => {
      const relay = await onTheWay(Number(port), label)
      if (relay) relayed.set(vmiUid, [...(relayed.get(vmiUid) ?? []), relay])
      return [relay?.port ?? port, label]
    })
    const published = await Promise.all(entries)
    for (const record of held.splice(0)) parts.log(asPublished(record))
    return Object.fromEntries(published)
  }

  /** A line about a new listener waits until it is known where that is published. */
  function tell(record: ProxyRecord): void {
    const { listening = '.sock', msg } = record
    const isOfTarget = !listening.endsWith('.sock')
    if (isRelaying() && isOfTarget && NEW_LISTENER.has(msg)) held.push(record)
    else parts.log(asPublished(record))
  }

  function asPublished(record: ProxyRecord): ProxyRecord {
    const [, address, port] = /^(.*):(\d+)$/.exec(record.listening ?? '') ?? []
    const relay = relayedPorts().find(({ real }) => real === Number(port))
    return relay ? { ...record, listening: `${address}:${relay.port}` } : record
  }

  function isRelaying(): boolean {
    return RELAYING.some((type) => parts.faults.of(type) !== undefined)
  }

  /** What stands before a port that is to be published; undefined where nothing does. */
  async function onTheWay(port: number, label: number): Promise<RelayedPort | undefined> {
    const { faults } = parts
    const block = faults.of('PortBlocked')
    if (block && label === (block.label ?? LABEL_DISK)) return blockPort(parts.address(), port)
    const isBroken = faults.of('LinkStalled') ?? faults.of('LinkSlow')
    return isBroken && link.relay(parts.address(), port)
  }

  function unpublish(vmiUid: string): void {
    for (const port of relayed.get(vmiUid) ?? []) port.close()
    relayed.delete(vmiUid)
  }

  function isHanging(): boolean {
    return parts.faults.of('LauncherHangs') !== undefined && !stop.signal.aborted
  }

  function letEnd(): void {
    const waiting = [...hanging]
    hanging.clear()
    for (const end of waiting) end()
  }

  /** It ends at once, and is back a while later. */
  async function restart(): Promise<void> {
    isRestarting = true
    await parts.life().crash()
    clock
      .sleep(RESTART_MS, stop.signal)
      .then(() => {
        isRestarting = false
        return act()
      })
      .catch(() => {})
  }

  async function certificates(): Promise<void> {
    const fault = certificateFault((type) => parts.faults.of(type) !== undefined)
    if (fault === wrong) return
    wrong = fault
    shown = fault
      ? { ca: own.ca, ...(await faultyCertificates(fault, authority, clock.now())) }
      : own
  }

  async function act(): Promise<void> {
    const faults = parts.faults
    const stalled = faults.of('LinkStalled')
    const slow = faults.of('LinkSlow')
    link.set(
      stalled || slow
        ? {
            ...(stalled && { after: bytes(stalled.after) }),
            ...(slow && { rate: bytes(slow.rate) }),
          }
        : undefined,
    )
    await certificates()
    if (faults.of('HandlerCrashes')) await parts.life().crash()
    else if (!isRestarting) await parts.life().start()
    if (!faults.of('ImagePullFails')) parts.pullAgain()
    if (!faults.of('PortBlocked')) for (const port of relayedPorts()) port.unblock()
    if (!faults.of('LauncherHangs')) letEnd()
    if (!faults.of('MigrationNetworkMissing')) await parts.attachAgain()
  }

  return {
    identity: () => shown,
    isRefused: () => wrong !== undefined,
    tell,
    publish,
    unpublish,
    launcher: (launcher) =>
      Object.create(launcher, {
        exit: {
          async value(code: number) {
            if (isHanging()) hanging.add(() => void launcher.exit(code))
            else await launcher.exit(code)
          },
        },
      }),
    async stop(launcher, code) {
      if (isHanging()) await new Promise<void>((resolve) => hanging.add(resolve))
      await launcher.exit(code)
    },
    launcherChanged({ domain }, die) {
      if (domain.state === 'incoming' && parts.faults.of('LauncherOutOfMemory')) die()
    },
    relayedPorts,
    act,
    async close() {
      stop.abort()
      letEnd()
      for (const vmiUid of relayed.keys()) unpublish(vmiUid)
    },
  }
}

function bytes(quantity: string | number | undefined): number {
  return unitsOf(parseQuantity(quantity) ?? ZERO)
}
