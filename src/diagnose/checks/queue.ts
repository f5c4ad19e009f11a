import { ANNOTATION } from '../../kubevirt/labels.ts'
import { conditionOf, phaseOf } from '../../kubevirt/migration.ts'
import type { Migration } from '../../kubevirt/types.ts'
import { backoffOf } from '../../rules/backoff.ts'
import { capacityFor, limitsOf } from '../../rules/capacity.ts'
import { standingOf } from '../../rules/queue.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import type { Said, Subject, World } from '../subject.ts'
import { age, listing, plural, short } from '../words.ts'
import { evidenceOf } from './texts.ts'

const STARVED_MS = 5 * 60_000

/** Which limit holds a migration that waits for a slot: how much of it is used, by whom, and who waits beside it. */
export const capacity: Check = {
  name: 'limits of parallel migrations',
  when: isWaiting,
  needs: ['VirtualMachineInstanceMigration'],
  judge(subject, world) {
    const node = subject.vmi?.status?.nodeName
    const decision = capacityFor(
      {
        migrations: world.migrations,
        vmis: world.vmis,
        pods: world.pods,
        kubevirt: world.kubevirt,
      },
      node,
    )
    const said = subject.said.filter(({ row }) => row.code === 'MIG2001' || row.code === 'MIG2002')
    if (decision.admit) return said.length > 0 ? [fromLog(said, subject, world)] : []
    const cluster = decision.limit === 'cluster'
    const setting = cluster ? 'parallelMigrationsPerCluster' : 'parallelOutboundMigrationsPerNode'
    return [
      finding({
        code: cluster ? 'MIG2001' : 'MIG2002',
        title: `${subject.name} waits for a free slot: ${cluster ? 'the cluster limit' : `the limit of node ${decision.node}`} is in use, ${decision.used} of ${decision.of} (${setting})`,
        status: 'warn',
        objects: [subject.ref, ...decision.by.map(refOf)],
        evidence: [
          {
            source: 'kubevirt',
            field: `spec.configuration.migrations.${setting}`,
            value: String(decision.of),
          },
          ...evidenceOf(said, 1),
        ],
        cause: `In use by ${listing(
          decision.by.map((m) => m.spec.vmiName ?? m.metadata.name),
          6,
        )}: ${phasesOf(decision.by)}. ${standing(subject, world)}`,
        remedy: [
          { text: 'Wait: it goes on by itself when a slot is free' },
          { text: `Or raise ${setting}, or end migrations that are stuck` },
        ],
        endsByItself: 'yes',
      }),
      ...starvation(said, subject),
    ]
  },
}

/** From virt-controller's log, where the migrations that hold the slots are not in the evidence. */
function fromLog(said: Said[], subject: Subject, world: World): Finding {
  const last = said.at(-1)!
  const limits = limitsOf(world.kubevirt)
  const cluster = last.row.code === 'MIG2001'
  const limit = cluster ? limits.cluster : limits.outbound
  const used = last.groups.count ?? String(limit)
  return finding({
    code: last.row.code,
    title: `${subject.name} waits in the queue, it is not stuck: ${cluster ? `the cluster limit is reached, ${used} of ${limit} (parallelMigrationsPerCluster)` : `the limit of its node is reached, ${limit} (parallelOutboundMigrationsPerNode)`}`,
    status: 'warn',
    objects: [subject.ref],
    evidence: evidenceOf(said, 2),
    cause: `virt-controller says so; the migrations that hold the slots are not in what was read.${starvedText(said)}`,
    confidence: 'likely',
    remedy: [
      {
        text: 'Wait, raise the limit, or end migrations that are stuck',
        command: 'kubectl get vmim -A',
      },
      ...(starvedText(said)
        ? [
            {
              text: 'Upgrade to v1.6 or newer, whose queue puts active migrations first, or delete waiting migrations',
            },
          ]
        : []),
    ],
    endsByItself: 'yes',
  })
}

function starvation(said: Said[], subject: Subject): Finding[] {
  const text = starvedText(said)
  if (!text) return []
  return [
    finding({
      code: 'MIG2004',
      title: `virt-controller looks at ${subject.name} only every few minutes: its queue starves`,
      status: 'warn',
      objects: [subject.ref],
      evidence: evidenceOf(said, 2),
      cause: text.trim(),
      confidence: 'likely',
      remedy: [
        {
          text: 'Upgrade to v1.6 or newer, whose queue puts active migrations first, or delete waiting migrations',
        },
      ],
      endsByItself: 'unknown',
      weight: -10,
    }),
  ]
}

function starvedText(said: Said[]): string {
  const times = said.map(({ time }) => time).filter((time) => time !== undefined)
  const gaps = times.slice(1).map((time, i) => time - times[i]!)
  const starved = gaps.filter((gap) => gap >= STARVED_MS)
  if (starved.length === 0) return ''
  return ` It comes back to this migration only every ${age(Math.min(...starved))} to ${age(Math.max(...starved))}, where 5 s are usual: its work queue starves`
}

/** An evacuation or workload update that is held back because the ones before it failed. */
export const backoff: Check = {
  name: 'back-off after failures',
  when: isWaiting,
  needs: ['VirtualMachineInstanceMigration'],
  judge(subject, world) {
    const { migration } = subject
    const decision = backoffOf(migration!, world.migrations, world.now)
    const said = subject.said.filter(({ row }) => row.code === 'MIG2003')
    if (!decision.wait && said.length === 0) return []
    const failures = decision.wait
      ? decision.failures
      : subject.earlier.filter((m) => phaseOf(m) === 'Failed')
    const reason = failures
      .map((m) => m.status?.migrationState?.failureReason)
      .find((text) => !!text)
    const evacuation =
      migration?.metadata.annotations?.[ANNOTATION.evacuationMigration] !== undefined
    return [
      finding({
        code: 'MIG2003',
        title: `Held in back-off: ${plural(failures.length, `failed ${evacuation ? 'evacuation' : 'workload update'} migration`)} of ${subject.name} before it`,
        status: 'warn',
        objects: [subject.ref, ...failures.slice(0, 4).map(refOf)],
        evidence: [
          ...evidenceOf(said, 1),
          ...(reason
            ? [
                {
                  source: refOf(failures[0]!),
                  field: 'status.migrationState.failureReason',
                  value: short(reason),
                },
              ]
            : []),
        ],
        cause: `KubeVirt waits 20 s after the first failure, doubled by each. ${reason ? `What to mend is why they failed: ${short(reason, 200)}` : 'Why they failed is not in what was read'}`,
        remedy: [
          {
            text: 'Mend the reason of the failures; once this one is gone, a migration started by hand is not held back',
          },
        ],
        endsByItself: 'yes',
        ...(decision.wait && { deadline: decision.until }),
      }),
    ]
  },
}

/** Conditions by which KubeVirt itself says that something holds the migration. */
export const blockedConditions: Check = {
  name: 'conditions that hold the migration',
  when: ({ migration, phase }) =>
    migration !== undefined && !['Succeeded', 'Failed'].includes(phase),
  needs: ['VirtualMachineInstanceMigration'],
  judge(subject) {
    const rows = [
      [
        'migrationBlockedByUtilityVolumes',
        'MIG2006',
        'Let the backup or dump that uses the volume end, or detach it',
      ],
      [
        'migrationBlockedByBackup',
        'MIG2007',
        'Wait for the backup to end, or abort it; the target pod that waits with it gives up after 4 to 6 minutes',
      ],
      [
        'decentralizedMigrationBlocked',
        'MIG4009',
        'Compare the migrationIDs and addresses of both halves, and see the synchronization controllers',
      ],
    ] as const
    return rows.flatMap(([type, code, text]) => {
      const condition = conditionOf(subject.migration, type)
      if (condition?.status !== 'True') return []
      // The target's half says so while it waits for the source: that is no fault.
      if (/waiting for incoming synchronization/.test(condition.message ?? '')) return []
      return [
        finding({
          code,
          title: `${subject.name} is held: ${short(condition.message ?? type, 160)}`,
          status: code === 'MIG4009' ? 'fail' : 'warn',
          objects: [subject.ref],
          evidence: [
            {
              source: subject.ref,
              field: `condition ${type}`,
              value: short(`${condition.reason ?? ''} ${condition.message ?? ''}`),
            },
          ],
          cause: volumesOf(subject, type),
          remedy: [{ text }],
          endsByItself: code === 'MIG2006' ? 'yes' : 'unknown',
        }),
      ]
    })
  },
}

function volumesOf({ vmi }: Subject, type: string): string {
  if (type !== 'migrationBlockedByUtilityVolumes') return ''
  const names = (vmi?.spec.utilityVolumes ?? []).map(({ name }) => name)
  return names.length > 0
    ? `Utility volumes: ${listing(names)}; it fails when utilityVolumesTimeout (150 s) is over`
    : ''
}

/** A migration was created for a VM that does not run (yet). */
export const vmNotRunning: Check = {
  name: 'the VM runs',
  when: ({ migration, phase, vmi }) =>
    ['', 'Pending'].includes(phase) && migration !== undefined && vmi !== undefined,
  needs: ['VirtualMachineInstance'],
  judge(subject) {
    const phase = subject.vmi?.status?.phase ?? ''
    if (['Running', 'Succeeded', 'Failed', 'WaitingForSync'].includes(phase)) return []
    const pod = subject.launchers.at(-1)
    const states = [
      ...(pod?.status?.initContainerStatuses ?? []),
      ...(pod?.status?.containerStatuses ?? []),
    ].flatMap(({ name, state }) =>
      state?.waiting?.reason ? [`${name}: ${state.waiting.reason}`] : [],
    )
    const events = subject.events
      .filter(
        ({ involvedObject }) =>
          involvedObject.kind === 'Pod' && involvedObject.name === pod?.metadata.name,
      )
      .filter(({ reason }) => reason !== 'Scheduled')
    const last = events.at(-1)
    const unscheduled = conditionOf(pod, 'PodScheduled')
    const why =
      unscheduled?.status === 'False'
        ? short(unscheduled.message ?? '')
        : listing([...states, ...(last?.message ? [short(last.message, 120)] : [])])
    return [
      finding({
        code: 'MIG1015',
        title: `${subject.name} does not run yet: its VMI is ${phase || 'without a phase'}`,
        status: 'warn',
        objects: [
          `vmi/${subject.namespace}/${subject.name}`,
          ...(pod ? [`pod/${subject.namespace}/${pod.metadata.name}`] : []),
        ],
        evidence: [
          {
            source: `vmi/${subject.namespace}/${subject.name}`,
            field: 'status.phase',
            value: phase,
          },
          ...(pod
            ? [
                {
                  source: `pod/${subject.namespace}/${pod.metadata.name}`,
                  field: 'status',
                  value: `${pod.status?.phase ?? ''} ${why}`.trim(),
                },
              ]
            : []),
        ],
        cause: `The migration waits in Pending until the VM runs, silently and without time-out.${pod ? ` Its own launcher pod ${pod.metadata.name} is ${pod.status?.phase ?? 'not there'}: ${why}` : ''}`,
        remedy: [
          {
            text: 'See why the VM does not start',
            command: `kubectl -n ${subject.namespace} describe pod ${pod?.metadata.name ?? `-l vm.kubevirt.io/name=${subject.name}`}`,
          },
        ],
        endsByItself: 'unknown',
      }),
    ]
  },
}

function isWaiting({ migration, phase, targetPods }: Subject): boolean {
  return migration !== undefined && ['', 'Pending'].includes(phase) && targetPods.length === 0
}

function standing({ migration }: Subject, { migrations, pods }: World): string {
  const { above, competing } = standingOf(migration!, migrations, pods)
  if (above.length + competing.length === 0) return 'No other migration waits'
  return `${above.length} waiting rank above it, ${competing.length} compete with it; KubeVirt promises no order among equals`
}

/** `4 Running, 1 Scheduled` */
function phasesOf(migrations: Migration[]): string {
  return [...Map.groupBy(migrations, (m) => phaseOf(m))]
    .sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1))
    .map(([phase, some]) => `${some.length} ${phase}`)
    .join(' + ')
}

function refOf({ metadata }: Migration): string {
  return `vmim/${metadata.namespace ?? ''}/${metadata.name}`
}
