import {
  ASSUMED_RELEASE,
  isAtLeast,
  migrationDefaults,
  type Release,
  releaseOf,
} from '../kubevirt/defaults.ts'
import { parseQuantity } from '../kubevirt/quantity.ts'
import type { KubeVirt, MigrationConfiguration, MigrationPolicy } from '../kubevirt/types.ts'
import type { Setting, Settings } from '../rules/configuration.ts'

/** A setting that holds for a migration, and who says so. */
export interface SettingReport {
  /** As KubeVirt names it. */
  name: string
  value: unknown
  /** `hand-off`: as it was resolved then; nothing that is configured now says the same. */
  from: 'policy' | 'kubevirt' | 'default' | 'hand-off'
  /** The policy's or the KubeVirt CR's name, or the release whose default it is; at a hand-off the policy that held. */
  source: string | null
  /** The labels by which the policy was chosen. */
  labels: string[]
}

/** Of a migration that is to come, or was not handed off yet. */
export function settingReports(
  settings: Settings,
  { policy, kubevirt }: { policy: MigrationPolicy | undefined; kubevirt: KubeVirt | undefined },
): SettingReport[] {
  const labels = policy ? selectorTexts(policy) : []
  const release = releaseOf(kubevirt) ?? ASSUMED_RELEASE
  return Object.entries(settings)
    .filter(([name]) => name !== 'allowWorkloadDisruption' || isAtLeast(release, 1, 5))
    .map(([name, setting]) => ({
      name,
      ...sourceOf(setting, release),
      labels: setting.from === 'policy' ? labels : [],
    }))
    .sort(inOrder)
}

/**
 * Of a migration that was handed off: the values are fixed since then (fact sheet control-plane.md §1.7). Who said so is
 * known where the same is configured still.
 */
export function fixedSettings(
  configuration: MigrationConfiguration,
  now: SettingReport[],
  policyName: string | undefined,
): SettingReport[] {
  const known = new Map(now.map((setting) => [setting.name, setting]))
  return Object.entries(configuration)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => {
      const current = known.get(name)
      const isOther = current?.from === 'policy' && current.source !== policyName
      return current && !isOther && isSame(current.value, value)
        ? { ...current, value }
        : { name, value, from: 'hand-off' as const, source: policyName ?? null, labels: [] }
    })
    .sort(inOrder)
}

/** The order of the defaults, limits first, then by name: whatever order the server's answer has. */
function inOrder(a: { name: string }, b: { name: string }): number {
  const [x, y] = [a, b].map(({ name }) => {
    const place = PLACES.indexOf(name)
    return place < 0 ? PLACES.length : place
  }) as [number, number]
  return x - y || (a.name < b.name ? -1 : 1)
}

const PLACES = [...Object.keys(migrationDefaults(ASSUMED_RELEASE)), 'allowWorkloadDisruption']

/** `tier=gold of the VM`, `stage=prod of the namespace`. */
export function selectorTexts({ spec: { selectors } }: MigrationPolicy): string[] {
  const texts = (selector: Record<string, string> | undefined, of: string) =>
    Object.entries(selector ?? {}).map(([key, value]) => `${key}=${value} of the ${of}`)
  return [
    ...texts(selectors?.virtualMachineInstanceSelector, 'VM'),
    ...texts(selectors?.namespaceSelector, 'namespace'),
  ]
}

function sourceOf({ value, from, name }: Setting, { major, minor }: Release) {
  return { value, from, source: from === 'default' ? `${major}.${minor}` : (name ?? null) }
}

/** A hand-off writes quantities in canonical form, and releases write numbers as texts or not: "0" is 0 and "0Mi". */
function isSame(a: unknown, b: unknown): boolean {
  const plain = (value: unknown) =>
    typeof value === 'object' ? JSON.stringify(value) : String(canonical(value))
  return plain(a) === plain(b)
}

function canonical(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value
  const amount = parseQuantity(value)
  return amount ? amount.nano : value
}
