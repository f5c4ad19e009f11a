import type { Admission, Refusal } from '../../../rules/refusal.ts'
import { StatusError } from '../status.ts'

/**
 * Throws what the API answers when a webhook refuses: its first blocker, under its name. KubeVirt's validators of new
 * objects name the field, those of changes none.
 */
export function refuse(admission: Admission, { namesField }: { namesField: boolean }): void {
  if (admission.admit) return
  throw refusalError(admission.blockers[0], namesField)
}

export function refusalError(refusal: Refusal, namesField = false): StatusError {
  const { webhook, code, reason, message, field } = refusal
  const cause = { message, ...(namesField && field ? { field } : {}) }
  return new StatusError(
    code,
    reason,
    `admission webhook "${webhook}" denied the request: ${message}`,
    reason === 'Invalid' ? { causes: [cause] } : undefined,
  )
}
