import type { Cluster } from '../cluster/cluster.ts'
import { get, list } from '../cluster/objects.ts'
import { together } from '../cluster/together.ts'
import { releaseOf } from '../kubevirt/defaults.ts'
import type { Reference } from '../kubevirt/reference.ts'
import { MIGRATION_POLICIES, NAMESPACES } from '../kubevirt/resources.ts'
import type { KubeVirt, MigrationPolicy, Namespace } from '../kubevirt/types.ts'
import { settingsFor } from '../rules/configuration.ts'
import { mismatchesOf, type PolicyDecision, type PolicyMatch, policyFor } from '../rules/policy.ts'
import { readKubeVirt } from './cluster-view.ts'
import { findVm, type Lookup } from './find.ts'
import { readPolicyFile } from './policy-file.ts'
import { API_VERSION } from './report.ts'
import { type SettingReport, selectorTexts, settingReports } from './settings.ts'

/** Which settings would hold for a VM's next migration, and why (schema/policy-explanation.json). */
export interface PolicyExplanation {
  apiVersion: typeof API_VERSION
  kind: 'PolicyExplanation'
  /** RFC 3339. */
  generatedAt: string
  namespace: string
  vm: string
  /** The policies of a file that were taken as if they were there; null without a file. */
  whatIf: string[] | null
  /** The one that holds; null for none. */
  policy: string | null
  settings: (SettingReport & {
    /** The value without the file; null when it is the same, or without a file. */
    instead: { value: unknown } | null
  })[]
  /** The winner first, then those that match, then the others by name. */
  policies: PolicyReport[]
}

export interface PolicyReport {
  name: string
  result: 'holds' | 'matches' | 'no-match'
  /** How many labels match, of the VM and of its namespace; null where it does not match. */
  score: { total: number; vm: number; namespace: number } | null
  /** Why, in a sentence. */
  why: string
  /** It comes from the file. */
  whatIf: boolean
}

export interface ExplainPolicyOptions extends Lookup {
  /** A file of MigrationPolicies; `-` is stdin. */
  whatIf: string | undefined
  stdin: AsyncIterable<string | Buffer>
  now: number
}

/** What all is decided by. */
export interface PolicyFacts {
  namespace: string
  vm: string
  labels: Record<string, string> | undefined
  namespaceLabels: Record<string, string> | undefined
  kubevirt: KubeVirt | undefined
  policies: MigrationPolicy[]
}

/** @throws MigError: no such VM (9), not permitted (8), a file that is no policy (2) */
export async function explainPolicy(
  cluster: Cluster,
  reference: Reference,
  { namespace, signal, whatIf, stdin, now }: ExplainPolicyOptions,
): Promise<PolicyExplanation> {
  const [{ vm, vmi }, kubevirt] = await together([
    findVm(cluster, reference, { namespace, signal }),
    readKubeVirt(cluster, signal),
  ])
  const planned =
    whatIf === undefined ? undefined : await readPolicyFile(whatIf, releaseOf(kubevirt), stdin)
  const [policies, around] = await together([
    list<MigrationPolicy>(cluster, MIGRATION_POLICIES, { signal }),
    get<Namespace>(cluster, NAMESPACES, { name: namespace }, { signal }),
  ])
  const facts = {
    namespace,
    vm: reference.name,
    labels: vmi ? vmi.metadata.labels : vm?.spec.template?.metadata?.labels,
    namespaceLabels: around.metadata.labels,
    kubevirt,
    policies: policies.items,
  }
  return explanationOf(facts, planned, now)
}

/** @param planned policies that are taken as if they were there, over those of the same name */
export function explanationOf(
  facts: PolicyFacts,
  planned: MigrationPolicy[] | undefined,
  now: number,
): PolicyExplanation {
  const { namespace, vm } = facts
  const names = planned?.map(({ metadata }) => metadata.name)
  const kept = facts.policies.filter(({ metadata }) => !names?.includes(metadata.name))
  const after = { ...facts, policies: [...kept, ...(planned ?? [])] }
  const { decision, settings } = decide(after)
  const before = new Map(decide(facts).settings.map(({ name, value }) => [name, value]))
  return {
    apiVersion: API_VERSION,
    kind: 'PolicyExplanation',
    generatedAt: new Date(now).toISOString(),
    namespace,
    vm,
    whatIf: names ?? null,
    policy: decision.winner?.policy.metadata.name ?? null,
    settings: settings.map((setting) => {
      const value = before.get(setting.name) ?? null
      const same = JSON.stringify(value) === JSON.stringify(setting.value)
      return { ...setting, instead: same ? null : { value } }
    }),
    policies: policyReports(after, decision, names ?? []),
  }
}

function decide({ policies, labels, namespaceLabels, kubevirt }: PolicyFacts) {
  const decision = policyFor(policies, labels, namespaceLabels)
  const settings = settingsFor(kubevirt, decision.winner?.policy)
  return {
    decision,
    settings: settingReports(settings, { policy: decision.winner?.policy, kubevirt }),
  }
}

function policyReports(
  { policies, labels, namespaceLabels }: PolicyFacts,
  { matches, winner }: PolicyDecision,
  planned: string[],
): PolicyReport[] {
  const matching = new Set(matches.map(({ policy }) => policy))
  const others = policies
    .filter((policy) => !matching.has(policy))
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  const isPlanned = ({ metadata }: MigrationPolicy) => planned.includes(metadata.name)
  return [
    ...matches.map(
      (match): PolicyReport => ({
        name: match.policy.metadata.name,
        result: match === winner ? 'holds' : 'matches',
        score: {
          total: match.vmiLabels + match.namespaceLabels,
          vm: match.vmiLabels,
          namespace: match.namespaceLabels,
        },
        why: whyMatched(match, winner!),
        whatIf: isPlanned(match.policy),
      }),
    ),
    ...others.map(
      (policy): PolicyReport => ({
        name: policy.metadata.name,
        result: 'no-match',
        score: null,
        why: whyNot(policy, labels, namespaceLabels),
        whatIf: isPlanned(policy),
      }),
    ),
  ]
}

function whyMatched(match: PolicyMatch, winner: PolicyMatch): string {
  const matched = selectorTexts(match.policy).join(', ') || 'its selectors are empty: it fits all'
  if (match === winner) return matched
  const { name } = winner.policy.metadata
  const total = (one: PolicyMatch) => one.vmiLabels + one.namespaceLabels
  const lost =
    total(match) < total(winner)
      ? `"${name}" matches more labels`
      : match.vmiLabels < winner.vmiLabels
        ? `"${name}" matches more labels of the VM`
        : `"${name}" comes first by name`
  return `${matched}; but ${lost}`
}

function whyNot(
  policy: MigrationPolicy,
  labels: PolicyFacts['labels'],
  namespaceLabels: PolicyFacts['namespaceLabels'],
): string {
  if (!policy.spec.selectors) return 'it has no selectors, so it never matches'
  return mismatchesOf(policy, labels, namespaceLabels)
    .map(({ on, key, wants, has }) => {
      const of = on === 'vmi' ? 'the VM' : 'the namespace'
      return has === undefined
        ? `${of} has no label ${key} (wanted: ${wants})`
        : `${key} of ${of} is ${has}, not ${wants}`
    })
    .join('; ')
}
