import type { Clock } from '../../clock.ts'
import { mayI } from '../../cluster/access-review.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { get } from '../../cluster/objects.ts'
import { MigError } from '../../errors.ts'
import { stateOf } from '../../kubevirt/migration.ts'
import { MIGRATIONS, PODS, VMIS } from '../../kubevirt/resources.ts'
import type { Migration, Pod, Vmi } from '../../kubevirt/types.ts'
import { certificateIn, connectionsIn, type NodeCommand } from '../../probe/commands.ts'
import type { Gap } from '../evidence.ts'
import type { HandlerProbe, ProxyProbe, Rung } from '../probes.ts'
import { createRunner, type Run } from './command-runner.ts'
import { connectOnce } from './probe-connect.ts'
import {
  APART_MS,
  commandsOf,
  type ProbePlan,
  type SidePlan,
  type Standing,
  whyNotLive,
} from './probe-plan.ts'
import type { Reader } from './reader.ts'

export interface ProbeOptions {
  rung: Rung
  clock: Clock
  signal: AbortSignal
  /** Is told what is about to be done, a line each. */
  announce: (line: string) => void
}

/**
 * Looks at the proxies of one migration, as far as the rung and the user's permissions go: read-only commands in both
 * virt-handlers, counters twice; then, if asked for, one connection. What could not be done is a gap. Then the migration
 * is read again: sockets that were seen of one that ended meanwhile say nothing, and nothing is connected to any more.
 */
export async function probeProxies(
  cluster: Cluster,
  reader: Reader,
  plan: ProbePlan,
  options: ProbeOptions,
): Promise<ProxyProbe> {
  const { rung, clock, signal, announce } = options
  const probe: ProxyProbe = { migrationUid: plan.migration.metadata.uid ?? '', rung: 'none' }
  const isOpen = whyNotLive(plan.migration, plan.state) === undefined
  const note = (gap: Gap | undefined) => {
    if (!gap) return
    reader.gap(gap)
    if (isOpen) probe.unlooked ??= gap
  }
  if (rung === 'none') {
    if (isOpen)
      note({
        what: SOCKETS,
        why: 'not-asked',
        detail: 'sockets of virt-handler were not probed: --probe none',
      })
    return probe
  }
  for (const gap of missingHandlers(plan)) note(gap)
  if (plan.sides.length === 0) return probe
  const denied = await denial(cluster, 'exec', plan.sides, signal)
  if (denied) {
    note(denied)
    return probe
  }
  probe.rung = 'exec'
  const run = createRunner(cluster, reader, signal)
  for (const { role, node, pod } of plan.sides)
    announce(
      `reading sockets, addresses and public certificates in ${pod.metadata.name} (virt-handler on ${node}, the ${role}) by exec`,
    )
  await Promise.all(plan.sides.map((side) => probeSide(side, probe, run, clock, signal)))
  if (rung !== 'connect' && !plan.sides.some(({ live }) => live)) return probe

  const now = await readAgain(cluster, plan, signal)
  const changed = changeSince(plan, now)
  if (changed !== undefined) forgetSockets(probe, changed, reader)
  if (rung === 'connect')
    await connectOnce(probe, plan, now, {
      cluster,
      reader,
      run,
      signal,
      announce,
      isPermitted: async () => {
        const gap = await denial(cluster, 'portforward', plan.sides, signal)
        if (gap) reader.gap(gap)
        return gap === undefined
      },
    })
  return probe
}

/**
 * Undefined where it is permitted. By access reviews: of both verbs, since WebSockets are opened by `get`, and newer
 * servers want `create` as well.
 */
async function denial(
  cluster: Cluster,
  subresource: 'exec' | 'portforward',
  sides: readonly SidePlan[],
  signal: AbortSignal,
): Promise<Gap | undefined> {
  const namespace = sides[0]?.pod.metadata.namespace ?? ''
  const verbs = ['get', 'create']
  const answers = await Promise.all(
    verbs.map((verb) => mayI(cluster, { verb, resource: PODS, subresource, namespace }, signal)),
  )
  const denied = verbs.filter((_, i) => answers[i] === false)
  if (denied.length === 0) return undefined
  return {
    what: subresource === 'exec' ? SOCKETS : 'TLS handshake',
    why: 'forbidden',
    detail: `the user may not ${denied.join(' and ')} pods/${subresource} in ${namespace}`,
  }
}

const SOCKETS = 'sockets of virt-handler'

function missingHandlers({ state, sides }: ProbePlan): Gap[] {
  return [state.sourceNode, state.targetNode]
    .filter((node) => !sides.some((side) => side.node === node))
    .map((node) => ({
      what: SOCKETS,
      why: 'unreadable',
      detail: `no virt-handler pod on ${node ?? 'an unknown node'} was read`,
    }))
}

async function probeSide(
  side: SidePlan,
  into: ProxyProbe,
  run: Run,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const { node, pod, role } = side
  const commands = commandsOf(side)
  const read = <T>(command: NodeCommand<T> | undefined) => command && run(pod, command)
  const [addresses, counted, connections, unixListeners, listeners, route, certificates] =
    await Promise.all([
      run(pod, commands.addresses),
      commands.established && countTwice(pod, run, clock, signal),
      read(commands.connections),
      read(commands.unixListeners),
      read(commands.listeners),
      read(commands.route),
      Promise.all(
        side.certificates.map(async (folder) => ({
          folder,
          pem: await run(pod, certificateIn(folder)),
        })),
      ),
    ])
  const common: HandlerProbe = {
    node,
    pod: `pod/${pod.metadata.namespace ?? ''}/${pod.metadata.name}`,
    addresses,
    certificates,
    ...(counted && { counted }),
  }
  if (role === 'target') into.target = { ...common, ...(listeners && { listeners }) }
  else
    into.source = {
      ...common,
      ...(connections && { connections }),
      ...(unixListeners && { unixListeners }),
      ...(route && { route }),
    }
}

async function countTwice(
  pod: Pod,
  run: Run,
  clock: Clock,
  signal: AbortSignal,
): Promise<NonNullable<HandlerProbe['counted']>> {
  const command = connectionsIn('established')
  const started = clock.now()
  const before = await run(pod, command)
  if (before.state === 'unread') return before
  await clock.sleep(APART_MS, signal)
  const after = await run(pod, command)
  if (after.state === 'unread') return after
  const value = { before: before.value, after: after.value, apart: clock.now() - started }
  return { state: 'read', value, from: before.from }
}

/** What cannot be read any more is taken for gone. */
async function readAgain(
  cluster: Cluster,
  { migration }: ProbePlan,
  signal: AbortSignal,
): Promise<Standing> {
  const { namespace, name } = migration.metadata
  const missing = (err: unknown) => {
    if (!(err instanceof MigError) || signal.aborted) throw err
    return undefined
  }
  const vmiAt = { namespace, name: migration.spec.vmiName ?? '' }
  const [again, vmi] = await Promise.all([
    get<Migration>(cluster, MIGRATIONS, { namespace, name }, { signal }).catch(missing),
    get<Vmi>(cluster, VMIS, vmiAt, { signal }).catch(missing),
  ])
  return { migration: again ?? { ...migration, status: { phase: 'gone' } }, vmi }
}

function changeSince({ state }: ProbePlan, { migration, vmi }: Standing): string | undefined {
  const now = stateOf(migration, vmi)
  const why = whyNotLive(migration, now)
  if (why !== undefined) return why
  const ports = (one: typeof now) => JSON.stringify(one?.targetDirectMigrationNodePorts)
  return ports(state) === ports(now) ? undefined : 'the target published other ports'
}

function forgetSockets(probe: ProxyProbe, why: string, reader: Reader): void {
  const detail = `while they were looked at it went on: ${why}`
  const gap: Gap = { what: SOCKETS, why: 'expired', detail }
  const unread = { state: 'unread', gap } as const
  if (probe.source?.connections) {
    reader.gap(gap)
    Object.assign(probe.source, { connections: unread, unixListeners: unread, counted: unread })
  }
  if (probe.target?.listeners) {
    reader.gap(gap)
    Object.assign(probe.target, { listeners: unread, counted: unread })
  }
}
