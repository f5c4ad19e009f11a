import { LABEL } from './labels.ts'
import type { KubeObject, Vmi } from './types.ts'

/** KubeVirt's prefix of the claims that hold what a VM's TPM and EFI keep (fact sheet control-plane.md §2.7). */
const PREFIX = 'persistent-state-for'

/** Name of the volume of a launcher pod that such a claim is mounted as. */
export const STATE_VOLUME = 'vm-state'

/** Whether the VM keeps TPM or EFI state in a claim of its own (`persistent: true`), which each migration must hand over. */
export function hasPersistentState(vmi: Vmi | undefined): boolean {
  const { devices, firmware } = (vmi?.spec.domain ?? {}) as {
    devices?: { tpm?: { persistent?: boolean } | null }
    firmware?: { bootloader?: { efi?: { persistent?: boolean } | null } | null } | null
  }
  return devices?.tpm?.persistent === true || firmware?.bootloader?.efi?.persistent === true
}

/** What the claims of a VM are named after; the server adds letters of its own. */
export function stateClaimPrefix(vmiName: string): string {
  return `${PREFIX}-${vmiName}-`
}

/** The claim that is the VM's now: by its label, or by its whole name, as releases before 1.4 made it. */
export function stateClaimOf<T extends KubeObject>(
  { namespace, name }: { namespace?: string | undefined; name: string },
  claims: readonly T[],
): T | undefined {
  const living = claims.filter(
    ({ metadata }) => metadata.namespace === namespace && metadata.deletionTimestamp === undefined,
  )
  return (
    living.find(({ metadata }) => metadata.labels?.[LABEL.persistentStateFor] === name) ??
    living.find(({ metadata }) => metadata.name === `${PREFIX}-${name}`)
  )
}

/** The name of that claim as the VMI's own status has it; KubeVirt goes by this when a migration begins. */
export function stateClaimNameIn({ metadata, status }: Vmi): string | undefined {
  const volume = status?.volumeStatus?.find(({ name }) =>
    name.startsWith(`${PREFIX}-${metadata.name}`),
  )
  return volume?.name
}
