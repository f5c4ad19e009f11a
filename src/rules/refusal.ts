/** One reason why a webhook refuses, with all that the answer of an API server is made of. */
export interface Refusal {
  /** Stable name of the check, for those who explain it. */
  check: string
  webhook: string
  /** HTTP code: 400 for what the state forbids, 422 for what is wrong in itself, 429 for evictions. */
  code: number
  /** KubeVirt leaves it out of its 400s and 429s. */
  reason?: 'Invalid'
  message: string
  /** The path that the webhook names. */
  field?: string
}

/** The webhook answers with the first blocker; a forecast shows them all. */
export type Admission = { admit: true } | { admit: false; blockers: [Refusal, ...Refusal[]] }

/** What a refused request is told (fact sheet control-plane.md §3.1). */
export function denialMessage({ webhook, message }: Refusal): string {
  return `admission webhook "${webhook}" denied the request: ${message}`
}

export function admissionOf(blockers: readonly Refusal[]): Admission {
  const [first, ...rest] = blockers
  return first ? { admit: false, blockers: [first, ...rest] } : { admit: true }
}

export function invalid(check: string, webhook: string, message: string, field?: string): Refusal {
  return { check, webhook, code: 422, reason: 'Invalid', message, ...(field ? { field } : {}) }
}

/** KubeVirt's refusals by state carry no reason. */
export function badRequest(check: string, webhook: string, message: string): Refusal {
  return { check, webhook, code: 400, message }
}
