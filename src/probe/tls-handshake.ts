import type { Duplex } from 'node:stream'
import { connect, type TLSSocket } from 'node:tls'

/** What a port answered to the beginning of a TLS handshake. */
export type HandshakeOutcome =
  | {
      spoke: 'tls'
      /** The peer's certificates, its own first: PEM; empty where it refused us before they could be seen. */
      certificates: string
      /** `TLSv1.3` … */
      protocol: string
      /** Why it ended, as OpenSSL says; undefined when the peer let us in without a certificate. */
      ended: string | undefined
    }
  /** It hung up, or what it said is no TLS. */
  | { spoke: 'nothing' | 'no-tls'; error: string }

/**
 * One handshake, without a client certificate, so that it cannot succeed with a migration proxy: what the listener is and
 * who it says it is (fact sheet data-plane.md §12.1, 8). The stream is destroyed afterwards.
 * Rejects when nothing comes within `timeoutMs`, with the signal's reason, or with the stream's own error before TLS.
 */
export function handshake(
  stream: Duplex,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<HandshakeOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<HandshakeOutcome>()
  let seen: Omit<Extract<HandshakeOutcome, { spoke: 'tls' }>, 'ended'> | undefined
  // Every certificate is looked at, also one that would not be accepted: judging it is not done here.
  const socket = connect({ socket: stream, rejectUnauthorized: false, minVersion: 'TLSv1.2' })
  const finish = (error: string | undefined) => {
    if (seen) resolve({ ...seen, ended: error })
    else if (error !== undefined && WANTS_CERTIFICATE.test(error))
      resolve({ spoke: 'tls', ...peerOf(socket), ended: error })
    else if (error !== undefined && NO_TLS.test(error)) resolve({ spoke: 'no-tls', error })
    else resolve({ spoke: 'nothing', error: error ?? 'it hung up' })
  }
  const stop = () => reject(signal.reason)
  // With TLS 1.3 its refusal comes after the handshake, if one comes.
  const timer = setTimeout(() => {
    if (seen) finish(undefined)
    else reject(new Error(`no answer to a TLS handshake within ${timeoutMs / 1000}s`))
  }, timeoutMs)
  signal.addEventListener('abort', stop, { once: true })
  stream.once('error', reject)
  socket.once('secureConnect', () => {
    seen = { spoke: 'tls', ...peerOf(socket) }
    socket.resume()
  })
  socket.on('error', (err: NodeJS.ErrnoException) => finish(err.code ?? err.message))
  socket.once('end', () => finish(undefined))
  socket.once('close', () => finish(undefined))
  return promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    socket.destroy()
    stream.destroy()
  })
}

const NO_TLS =
  /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|RECORD_TOO_(SMALL|LARGE)|BAD_RECORD_TYPE|UNEXPECTED_MESSAGE|HTTP_REQUEST/

/** With TLS 1.2 the refusal is a part of the handshake. */
const WANTS_CERTIFICATE = /ALERT_(BAD_CERTIFICATE|CERTIFICATE_REQUIRED)/

function peerOf(socket: TLSSocket): { certificates: string; protocol: string } {
  const chain: string[] = []
  const known = new Set<string>()
  let next = socket.getPeerX509Certificate()
  while (next && !known.has(next.fingerprint256)) {
    known.add(next.fingerprint256)
    chain.push(next.toString())
    next = next.issuerCertificate
  }
  return { certificates: chain.join(''), protocol: socket.getProtocol() ?? '' }
}
