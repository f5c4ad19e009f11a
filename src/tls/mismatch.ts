import { type Certificate, certificateLine } from './certificate.ts'
import { CLIENT_NAMES, LEGACY_CLIENT_NAME, MIGRATION_CLIENT_NAME, SERVER_NAME } from './names.ts'

type Authority = Pick<Certificate, 'commonName' | 'notBefore' | 'notAfter'>

/** What is known when the TLS between two migration proxies doesn't come about, on the side that tells of it. */
export interface TlsFailure {
  /** Which side we are: a source dials and presents a client certificate, a target listens. */
  role: 'source' | 'target'
  /** A trial from a command line is no proxy and has other flags. */
  isTrial?: true
  /**
   * Node's, OpenSSL's or one of ours: `EOF` (hung up during the handshake), `REFUSED` (hung up right after it without
   * a byte or an alert), `NO_PEER_CERTIFICATE`, `NO_OWN_CERTIFICATE`, `WRONG_NAME`, `TIMEOUT`.
   */
  error: string
  ours?: Certificate | undefined
  /** Whether one of the authorities has signed ours; the peer's bundle is taken to be the same. Undefined: not known. */
  oursIsTrusted?: boolean
  theirs?: Certificate | undefined
  /** Those that we trust. */
  authorities: readonly Authority[]
  /** Common Names that we accept of the peer. */
  expectedNames: readonly string[]
}

export interface TlsExplanation {
  /** `tls-…`, stable. */
  code: string
  /** One line: what happened to which certificate, and what to do. */
  message: string
  /** Its first part, and its last. */
  what: string
  todo: string
  /** Whether it was our certificate that displeased. */
  weWereRefused: boolean
  /** What is wrong with ours, as far as it is to be seen from here. */
  fault: string | undefined
}

/**
 * The table of fact sheet data-plane.md §2.7, for what Node and OpenSSL say: one line for each way two proxies don't
 * come to terms. Both certificates' names and dates are always in it, as far as they were seen.
 * @param now ms since the epoch
 */
export function explainTlsFailure(failure: TlsFailure, now: number): TlsExplanation {
  const row = ROWS.find(({ error }) => error.test(failure.error)) ?? OTHER
  const seen = [
    failure.ours && `ours is ${certificateLine(failure.ours)}`,
    failure.theirs && `the ${peerOf(failure)}'s is ${certificateLine(failure.theirs)}`,
  ]
  const what = row.what(failure, now)
  const todo = row.todo(failure, now)
  return {
    code: row.code,
    message: [what, ...seen, todo].filter(Boolean).join('; '),
    what,
    todo,
    weWereRefused: row.weWereRefused ?? false,
    fault: faultOf(failure, now),
  }
}

interface Row {
  code: string
  error: RegExp
  weWereRefused?: true
  what(failure: TlsFailure, now: number): string
  todo(failure: TlsFailure, now: number): string
}

function sameTls({ isTrial }: TlsFailure): string {
  return isTrial
    ? 'KubeVirt of both sides must have disableTLS, or of neither'
    : 'use --disable-tls (KubeVirt: disableTLS) on both sides or on neither'
}

function ownPairFlags({ isTrial }: TlsFailure): string {
  return isTrial ? '--cert and --key' : '--client-cert and --client-key'
}

const ROWS: Row[] = [
  {
    code: 'tls-peer-plain',
    error:
      /WRONG_VERSION_NUMBER|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG|RECORD_TOO_(SMALL|LARGE)|BAD_RECORD_TYPE|UNEXPECTED_MESSAGE/,
    what: (f) =>
      `the ${peerOf(f)} doesn't speak TLS: first record does not look like a TLS handshake`,
    todo: sameTls,
  },
  {
    code: 'tls-timeout',
    error: /^TIMEOUT$|TLS_HANDSHAKE_TIMEOUT/,
    what: (f) => `the ${peerOf(f)} didn't finish the TLS handshake within the time limit`,
    todo: (f) => `it hangs, or it doesn't speak TLS: ${sameTls(f)}`,
  },
  {
    code: 'tls-hung-up',
    error: /^EOF$|^ECONNRESET$|^EPIPE$/,
    what: (f, now) =>
      f.role === 'source'
        ? f.error === 'EOF'
          ? 'EOF: the target hung up during the TLS handshake'
          : `${f.error}: the target reset the connection during the TLS handshake`
        : `EOF: the source hung up during the TLS handshake, so it refused our certificate or was stopped; ${likelyFault(f, now)}`,
    todo: (f) =>
      f.role === 'source'
        ? `its log has the reason: its launcher's socket is missing, it has no certificate yet, or it doesn't speak TLS (${sameTls(f)})`
        : "the source's log has the reason; a port scan looks the same",
  },
  {
    code: 'tls-no-certificate',
    error: /^NO_PEER_CERTIFICATE$|PEER_DID_NOT_RETURN_A_CERTIFICATE/,
    what: (f) =>
      f.role === 'target'
        ? "client didn't provide a certificate"
        : "the target didn't provide a certificate",
    todo: (f) =>
      f.role === 'target'
        ? 'a TLS probe or scanner, or a source without --client-cert'
        : f.isTrial
          ? `see whether its secret ${secretOf(f)} is mounted`
          : 'give the target --server-cert and --server-key',
  },
  {
    code: 'tls-no-own-certificate',
    error: /^NO_OWN_CERTIFICATE$/,
    what: (f) =>
      f.role === 'source'
        ? 'No client certificate, client is not yet ready to talk to the server'
        : 'No server certificate, server is not yet ready to receive traffic',
    todo: (f) =>
      f.role === 'source' ? `give ${ownPairFlags(f)}` : 'give --server-cert and --server-key',
  },
  {
    code: 'tls-wrong-name',
    error: /^WRONG_NAME$/,
    what: (f) =>
      `common name is invalid, got ${f.theirs?.commonName}, expected ${f.expectedNames.join(' or ')}`,
    todo: nameAdvice,
  },
  {
    code: 'tls-not-valid-now',
    error: /^CERT_HAS_EXPIRED$|^CERT_NOT_YET_VALID$/,
    what: (f, now) =>
      `certificate has expired or is not yet valid: ${whoseDates(f, now)}, it is now ${time(now)}`,
    todo: (f) => `renew it, or set this machine's or the ${peerOf(f)}'s clock right`,
  },
  {
    code: 'tls-wrong-usage',
    error: /^INVALID_PURPOSE$/,
    what: (f) =>
      `certificate specifies an incompatible key usage: the ${peerOf(f)} must present a ${usageOf(f)} certificate`,
    todo: (f) => `give the ${peerOf(f)} the right one (secret ${secretOf(f)})`,
  },
  {
    code: 'tls-unknown-authority',
    error: /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|INVALID_CA$|HOSTNAME_)/,
    what: (f) => `certificate signed by unknown authority: ${strangerOf(f)}`,
    todo: (f) => `add the ${peerOf(f)}'s authority to --ca (configmap kubevirt-ca, key ca-bundle)`,
  },
  {
    code: 'tls-we-are-unknown',
    error: /ALERT_UNKNOWN_CA$/,
    weWereRefused: true,
    what: (f) => `the ${peerOf(f)} says: unknown certificate authority; it doesn't trust ours`,
    todo: (f) =>
      `add ${f.ours?.issuer ?? 'our authority'} to the ${peerOf(f)}'s bundle (configmap kubevirt-ca; across clusters kubevirt-external-ca)`,
  },
  {
    code: 'tls-we-are-expired',
    error: /ALERT_CERTIFICATE_EXPIRED$/,
    weWereRefused: true,
    what: (f, now) => `the ${peerOf(f)} says: expired certificate; here it is now ${time(now)}`,
    todo: (f) => `renew ours, or set this machine's or the ${peerOf(f)}'s clock right`,
  },
  {
    code: 'tls-version',
    error: /UNSUPPORTED_PROTOCOL$|ALERT_PROTOCOL_VERSION$|NO_PROTOCOLS_AVAILABLE$|VERSION_TOO_LOW$/,
    what: (f) =>
      `no TLS version in common: protocol version not supported; the ${peerOf(f)} is set otherwise`,
    todo: () => 'we speak TLS 1.2 and 1.3; set minTLSVersion of the KubeVirt CR to one of them',
  },
  {
    code: 'tls-cipher',
    error: /NO_SHARED_CIPHER$|ALERT_HANDSHAKE_FAILURE$/,
    what: () => 'no cipher suite supported by both client and server',
    todo: () => 'see tlsConfiguration.ciphers of the KubeVirt CR; we offer AES-GCM and ChaCha20',
  },
  {
    code: 'tls-we-have-none',
    error: /ALERT_CERTIFICATE_REQUIRED$/,
    weWereRefused: true,
    what: (f) => `the ${peerOf(f)} says: certificate required; we presented none`,
    todo: (f) => `give ${ownPairFlags(f)}`,
  },
  {
    code: 'tls-peer-not-ready',
    error: /ALERT_INTERNAL_ERROR$/,
    what: (f) =>
      `the ${peerOf(f)} says: internal error; it has no certificate or no authority loaded`,
    todo: (f) => `see the ${peerOf(f)}'s log; it mends itself when its secrets are mounted`,
  },
  {
    code: 'tls-refused',
    error:
      /ALERT_(BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_UNKNOWN|CERTIFICATE_REVOKED|ACCESS_DENIED|DECRYPT_ERROR)$/,
    weWereRefused: true,
    what: (f, now) => `the ${peerOf(f)} says: bad certificate; ${likelyFault(f, now)}`,
    todo: refusalAdvice,
  },
  {
    code: 'tls-refused',
    error: /^REFUSED$/,
    weWereRefused: true,
    what: (f, now) =>
      `the ${peerOf(f)} hung up right after the handshake without a byte, so it refused our certificate, ${f.role === 'source' ? "nothing listens at the launcher's socket behind it" : 'its QEMU has gone'}, or it was stopped; ${likelyFault(f, now)}`,
    todo: refusalAdvice,
  },
]

const OTHER: Row = {
  code: 'tls-failed',
  error: /./,
  what: (f) => `the TLS with the ${peerOf(f)} failed: ${f.error}`,
  todo: (f) => `see the ${peerOf(f)}'s log`,
}

/** What of our own certificate a peer can have disliked, as far as it is to be seen from here. */
function likelyFault(failure: TlsFailure, now: number): string {
  if (!failure.ours) return 'ours was not seen'
  return faultOf(failure, now) ?? 'nothing is wrong with ours as seen from here'
}

function faultOf(
  { role, ours, oursIsTrusted, theirs, authorities }: TlsFailure,
  now: number,
): string | undefined {
  if (!ours) return undefined
  const wanted = role === 'source' ? 'client' : 'server'
  if (now < ours.notBefore || now > ours.notAfter) return 'ours is not valid now'
  if (ours.usages.length > 0 && !ours.usages.includes(wanted))
    return `ours is no ${wanted} certificate`
  if (role === 'target' && ours.commonName !== SERVER_NAME) return `ours isn't named ${SERVER_NAME}`
  if (role === 'source' && !CLIENT_NAMES.includes(ours.commonName)) {
    return `ours has none of the names that KubeVirt accepts (${CLIENT_NAMES.join(', ')})`
  }
  if (oursIsTrusted === false)
    return `none of the authorities of our bundle has signed ours (${list(authorities)})`
  if (theirs && ours.issuer !== theirs.issuer) return 'the two have different signers'
  return undefined
}

/** An authority that was made anew has the name of the old one. */
function strangerOf({ theirs, authorities }: TlsFailure): string {
  const namesake = authorities.find(({ commonName }) => commonName === theirs?.issuer)
  return namesake
    ? `its signer is another ${namesake.commonName}, of the same name but with another key, than that of our bundle (valid ${time(namesake.notBefore)} to ${time(namesake.notAfter)})`
    : `${theirs?.issuer ?? 'its signer'} is not in our bundle (${list(authorities)})`
}

function refusalAdvice({ role, ours, isTrial }: TlsFailure): string {
  if (role === 'target') return `the source expects the name ${SERVER_NAME}; its log has the reason`
  if (ours?.commonName === MIGRATION_CLIENT_NAME) {
    return `targets up to KubeVirt 1.6 accept only ${LEGACY_CLIENT_NAME}: give ${isTrial ? 'that one with --cert and --key (secret kubevirt-virt-handler-certs)' : '--legacy-client-cert'}; else the target's log has the reason`
  }
  return `targets of KubeVirt 1.7 and newer want ${MIGRATION_CLIENT_NAME}; the target's log has the reason`
}

function nameAdvice(failure: TlsFailure): string {
  if (failure.role === 'source') {
    return `the target must present the certificate of secret ${secretOf(failure)}`
  }
  const got = failure.theirs?.commonName ?? ''
  return CLIENT_NAMES.includes(got)
    ? `the source is of another KubeVirt release: finish the upgrade, or accept it with --accept-client-name ${got}`
    : 'only migration proxies may connect here'
}

function whoseDates(failure: TlsFailure, now: number): string {
  const { theirs } = failure
  const peer = peerOf(failure)
  if (!theirs) return 'one of the chain'
  if (now > theirs.notAfter) return `the ${peer}'s ended ${time(theirs.notAfter)}`
  if (now < theirs.notBefore) return `the ${peer}'s begins ${time(theirs.notBefore)}`
  return `not the ${peer}'s own, but an authority of its chain`
}

function peerOf({ role }: TlsFailure): 'source' | 'target' {
  return role === 'source' ? 'target' : 'source'
}

function usageOf({ role }: TlsFailure): string {
  return role === 'source' ? 'server' : 'client'
}

function secretOf({ role }: TlsFailure): string {
  return role === 'source'
    ? 'kubevirt-virt-handler-server-certs'
    : 'kubevirt-virt-handler-migration-client-certs'
}

function list(authorities: readonly Authority[]): string {
  const names = authorities.map(({ commonName }) => commonName)
  return names.length === 0 ? 'it is empty' : names.join(', ')
}

function time(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}
