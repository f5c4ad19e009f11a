import type { Vmi } from '../kubevirt/types.ts'

/** Whether the VM keeps TPM or EFI state in a PVC of its own (`persistent: true`), which each migration must hand over. */
export function hasPersistentState(vmi: Vmi | undefined): boolean {
  const { devices = {}, ...domain } = (vmi?.spec.domain ?? {}) as Record<string, unknown>
  return /"persistent":true/.test(JSON.stringify([devices, domain['firmware'] ?? {}]))
}
