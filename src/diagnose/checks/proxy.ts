import { ANNOTATION } from '../../kubevirt/labels.ts'
import { enteredAt, publishedPorts, timeOf } from '../../kubevirt/migration.ts'
import { LABEL_DISK, LABEL_MEMORY } from '../../kubevirt/ports.ts'
import type { KubeObject, Pod } from '../../kubevirt/types.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { age, listing, moment, plural, shell } from '../words.ts'
import { evidenceOf } from './texts.ts'

/** An interface of the guest that forwards a port which the migration uses (KubeVirt up to v0.41). */
export const reservedPorts: Check = {
  name: 'ports of the guest’s interfaces',
  when: ({ vmi, troubled, phase }) => vmi !== undefined && troubled && phase !== 'Pending',
  needs: ['VirtualMachineInstance'],
  judge(subject) {
    const interfaces = (subject.vmi?.spec.domain?.devices?.interfaces ?? []) as {
      name: string
      masquerade?: unknown
      ports?: unknown
    }[]
    const hits = interfaces.flatMap(({ name, masquerade, ports }) => {
      const used = (Array.isArray(ports) ? ports : [])
        .map((p) => Number((p as { port?: unknown })?.port))
        .filter((p) => p === LABEL_MEMORY || p === LABEL_DISK)
      return masquerade !== undefined && used.length > 0 ? [{ name, used }] : []
    })
    const [first] = hits
    if (!first) return []
    const unix =
      subject.sourcePod?.metadata.annotations?.[ANNOTATION.migrationTransportUnix] === 'true' ||
      subject.vmi?.status?.migrationTransport === 'Unix'
    const said = subject.said.filter(({ row }) => row.code === 'MIG5003')
    return [
      finding({
        code: 'MIG5003',
        title: `Interface ${first.name} (masquerade) lists port ${listing(first.used.map(String))}, which the migration itself uses`,
        status: unix ? 'info' : 'fail',
        objects: [`vmi/${subject.namespace}/${subject.name}`],
        evidence: [
          {
            source: `vmi/${subject.namespace}/${subject.name}`,
            field: `spec.domain.devices.interfaces[${first.name}].ports`,
            value: first.used.join(', '),
          },
          ...evidenceOf(said, 1),
        ],
        cause: unix
          ? 'The migration goes through unix sockets, so the port does no harm'
          : `Migration by TCP (KubeVirt up to v0.41: the source pod has no annotation ${ANNOTATION.migrationTransportUnix}) is NATed into the guest on this port and refused`,
        confidence: said.length > 0 ? 'certain' : 'likely',
        remedy: [
          {
            text: 'Remove the port from the interface’s list and restart the VM, or upgrade KubeVirt',
          },
        ],
      }),
    ]
  },
}

/** A virt-handler that was restarted between the hand-off and the end: proxies and connections died with it. */
export const handlerRestart: Check = {
  name: 'restarts of virt-handler during the migration',
  when: ({ migration, phase }) =>
    migration !== undefined &&
    ['PreparingTarget', 'TargetReady', 'Running', 'Failed'].includes(phase),
  needs: ['Pod'],
  judge(subject, world) {
    const from =
      enteredAt(subject.migration!, 'PreparingTarget') ??
      enteredAt(subject.migration!, 'TargetReady') ??
      enteredAt(subject.migration!, 'Running') ??
      timeOf(subject.state?.startTimestamp)
    if (from === undefined) return []
    const to =
      timeOf(subject.state?.endTimestamp) ?? enteredAt(subject.migration!, 'Failed') ?? world.now
    return (['sourceNode', 'targetNode'] as const).flatMap((role) => {
      const node = subject[role]
      const pod = node === undefined ? undefined : world.handlers.get(node)
      if (!pod) return []
      const last = startOf(pod)
      if (!Number.isFinite(last) || last <= from || last > to + 5000) return []
      return [restarted(subject, world, node!, role, pod, fellAt(pod) ?? last, from)]
    })
  },
}

/**
 * When the virt-handler that is there was started: when the pod was made, or its container last restarted (`startTime` says
 * no more than the first). While it is down: when it fell, at the end of that second, as Kubernetes tells only whole ones.
 */
export function startOf(pod: Pod): number {
  const fell = fellAt(pod)
  if (fell !== undefined) return fell + 999
  const container = containerOf(pod)
  const restartedAt =
    (container?.restartCount ?? 0) > 0 ? timeOf(container?.state?.running?.startedAt) : undefined
  return restartedAt ?? timeOf(pod.metadata.creationTimestamp) ?? Number.NaN
}

/** When a container that does not run, but has, ended. */
function fellAt(pod: Pod): number | undefined {
  const { state, lastState } = containerOf(pod) ?? {}
  if (state?.running) return
  return timeOf((state?.terminated ?? lastState?.terminated)?.finishedAt)
}

function containerOf(pod: Pod) {
  return pod.status?.containerStatuses?.find(({ name }) => name === 'virt-handler')
}

function restarted(
  subject: Subject,
  world: World,
  node: string,
  role: 'sourceNode' | 'targetNode',
  handler: Pod,
  at: number,
  from: number,
): Finding {
  const { metadata: pod } = handler
  const came = fellAt(handler) === undefined ? 'was replaced' : 'went down'
  const rollout = world.evidence.objects
    .list<
      KubeObject & { status?: { desiredNumberScheduled?: number; updatedNumberScheduled?: number } }
    >('DaemonSet')
    .find(({ metadata }) => metadata.name === 'virt-handler')
  const { desiredNumberScheduled: desired = 0, updatedNumberScheduled: updated = 0 } =
    rollout?.status ?? {}
  const rolling = rollout && updated < desired
  // A target that has never seen the guest was never reached: what it had published was no longer so.
  const { state } = subject
  const unseen = role === 'targetNode' && state !== undefined && !state.targetNodeDomainDetected
  const stale =
    !['Running', 'Failed'].includes(subject.phase) || (subject.phase === 'Failed' && unseen)
  const before = stale
    ? 'the ports that it had published are no longer valid'
    : 'the stream was cut'
  // A command can be run only in a pod that runs.
  const running = [subject.targetPod, subject.sourcePod].find(
    (launcher) => launcher?.status?.phase === 'Running',
  )
  return finding({
    code: stale ? 'MIG5006' : 'MIG5001',
    title: `virt-handler on ${node}, the ${role === 'sourceNode' ? 'source' : 'target'}, ${came} at ${moment(at)}, ${age(at - from)} into the migration: ${before}`,
    objects: [`pod/${pod.namespace ?? ''}/${pod.name}`, subject.ref, `node/${node}`],
    evidence: [
      {
        source: `pod/${pod.namespace ?? ''}/${pod.name}`,
        field: 'start',
        value: moment(at),
        time: at,
      },
      ...(rolling
        ? [
            {
              source: 'daemonset/virt-handler',
              field: 'status',
              value: `rolling out: ${updated} of ${desired} updated`,
            },
          ]
        : []),
    ],
    cause:
      `The migration proxy lives in virt-handler and dies with it${rolling ? `; the DaemonSet is being rolled out, ${updated}/${desired} updated` : ''}. ${subject.state?.targetNodeDomainDetected ? 'The target has already seen the guest: it may run there' : ''}`.trim(),
    // What cannot be reached then is what follows from it.
    weight: stale ? 12 : 0,
    confidence: 'likely',
    remedy: stale
      ? [
          {
            text: `The guest runs on the source as before. ${subject.phase === 'Failed' ? 'Migrate' : 'Cancel, and migrate'} again when virt-handler on ${node} is ready: the next attempt publishes ports of its own`,
          },
        ]
      : [
          {
            text: `See on which side the guest runs before anything is deleted`,
            ...(running && {
              command: shell`kubectl -n ${subject.namespace} exec ${running.metadata.name} -c compute -- virsh list --all`,
            }),
          },
          { text: 'Migrate again when the rollout is over' },
        ],
    endsByItself: 'unknown',
  })
}

/** As many ports as the method needs, each of the labels once. */
export const portMap: Check = {
  name: 'published ports',
  when: ({ state, phase }) =>
    state?.targetDirectMigrationNodePorts !== undefined &&
    ['TargetReady', 'Running'].includes(phase),
  needs: ['VirtualMachineInstance'],
  judge(subject) {
    const ports = publishedPorts(subject.state)
    const block = subject.vmi?.status?.migrationMethod === 'BlockMigration'
    const labels = ports.map(({ label }) => label)
    const wanted = [0, LABEL_MEMORY, ...(block ? [LABEL_DISK] : [])]
    const lacking = wanted.filter((label) => !labels.includes(label))
    const repeated = labels.filter((label, i) => labels.indexOf(label) !== i)
    if (lacking.length === 0 && repeated.length === 0) return []
    const published = `The target published ${plural(ports.length, 'port')}, and ${listing(lacking.map(String))}`
    return [
      finding({
        code: 'MIG5005',
        title:
          lacking.length > 0
            ? `${published} is not among them, which ${block ? 'BlockMigration' : 'the migration'} needs`
            : `The target published label ${listing(repeated.map(String))} more than once`,
        objects: [`vmi/${subject.namespace}/${subject.name}`],
        evidence: [
          {
            source: `vmi/${subject.namespace}/${subject.name}`,
            field: 'status.migrationState.targetDirectMigrationNodePorts',
            value: JSON.stringify(subject.state?.targetDirectMigrationNodePorts),
          },
        ],
        cause:
          repeated.length > 0
            ? 'virt-handler takes the label from the name of a socket; one of another key counts as 0 (a decentralized migration of a release without the mending)'
            : 'Source and target do not agree on whether disks must be copied, or the map is of another release',
        confidence: 'likely',
        remedy: [
          { text: 'Cancel and migrate again; compare status.migrationMethod with the volumes' },
        ],
      }),
    ]
  },
}

/** From the proxies' own log lines: whether every listener of the target has its counterpart on the source. */
export const chain: Check = {
  name: 'the chain of proxies in the logs',
  when: ({ said }) =>
    said.some(({ row, hit }) => row.code === 'MIG5000' && hit?.listening !== undefined),
  needs: [],
  judge(subject) {
    const lines = subject.said.flatMap(({ row, hit }) =>
      row.code === 'MIG5000' && hit?.listening && hit.outbound ? [hit] : [],
    )
    const listening = new Set(
      lines.flatMap(({ listening = '' }) => /:(\d+)$/.exec(listening)?.[1] ?? []),
    )
    const dialled = new Set(
      lines.flatMap(({ listening = '', outbound = '' }) =>
        listening.endsWith('.sock') ? (/:(\d+)$/.exec(outbound)?.[1] ?? []) : [],
      ),
    )
    if (listening.size === 0 || dialled.size === 0) return []
    const unopened = [...dialled].filter((port) => !listening.has(port))
    const unused = [...listening].filter((port) => !dialled.has(port))
    const evidence = lines.slice(0, 3).map((hit) => ({
      source: hit.origin.file,
      field: `line ${hit.line}`,
      value: `${hit.text}: ${hit.listening} -> ${hit.outbound}`,
    }))
    if (unopened.length === 0 && unused.length === 0)
      return [
        finding({
          code: 'MIG5000',
          title: `The proxy is complete: ${listing.length ? plural(listening.size, 'target listener') : ''} (${[...listening].join(', ')}), each matched by a proxy of the source`,
          status: 'pass',
          objects: [subject.ref],
          evidence,
          cause: 'All channels are paired; nothing is wrong here',
        }),
      ]
    if (!subject.troubled || subject.phase === 'Succeeded') return []
    return [
      finding({
        code: 'MIG5010',
        title:
          unopened.length > 0
            ? `The source dials port ${listing(unopened)}, which the target never opened`
            : `The target listens on port ${listing(unused)}, which the source never dials`,
        objects: [subject.ref],
        evidence,
        cause: `The target opened ${listing([...listening])}, the source dials ${listing([...dialled])}: its map of ports is stale, or one virt-handler was restarted in between`,
        confidence: 'likely',
        remedy: [
          {
            text: 'Compare targetDirectMigrationNodePorts and the start times of both virt-handlers; migrate again',
          },
        ],
      }),
    ]
  },
}
