import type { VmiSpec } from '../kubevirt/types.ts'
import { invalid, type Refusal } from './refusal.ts'

interface Firmware {
  firmware?: {
    bootloader?: { efi?: { secureBoot?: boolean; persistent?: boolean } | null } | null
  } | null
  features?: { smm?: { enabled?: boolean } | null } | null
  launchSecurity?: { sev?: unknown; snp?: unknown; tdx?: unknown } | null
}

/**
 * What is wrong with the EFI of a VMI, or of a VM's template, which stands at `path`. As KubeVirt's public code has it,
 * since no fact sheet tells of it.
 */
export function firmwareBlockers({ domain }: VmiSpec, path: string, webhook: string): Refusal[] {
  const { firmware, features, launchSecurity } = (domain ?? {}) as Firmware
  const efi = firmware?.bootloader?.efi
  const blockers: Refusal[] = []
  // Secure boot is what EFI does unless it is told not to.
  const secureBoot = efi != null && efi.secureBoot !== false
  const smm = features?.smm != null && features.smm.enabled !== false
  if (secureBoot && !smm) {
    const field = `${path}.domain`
    const message = `${field} has EFI SecureBoot enabled. SecureBoot requires SMM, which is currently disabled.`
    blockers.push(invalid('secure-boot-without-smm', webhook, message, field))
  }
  const { sev, snp, tdx } = launchSecurity ?? {}
  const security = sev != null ? 'SEV' : snp != null ? 'SNP' : tdx != null ? 'TDX' : undefined
  if (!security) return blockers
  const refuse = (check: string, message: string) =>
    blockers.push(invalid(check, webhook, message, `${path}.domain.launchSecurity`))
  if (security !== 'TDX' && secureBoot)
    refuse('launch-security-secure-boot', `${security} does not work along with SecureBoot`)
  if (security !== 'SEV' && efi?.persistent)
    refuse(
      'launch-security-persistent-efi',
      `${security} does not work along with Persistent EFI variables`,
    )
  return blockers
}
