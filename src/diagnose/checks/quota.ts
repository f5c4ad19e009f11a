import { ANNOTATION } from '../../kubevirt/labels.ts'
import { conditionOf } from '../../kubevirt/migration.ts'
import {
  type Amount,
  add,
  compare,
  formatQuantity,
  milliOf,
  parseQuantity,
  subtract,
  unitsOf,
  ZERO,
} from '../../kubevirt/quantity.ts'
import type { ResourceQuota } from '../../kubevirt/types.ts'
import { admitPod } from '../../rules/quota.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import type { Said, Subject, World } from '../subject.ts'
import { exactBytes, listing, shell } from '../words.ts'
import { evidenceOf, fromCause } from './texts.ts'

interface Shortage {
  quota: string
  resource: string
  requested: Amount
  used: Amount
  hard: Amount
  short: Amount
}

/** Whether the namespace has room for the second launcher pod, and how much is short, to the byte. */
export const quota: Check = {
  name: 'quota for the target pod',
  when: (subject) => isRefused(subject) || quotaSaid(subject).length > 0,
  needs: [],
  judge(subject, world) {
    const said = quotaSaid(subject)
    const newest = said.at(-1)
    const shortages = newest ? fromMessage(newest) : fromSourcePod(subject, world)
    if (shortages.length > 0)
      return [shortageFinding(shortages, subject, said, newest === undefined)]
    if (newest) return [fromCause([newest], subject)]
    const quotas = world.evidence.objects
      .list('ResourceQuota')
      .filter(({ metadata }) => metadata.namespace === subject.namespace)
      .map(({ metadata }) => metadata.name)
    return [
      finding({
        code: 'MIG3001',
        title: 'A ResourceQuota of the namespace has no room for the target pod',
        status: 'warn',
        objects: [subject.ref],
        evidence: [
          {
            source: subject.ref,
            field: 'condition',
            value: 'migrationRejectedByResourceQuota=True',
          },
        ],
        cause: `Which quota and by how much is not in what was read (no FailedCreate event${quotas.length > 0 ? `; in the namespace: ${listing(quotas, 3)}` : ', no ResourceQuota'})`,
        remedy: [
          {
            text: 'See the quotas of the namespace',
            command: shell`kubectl -n ${subject.namespace} describe quota`,
          },
        ],
        endsByItself: 'unknown',
      }),
    ]
  },
}

function quotaSaid(subject: Subject): Said[] {
  return subject.troubled ? subject.said.filter(({ row }) => row.code === 'MIG3001') : []
}

function isRefused({ migration, phase }: Subject): boolean {
  return (
    phase === 'Pending' &&
    conditionOf(migration, 'migrationRejectedByResourceQuota')?.status === 'True'
  )
}

/** The API server's own figures. */
function fromMessage({ groups }: Said): Shortage[] {
  if (!groups.requested) return []
  const requested = amounts(groups.requested)
  const used = amounts(groups.used)
  const hard = amounts(groups.limited)
  return Object.entries(requested).flatMap(([resource, asked]) =>
    shortage(groups.quota ?? '', resource, asked, used[resource], hard[resource]),
  )
}

/** Without its message: the target pod asks for what the source pod does, unless the VM was hot-plugged. */
function fromSourcePod(subject: Subject, world: World): Shortage[] {
  const quotas = world.evidence.objects
    .list<ResourceQuota>('ResourceQuota')
    .filter(({ metadata }) => metadata.namespace === subject.namespace)
  if (!subject.sourcePod) return []
  const decision = admitPod(subject.sourcePod, quotas)
  if (decision.admit) return []
  return decision.blockers.flatMap((blocker) =>
    blocker.kind !== 'exceeded'
      ? []
      : Object.entries(blocker.requested).flatMap(([resource, asked]) =>
          shortage(
            blocker.quota,
            resource,
            parseQuantity(asked) ?? ZERO,
            parseQuantity(blocker.used[resource]),
            parseQuantity(blocker.hard[resource]),
          ),
        ),
  )
}

function shortage(
  quotaName: string,
  resource: string,
  requested: Amount,
  used: Amount | undefined,
  hard: Amount | undefined,
): Shortage[] {
  if (!used || !hard) return []
  const short = subtract(add(used, requested), hard)
  return compare(short, ZERO) > 0
    ? [{ quota: quotaName, resource, requested, used, hard, short }]
    : []
}

function shortageFinding(
  shortages: Shortage[],
  subject: Subject,
  said: Said[],
  estimated: boolean,
): Finding {
  const { quota: name } = shortages[0]!
  const parts = shortages.map((s) => `${s.resource} is short by ${worded(s.short, s.resource)}`)
  const sums = shortages.map(
    ({ resource, requested, used, hard }) =>
      `${resource}: ${formatQuantity(used)} used + ${formatQuantity(requested)} for the target pod > ${formatQuantity(hard)}`,
  )
  const evacuated = subject.migration?.metadata.annotations?.[ANNOTATION.evacuationMigration]
  const raised = shortages.map(
    ({ resource, used, requested }) =>
      `${resource} to at least ${formatQuantity(add(used, requested))}`,
  )
  return finding({
    code: 'MIG3001',
    title: `Quota ${name} has no room for the target pod${evacuated ? ` of this evacuation of ${evacuated}` : ''}: ${parts.join('; ')}`,
    objects: [`resourcequota/${subject.namespace}/${name}`, subject.ref],
    evidence: evidenceOf(said.slice(-1)),
    cause: `${sums.join('; ')}. While it moves, both launcher pods of a VM count`,
    confidence: estimated ? 'likely' : 'certain',
    remedy: [
      {
        text: `Raise ${raised.join(', ')} in quota ${name} while VMs move (where something else manages the quota, there); KubeVirt tries again by itself`,
      },
    ],
    endsByItself: subject.phase === 'Pending' ? 'unknown' : 'yes',
  })
}

function worded(amount: Amount, resource: string): string {
  if (/memory|storage|hugepages/.test(resource)) return exactBytes(unitsOf(amount))
  return /cpu/.test(resource) ? `${milliOf(amount)}m` : formatQuantity(amount)
}

/** `requests.memory=1Gi,pods=1` */
function amounts(text: string | undefined): Record<string, Amount> {
  return Object.fromEntries(
    (text ?? '').split(',').flatMap((part) => {
      const [name, value] = part.split('=')
      const amount = parseQuantity(value)
      return name && amount ? [[name, amount]] : []
    }),
  )
}
