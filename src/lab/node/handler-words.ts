import type { ProxyRecord } from '../../proxy/log.ts'

/**
 * What KubeVirt's virt-handler logs of its proxy, in the place of what ours says: the reasons are Go's (fact sheet
 * data-plane.md §2.7), and of what only ours notices there is no line.
 * @param isRefused whether the source may have disliked the certificate that we show
 */
export function handlerRecord(record: ProxyRecord, isRefused: boolean): ProxyRecord | undefined {
  const { code, reason = '', ...rest } = record
  if (record.level === 'warning') return undefined
  if (code === undefined) return record
  const isSource = record.listening?.endsWith('.sock') === true
  const words = WORDS[code]?.(reason, isSource) ?? reason
  return { ...rest, reason: code === 'tls-hung-up' && !isSource && isRefused ? BAD : words }
}

const BAD = 'remote error: tls: bad certificate'

const WORDS: Record<string, (reason: string, isSource: boolean) => string> = {
  'tls-peer-plain': () => 'tls: first record does not look like a TLS handshake',
  'tls-hung-up': () => 'EOF',
  'tls-no-certificate': (_, isSource) =>
    isSource ? 'no server certificate provided' : "tls: client didn't provide a certificate",
  'tls-wrong-name': (reason) => /common name is invalid, got [^,]*/.exec(reason)?.[0] ?? reason,
  'tls-unknown-authority': (_, isSource) =>
    verified('x509: certificate signed by unknown authority', isSource),
  'tls-not-valid-now': (reason, isSource) => {
    const [, how, limit, now] = /'s (ended|begins) (\S+), it is now ([^;\s]+)/.exec(reason) ?? []
    const order = how === 'ended' ? 'after' : 'before'
    const dates = limit ? `: current time ${now} is ${order} ${limit}` : ''
    return verified(`x509: certificate has expired or is not yet valid${dates}`, isSource)
  },
  'tls-we-are-unknown': () => 'remote error: tls: unknown certificate authority',
  'tls-we-are-expired': () => 'remote error: tls: expired certificate',
  'tls-we-have-none': () => 'remote error: tls: certificate required',
  'tls-refused': () => BAD,
}

/** Go checks a client's chain itself, KubeVirt a server's. */
function verified(what: string, isSource: boolean): string {
  return isSource
    ? `could not verify peer certificate: ${what}`
    : `tls: failed to verify certificate: ${what}`
}
