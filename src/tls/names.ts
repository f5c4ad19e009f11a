/**
 * The Common Names that KubeVirt's migration proxies present and accept; there is no check of host names
 * (fact sheet data-plane.md §2.1–2.3).
 */
export const SERVER_NAME = 'kubevirt.io:system:node:virt-handler'

/** What a source of KubeVirt 1.7 and newer presents. */
export const MIGRATION_CLIENT_NAME = 'kubevirt.io:system:client:migration'

/** What a source up to KubeVirt 1.6 presents, and 1.7 to 1.9 as their fall-back. */
export const LEGACY_CLIENT_NAME = 'kubevirt.io:system:client:virt-handler'

/** What a target accepts when nothing narrower is asked for: sources of every release. */
export const CLIENT_NAMES: readonly string[] = [MIGRATION_CLIENT_NAME, LEGACY_CLIENT_NAME]
