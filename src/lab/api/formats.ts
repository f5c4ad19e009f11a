/**
 * The forms of names and labels, each as a function that says what is wrong with a text, in the words of Kubernetes
 * (k8s.io/apimachinery/pkg/util/validation); nothing when it is well formed.
 */

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/

const QUALIFIED_FORM =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

/** A DNS subdomain: most objects' names. */
export function subdomainFaults(text: string): string[] {
  return [
    ...(text.length > 253 ? ['must be no more than 253 bytes'] : []),
    ...(SUBDOMAIN.test(text)
      ? []
      : [
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        ]),
  ]
}

/** One label of a DNS name: namespaces, services, containers. */
export function dnsLabelFaults(text: string): string[] {
  if (text.length > 63) return ['must be no more than 63 characters']
  if (DNS_LABEL.test(text)) return []
  if (SUBDOMAIN.test(text)) return ['must not contain dots']
  return [
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  ]
}

/** `example.com/name` or `name`: annotations' keys, finalizers. @param what it is called where it has too many parts */
export function qualifiedNameFaults(text: string, what = 'a qualified name'): string[] {
  const parts = text.split('/')
  const name = parts.at(-1) ?? ''
  if (parts.length > 2)
    return [
      `${what} ${QUALIFIED_FORM} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  const [prefix = ''] = parts
  const prefixFaults =
    parts.length === 1 ? [] : prefix === '' ? ['must be non-empty'] : subdomainFaults(prefix)
  return [
    ...prefixFaults.map((fault) => `prefix part ${fault}`),
    ...(name === '' ? ['name part must be non-empty'] : []),
    ...(name.length > 63 ? ['name part must be no more than 63 bytes'] : []),
    ...(QUALIFIED.test(name) ? [] : [`name part ${QUALIFIED_FORM}`]),
  ]
}

export function labelKeyFaults(text: string): string[] {
  return qualifiedNameFaults(text, 'a valid label key')
}

export function labelValueFaults(text: string): string[] {
  return [
    ...(Buffer.byteLength(text) > 63 ? ['must be no more than 63 bytes'] : []),
    ...(LABEL_VALUE.test(text)
      ? []
      : [
          "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
        ]),
  ]
}

/** A step of a path: names of roles, which may hold all but what would end it. */
export function pathSegmentFaults(text: string): string[] {
  if (text === '.' || text === '..') return [`may not be '${text}'`]
  return ['/', '%'].filter((sign) => text.includes(sign)).map((sign) => `may not contain '${sign}'`)
}
