import { createSecureContext, createServer, type SecureContext, type Server } from 'node:tls'
import type { KeyPair } from '../tls/certificate.ts'
import { CLIENT_NAMES, SERVER_NAME } from '../tls/names.ts'

/**
 * KubeVirt's three TLS configurations apart (data-plane.md §2.1–2.3). All PEM. What is missing only matters to the
 * side that needs it: a target presents `server`, a source `client`.
 */
export interface ProxyTls {
  /** A bundle of one or several authorities. */
  ca: string
  server?: KeyPair
  client?: KeyPair
  /** What a source tries when a target refuses `client`: for targets up to KubeVirt 1.6 (§2.8). */
  legacyClient?: KeyPair
  /** Common Names a target lets in; those of all releases unless said otherwise. */
  acceptedClientNames?: readonly string[]
  /** Common Name that a source expects of a target. */
  serverName?: string
}

/**
 * Read at every start and at every handshake, as KubeVirt does: what changes counts for new connections, a listener
 * keeps its mode. Return the same object as long as nothing changed: contexts are kept by identity.
 */
export type TlsProvider = () => ProxyTls | 'disabled'

export function acceptedClientNames(tls: ProxyTls): readonly string[] {
  return tls.acceptedClientNames ?? CLIENT_NAMES
}

export function expectedServerName(tls: ProxyTls): string {
  return tls.serverName ?? SERVER_NAME
}

/** AES-128-GCM first: the fastest with the processor's help, and enough; then what Go offers. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

const COMMON = { minVersion: 'TLSv1.2', ciphers: CIPHERS } as const

/**
 * A TLS server that listens nowhere: connections are handed to it for their handshake. It lets every certificate
 * pass so that the reason of a refusal can be told; the caller checks before a byte moves (data-plane.md §2.9).
 */
export function handshakeServer(tls: ProxyTls, pair: KeyPair, handshakeMs: number): Server {
  return createServer({
    ...COMMON,
    ...pair,
    ca: tls.ca,
    honorCipherOrder: true,
    requestCert: true,
    rejectUnauthorized: false,
    allowHalfOpen: true,
    handshakeTimeout: handshakeMs,
  })
}

export function clientContext(tls: ProxyTls, pair: KeyPair): SecureContext {
  return createSecureContext({ ...COMMON, ...pair, ca: tls.ca })
}
