import type { PeerCertificate } from 'node:tls'
import { EXIT } from '../errors.ts'
import { ApiError } from './api-error.ts'
import type { ApiRequest } from './cluster.ts'
import { cannot, certificateComplaint, describeUser } from './describe.ts'
import type { Target } from './target.ts'

/** A request that got no answer, or only part of one. `code` is the system's or the TLS library's. */
export function networkError(
  target: Target,
  request: ApiRequest,
  cause: unknown,
  now: number,
): ApiError {
  const { code = 'NETWORK', message } = cause as NodeJS.ErrnoException
  const row = EXPLANATIONS.find(({ codes }) => codes.test(code))
  const failure: Failure = { target, cause, code, message, now, ...ends(target) }
  const hint = row?.hint?.(failure)
  const why = row?.why(failure) ?? refusedByProxy(failure) ?? `${failure.url}: ${message || code}`
  return new ApiError(EXIT.error, `${cannot(request)}: ${why}`, {
    cause,
    code,
    ...(hint && { hint }),
  })
}

/** @param waitingFor what had not come when the time was up */
export function timeLimitError(
  target: Target,
  request: ApiRequest,
  ms: number,
  waitingFor: 'credentials' | 'answer',
): ApiError {
  const { exec } = target.user
  const plugin = exec ? `credential plugin ${exec.command}` : 'the identity provider'
  const { url, peer } = ends(target)
  const through = peer === url ? '' : ` through ${peer}`
  const what = waitingFor === 'credentials' ? `credentials from ${plugin}` : `answer from ${url}`
  return new ApiError(
    EXIT.error,
    `${cannot(request)}: no ${what}${waitingFor === 'answer' ? through : ''} within ${ms / 1000}s`,
    { code: 'TIMEOUT', hint: '--request-timeout sets how long to wait (0: for ever)' },
  )
}

interface Failure {
  target: Target
  cause: unknown
  code: string
  message: string
  now: number
  /** The server. */
  url: string
  /** Who is called: the server, or the proxy before it. */
  peer: string
}

interface Explanation {
  codes: RegExp
  why(failure: Failure): string
  hint?(failure: Failure): string | undefined
}

const EXPLANATIONS: Explanation[] = [
  {
    codes: /^ECONNREFUSED$/,
    why: ({ peer }) => `${peer} refuses connections`,
    hint: () => 'is it running, and is the address in the kubeconfig right?',
  },
  {
    codes: /^(ENOTFOUND|EAI_AGAIN)$/,
    why: ({ peer }) => `the name in ${peer} cannot be resolved`,
    hint: () => 'is the address in the kubeconfig right, and is the network (VPN) up?',
  },
  {
    codes: /^(ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/,
    why: ({ peer, code }) => `${peer} cannot be reached (${code})`,
    hint: () => 'is the network (VPN) up?',
  },
  {
    codes: /^(ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/,
    why: ({ peer }) => `${peer} broke off before its answer was complete`,
    // Some servers do so for a certificate that they don't like.
    hint: ({ target, now }) => certificateComplaint(target, now),
  },
  {
    codes: /^(UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|SELF_SIGNED|DEPTH_ZERO|CERT_SIGNATURE_FAILURE)/,
    why: ({ url, code }) =>
      `the certificate of ${url} is from an authority that the kubeconfig doesn't name (${code})`,
    hint: () => 'is certificate-authority-data that of this cluster, and of today?',
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    why: ({ url, cause }) =>
      `the certificate of ${url} is for other names: ${namesOf(cause) ?? 'it has none'}`,
    hint: () => 'call the server by one of them, or give one as tls-server-name in the kubeconfig',
  },
  {
    codes: /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    why: ({ url, code }) =>
      `the certificate of ${url} ${code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'}`,
    hint: ({ now }) => `is the clock here right? It says ${new Date(now).toISOString()}`,
  },
  {
    codes: /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/,
    why: ({ peer }) => `${peer} does not speak TLS`,
    hint: () => 'is it an http:// address?',
  },
  {
    codes: /^HPE_/,
    why: ({ peer }) => `${peer} does not speak HTTP`,
    hint: () => 'is it an https:// address?',
  },
  {
    codes: /^ERR_SSL_.*ALERT/,
    why: ({ url, target, code }) =>
      `${url} does not accept the client certificate of ${describeUser(target)} (${code})`,
    hint: ({ target, now }) => certificateComplaint(target, now),
  },
]

function namesOf(cause: unknown): string | undefined {
  return (cause as { cert?: PeerCertificate }).cert?.subjectaltname
}

/** hpagent gives no code for it. */
function refusedByProxy({ message, peer, url }: Failure): string | undefined {
  const status = /^Bad response: (\d+)$/.exec(message)?.[1]
  return status && `${peer} refuses to connect to ${url} (HTTP ${status})`
}

function ends({ server }: Target): { url: string; peer: string } {
  const { url, proxyUrl } = server
  if (proxyUrl === undefined) return { url, peer: url }
  const { protocol, host } = new URL(proxyUrl)
  return { url, peer: `proxy ${protocol}//${host}` }
}
