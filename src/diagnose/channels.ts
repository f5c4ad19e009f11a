import type { Gap } from '../evidence/evidence.ts'
import type { Probed, ProxyProbe } from '../evidence/probes.ts'
import { publishedPorts } from '../kubevirt/migration.ts'
import {
  CHANNEL_PURPOSE,
  type ChannelLabel,
  LABEL_CONTROL,
  migrationPorts,
  proxyKey,
} from '../kubevirt/ports.ts'
import { rowText, type SocketRow } from '../probe/socket-table.ts'
import { type Flow, flowOf } from './flow.ts'
import type { Subject, World } from './subject.ts'

/** One of the channels of a migration, and what was seen of it. */
export interface ChannelFacts {
  label: number
  purpose: string
  /** On the target; undefined while it is not published. */
  port: number | undefined
  /** `wrong`: published, but not once for each label that is needed. */
  map: 'right' | 'wrong' | 'not-yet'
  /** On the target, at that port. */
  listener: 'open' | 'closed' | 'not-yet' | 'over' | 'unread'
  /** In the source's launcher, listened on by virt-handler. */
  sourceSocket: 'live' | 'dead' | 'not-yet' | 'over' | 'unread'
  connection: ConnectionFacts | 'not-yet' | 'over' | 'unread'
}

export interface ConnectionFacts {
  established: number
  /** Asked for, and not answered: the first of them, as it was seen. */
  unanswered: string | undefined
  flow: Flow | undefined
}

/** Undefined where nothing was looked at, or nothing of this migration. */
export function probeOf({ migration }: Subject, { evidence }: World): ProxyProbe | undefined {
  const uid = migration?.metadata.uid
  return evidence.probes?.find(({ migrationUid }) => migrationUid === uid)
}

/** Why a probe told nothing; undefined when it did, or was not made. */
export function gapOf(probed: Probed<unknown> | undefined): Gap | undefined {
  return probed?.state === 'unread' ? probed.gap : undefined
}

/** Whether something was to be seen of a migration's proxies: it was looked at, or that it was not is a gap. */
export function isDue(probed: Probed<unknown> | undefined, probe: ProxyProbe | undefined): boolean {
  return probed !== undefined || probe?.unlooked !== undefined
}

/** Why that is not known; undefined when it is. */
export function whyUnseen(
  probed: Probed<unknown> | undefined,
  probe: ProxyProbe | undefined,
): Gap | undefined {
  return probed ? gapOf(probed) : probe?.unlooked
}

/** The gaps on which rest what of the channels is not read. */
export function channelGaps({ unlooked, source, target }: ProxyProbe): Gap[] {
  const probed = [
    target?.listeners,
    source?.unixListeners,
    source?.connections,
    source?.counted,
    target?.counted,
  ]
  return [unlooked, ...probed.map(gapOf)].filter((gap) => gap !== undefined)
}

/**
 * Every channel that the migration needs, and what else the target has published. Listeners are there from the moment
 * that ports are published to the end, the source's sockets and connections from the beginning of the copy.
 */
export function channelsOf(subject: Subject, world: World): ChannelFacts[] {
  const { vmi, state, phase } = subject
  const probe = probeOf(subject, world)
  const published = publishedPorts(state)
  const isBlock = vmi?.status?.migrationMethod === 'BlockMigration'
  const needed: number[] = [LABEL_CONTROL, ...migrationPorts(isBlock)]
  const labels = [...new Set([...needed, ...published.map(({ label }) => label)])]
  const isLive = ['PreparingTarget', 'TargetReady', 'Running'].includes(phase)
  const isCopying = phase === 'Running'
  return labels.map((label): ChannelFacts => {
    const ports = published.filter((one) => one.label === label)
    const port = ports[0]?.port
    const isOpen = isLive && port !== undefined
    const none = ['Succeeded', 'Failed'].includes(phase) ? 'over' : 'not-yet'
    const at = { address: state?.targetNodeAddress ?? '', port: port ?? 0 }
    return {
      label,
      purpose: CHANNEL_PURPOSE[label as ChannelLabel] ?? 'unknown',
      port,
      map: published.length === 0 ? 'not-yet' : ports.length === 1 ? 'right' : 'wrong',
      listener: isOpen ? listenerAt(at, probe?.target?.listeners) : none,
      sourceSocket: isOpen
        ? socketOf(proxyKey(vmi?.metadata.uid ?? '', label), isCopying, probe)
        : none,
      connection: isOpen && isCopying ? connectionTo(at, probe) : none,
    }
  })
}

interface Address {
  address: string
  port: number
}

const ANY = ['*', '0.0.0.0', '::']

function listenerAt(
  { address, port }: Address,
  listeners: Probed<SocketRow[]> | undefined,
): ChannelFacts['listener'] {
  if (listeners?.state !== 'read') return 'unread'
  const found = listeners.value.some(
    ({ local }) => local.port === port && [...ANY, address].includes(local.address),
  )
  return found ? 'open' : 'closed'
}

/** By the end of its path: before it stands the launcher's root as virt-handler sees it. */
function socketOf(
  key: string,
  isCopying: boolean,
  probe: ProxyProbe | undefined,
): ChannelFacts['sourceSocket'] {
  const listeners = probe?.source?.unixListeners
  if (listeners?.state !== 'read') return 'unread'
  const file = `/migrationproxy/${key}-source.sock`
  if (listeners.value.some((path) => path.endsWith(file))) return 'live'
  return isCopying ? 'dead' : 'not-yet'
}

function connectionTo(
  { address, port }: Address,
  probe: ProxyProbe | undefined,
): ChannelFacts['connection'] {
  const { source, target } = probe ?? {}
  if (source?.connections?.state !== 'read') return 'unread'
  const to = source.connections.value.filter(
    ({ peer }) => peer.port === port && peer.address === address,
  )
  // Two seconds later it may be there: then it was only being made.
  const later = source.counted?.state === 'read' ? source.counted.value.after : []
  const isMade = ({ local, peer }: SocketRow) =>
    later.some((row) => row.local.port === local.port && row.peer.port === peer.port)
  const unanswered = to.find((row) => row.state === 'SYN-SENT' && !isMade(row))
  return {
    established: to.filter(({ state }) => state === 'ESTAB').length,
    unanswered: unanswered && rowText(unanswered),
    flow: flowOf({ address, port }, source.counted, target?.counted),
  }
}
