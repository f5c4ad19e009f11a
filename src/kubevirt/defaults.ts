import type { KubeVirt, MigrationConfiguration } from './types.ts'

/** A release as two numbers, so that 1.10 is newer than 1.9. */
export interface Release {
  major: number
  minor: number
}

/** What the lab plays, and what is assumed where a cluster does not say. */
export const ASSUMED_RELEASE: Release = { major: 1, minor: 9 }

/** From `status.observedKubeVirtVersion` ("v1.9.0", "v1.3.1-12-gabc"); undefined when it says nothing of the kind. */
export function releaseOf(kubevirt: KubeVirt | undefined): Release | undefined {
  const match = /^v?(\d+)\.(\d+)/.exec(kubevirt?.status?.observedKubeVirtVersion ?? '')
  return match ? { major: Number(match[1]), minor: Number(match[2]) } : undefined
}

export function isAtLeast(release: Release, major: number, minor: number): boolean {
  return release.major > major || (release.major === major && release.minor >= minor)
}

/** The settings of `spec.configuration.migrations` that nobody set (fact sheet control-plane.md §1.6, §8). */
export function migrationDefaults(release: Release): MigrationConfiguration {
  return {
    parallelMigrationsPerCluster: 5,
    parallelOutboundMigrationsPerNode: 2,
    bandwidthPerMigration: '0',
    completionTimeoutPerGiB: isAtLeast(release, 1, 4) ? 150 : 800,
    progressTimeout: 150,
    ...(isAtLeast(release, 1, 9) ? { maxDowntimeMs: 900 } : {}),
    ...(isAtLeast(release, 1, 8) ? { utilityVolumesTimeout: 150 } : {}),
    allowAutoConverge: false,
    allowPostCopy: false,
    unsafeMigrationOverride: false,
    nodeDrainTaintKey: 'kubevirt.io/drain',
  }
}

/** Gates that are on unless they are disabled, since 1.9 (§1.6); before, only what is listed is on. */
const BETA_GATES = ['ImageVolume', 'NodeRestriction']

export function isGateOn(kubevirt: KubeVirt | undefined, gate: string): boolean {
  const developer = kubevirt?.spec.configuration?.developerConfiguration
  if (developer?.disabledFeatureGates?.includes(gate)) return false
  if (developer?.featureGates?.includes(gate)) return true
  return BETA_GATES.includes(gate) && isAtLeast(releaseOf(kubevirt) ?? ASSUMED_RELEASE, 1, 9)
}
