import { LABEL } from '../../kubevirt/labels.ts'
import { enteredAt, phaseOf } from '../../kubevirt/migration.ts'
import type { Migration, Pod } from '../../kubevirt/types.ts'
import { capacityFor, limitsOf } from '../../rules/capacity.ts'
import { standingOf } from '../../rules/queue.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import { settingRemedy } from '../owner.ts'
import type { Said, Subject, World } from '../subject.ts'
import { age, listing, shell } from '../words.ts'
import { evidenceOf } from './texts.ts'

const STARVED_MS = 5 * 60_000

/** Which limit holds a migration that waits for a slot: how much of it is used, by whom, and who waits beside it. */
export const capacity: Check = {
  name: 'limits of parallel migrations',
  when: isWaiting,
  needs: ['VirtualMachineInstanceMigration'],
  // How many slots there are, who else holds them, and whether they get on.
  unsure: (_, { evidence: { gaps } }) =>
    gaps.find(({ what }) => what === 'KubeVirt' || / of other(s| namespaces)$/.test(what)),
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
    const stuck = decision.by.filter((holder) => isStuck(holder, world))
    const hopeless = stuck.length === decision.by.length && stuck.length > 0
    return [
      finding({
        code: cluster ? 'MIG2001' : 'MIG2002',
        title: `${subject.name} waits for a free slot${hopeless ? ', and none gets free' : ''}: ${cluster ? 'the cluster limit' : `the limit of node ${decision.node}`} is in use, ${decision.used} of ${decision.of} (${setting})${hopeless ? ', by what does not get on' : ''}`,
        status: hopeless ? 'fail' : 'warn',
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
        )}: ${phasesOf(decision.by)}${stuckText(stuck, decision.by)}. ${standing(subject, world)}`,
        remedy: [
          hopeless
            ? {
                text: 'See what holds those that hold the slots',
                command: shell`kubectl mig diagnose -n ${stuck[0]!.metadata.namespace ?? ''} vmim/${stuck[0]!.metadata.name}`,
              }
            : { text: 'Wait: it goes on by itself when a slot is free' },
          settingRemedy(
            `Or raise ${setting}; migrations that are stuck hold a slot too`,
            { configuration: { migrations: { [setting]: decision.of * 2 } } },
            world,
          ),
        ],
        endsByItself: hopeless ? 'unknown' : 'yes',
      }),
      ...starvation(said, subject),
    ]
  },
}

/** Phases before the copy take seconds. */
const USUAL_MS = 60_000

/** A migration that holds a slot and does not get on: its target pod cannot start, or it is in its phase for too long. */
function isStuck(migration: Migration, { pods, now }: World): boolean {
  const phase = phaseOf(migration)
  if (phase === 'Running') return false
  const since = enteredAt(migration, phase)
  if (since !== undefined && now - since > USUAL_MS) return true
  return pods.some((pod) => isTargetOf(pod, migration) && cannotStart(pod))
}

function isTargetOf({ metadata }: Pod, migration: Migration): boolean {
  return metadata.labels?.[LABEL.migrationJobUid] === migration.metadata.uid
}

function cannotStart({ status }: Pod): boolean {
  const isUnplaced = status?.conditions?.some(
    ({ type, status: is, reason }) =>
      type === 'PodScheduled' && is === 'False' && reason === 'Unschedulable',
  )
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  return isUnplaced || all.some(({ state }) => /Err|BackOff/.test(state?.waiting?.reason ?? ''))
}

function stuckText(stuck: Migration[], holders: Migration[]): string {
  if (stuck.length === 0) return ''
  const who = stuck.length === holders.length ? '' : ` ${stuck.length} of them`
  return `;${who || ' they'} do not get on (the target pod cannot start, or longer in the phase than is usual)`
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

export function isWaiting({ migration, phase, targetPods }: Subject): boolean {
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

export function refOf({ metadata }: Migration): string {
  return `vmim/${metadata.namespace ?? ''}/${metadata.name}`
}
