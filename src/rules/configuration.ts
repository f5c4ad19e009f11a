import { ASSUMED_RELEASE, isAtLeast, migrationDefaults, releaseOf } from '../kubevirt/defaults.ts'
import { canonicalQuantity } from '../kubevirt/quantity.ts'
import type { KubeVirt, MigrationConfiguration, MigrationPolicy } from '../kubevirt/types.ts'

/** A value and who said so. */
export interface Setting<V = unknown> {
  value: V
  from: 'policy' | 'kubevirt' | 'default'
  /** Of the policy or of the KubeVirt CR. */
  name?: string
}

export type Settings = {
  [K in keyof MigrationConfiguration]?: Setting<NonNullable<MigrationConfiguration[K]>>
}

/** What a policy may say; limits, progress, network, TLS and SELinux are the cluster's alone (§1.7). */
const OVERRIDABLE = [
  'allowAutoConverge',
  'bandwidthPerMigration',
  'completionTimeoutPerGiB',
  'maxDowntimeMs',
  'allowPostCopy',
  'allowWorkloadDisruption',
] as const

/**
 * Which settings hold for a migration, and where each comes from: the policy over the KubeVirt CR over the defaults of the
 * release (fact sheet control-plane.md §1.6, §1.7).
 */
export function settingsFor(
  kubevirt: KubeVirt | undefined,
  policy?: MigrationPolicy | undefined,
): Settings {
  const settings: Record<string, Setting> = {}
  const release = releaseOf(kubevirt) ?? ASSUMED_RELEASE
  for (const [key, value] of Object.entries(migrationDefaults(release)))
    settings[key] = { value, from: 'default' }

  const name = kubevirt?.metadata.name ?? ''
  const configured = kubevirt?.spec.configuration?.migrations ?? {}
  for (const [key, value] of Object.entries(configured))
    if (value !== undefined && value !== null) settings[key] = { value, from: 'kubevirt', name }
  const mayDisrupt = isAtLeast(release, 1, 5)
  if (mayDisrupt) followPostCopy(settings, 'kubevirt')

  if (policy) {
    for (const key of OVERRIDABLE) {
      const value = policy.spec[key]
      if (value === undefined || value === null) continue
      settings[key] = { value, from: 'policy', name: policy.metadata.name }
    }
    // A policy that speaks of post-copy but not of disruption means both.
    if (
      mayDisrupt &&
      policy.spec.allowPostCopy !== undefined &&
      policy.spec.allowWorkloadDisruption === undefined
    )
      settings['allowWorkloadDisruption'] = { ...(settings['allowPostCopy'] as Setting) }
    if (policy.spec.experimental)
      settings['experimental'] = {
        value: mergedExperiments(settings['experimental']?.value, policy.spec.experimental),
        from: 'policy',
        name: policy.metadata.name,
      }
  }
  return settings as Settings
}

/** Field by field, and so are those of what has fields of its own: the stall detector, the tuning of the downtime. */
function mergedExperiments(base: unknown, over: object): object {
  const below = (base ?? {}) as Record<string, unknown>
  const merged = Object.entries(over).map(([key, value]) => {
    const before = below[key]
    return [key, isRecord(before) && isRecord(value) ? { ...before, ...value } : value]
  })
  return { ...below, ...Object.fromEntries(merged) }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** The values alone, as a hand-off writes them into the VMI: quantities in canonical form. */
export function configurationOf(settings: Settings): MigrationConfiguration {
  const entries = Object.entries(settings).map(([key, setting]) => [key, setting?.value])
  const configuration = Object.fromEntries(entries) as MigrationConfiguration
  const { bandwidthPerMigration } = configuration
  if (bandwidthPerMigration !== undefined)
    configuration.bandwidthPerMigration =
      canonicalQuantity(bandwidthPerMigration) ?? bandwidthPerMigration
  return configuration
}

/** A number that may be written as text; undefined for what is none. */
export function numberOf(setting: Setting<number | string> | undefined): number | undefined {
  const value = Number(setting?.value ?? Number.NaN)
  return Number.isFinite(value) ? value : undefined
}

/** Unset, disruption is allowed where post-copy is (since 1.5). */
function followPostCopy(settings: Record<string, Setting>, from: 'kubevirt') {
  const postCopy = settings['allowPostCopy']
  if (settings['allowWorkloadDisruption'] || !postCopy) return
  settings['allowWorkloadDisruption'] =
    postCopy.from === from ? { ...postCopy } : { value: postCopy.value, from: 'default' }
}
