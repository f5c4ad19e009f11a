import type { KubeObject } from '../kubevirt/types.ts'

const CLOUD_INIT = new Set(['cloudInitNoCloud', 'cloudInitConfigDrive', 'sysprep'])
const DROPPED = new Set(['managedFields', 'accessCredentials'])
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/**
 * An object without what must never be quoted: cloud-init and sysprep data, access credentials, values of the
 * environment, and the copies of all these in managedFields and the last-applied annotation. Works in place.
 */
export function redact<T extends KubeObject>(object: T): T {
  if (object.metadata.annotations) delete object.metadata.annotations[LAST_APPLIED]
  strip(object)
  return object
}

function strip(value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) strip(item)
    return
  }
  if (typeof value !== 'object' || value === null) return
  const fields = value as Record<string, unknown>
  for (const [key, inner] of Object.entries(fields)) {
    if (DROPPED.has(key)) delete fields[key]
    else if (CLOUD_INIT.has(key)) fields[key] = {}
    else if (key === 'env' && Array.isArray(inner)) delete fields[key]
    else strip(inner)
  }
}

const SECRETS: [RegExp, string][] = [
  [
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g,
    '[private key]',
  ],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, '$1 [removed]'],
  [/\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g, '[token]'],
  [
    /("?\b(?:pass(?:word|wd)?|secret|token|user-?data(?:base64)?|chpasswd|authorization)"?\s*[:=]\s*)("[^"]*"|'[^']*'|[^\s,;}]+)/gi,
    '$1[removed]',
  ],
]

/** A quoted line of a log without credentials. */
export function redactText(text: string): string {
  return SECRETS.reduce((line, [pattern, by]) => line.replace(pattern, by), text)
}
