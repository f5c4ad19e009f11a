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

/** As those webhooks of KubeVirt do that tell all that is wrong at once. */
export function refuseWithAll(admission: Admission): void {
  if (admission.admit) return
  const { blockers } = admission
  const causes = blockers.map(({ message, field }) => ({ message, ...(field ? { field } : {}) }))
  const message = blockers.map((blocker) => blocker.message).join(', ')
  const [{ webhook, code, reason }] = blockers
  const text = `admission webhook "${webhook}" denied the request: ${message}`
  throw new StatusError(code, reason, text, { causes })
}
