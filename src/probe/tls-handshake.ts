import type { Duplex } from 'node:stream'
import { connect, type TLSSocket } from 'node:tls'
import type { KeyPair } from '../tls/certificate.ts'

/** What a port answered to the beginning of a TLS handshake. */
export type HandshakeOutcome =
  | {
      spoke: 'tls'
      /** The peer's certificates, its own first: PEM; empty where it refused us before they could be seen. */
      certificates: string
      /** `TLSv1.3` … */
      protocol: string
      /** Why it ended, as OpenSSL says, `REFUSED` when it hung up after the handshake; undefined when the peer let us in. */
      ended: string | undefined
    }
  /** It hung up, or what it said is no TLS. */
  | { spoke: 'nothing' | 'no-tls'; error: string }

export interface HandshakeOptions {
  timeoutMs: number
  signal: AbortSignal
  /** What is presented when the peer asks for a certificate. */
  pair?: KeyPair | undefined
  /** ms after the handshake in which the peer may still refuse us; without it, all that is left of the time limit. */
  settleMs?: number
}

/**
 * One handshake: what the listener is and who it says it is (fact sheet data-plane.md §12.1, 8). Without a client
 * certificate it cannot succeed with a migration proxy. The stream is destroyed afterwards.
 * Rejects when nothing comes within `timeoutMs`, with the signal's reason, or with the stream's own error before TLS.
 */
export function handshake(
  stream: Duplex,
  { timeoutMs, signal, pair, settleMs }: HandshakeOptions,
): Promise<HandshakeOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<HandshakeOutcome>()
  let seen: Omit<Extract<HandshakeOutcome, { spoke: 'tls' }>, 'ended'> | undefined
  // Every certificate is looked at, also one that would not be accepted: judging it is not done here.
  const socket = connect({
    ...pair,
    socket: stream,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
  })
  const finish = (error: string | undefined) => {
    if (seen) resolve({ ...seen, ended: error })
    else if (error !== undefined && WANTS_CERTIFICATE.test(error))
      resolve({ spoke: 'tls', ...peerOf(socket), ended: error })
    else if (error !== undefined && NO_TLS.test(error)) resolve({ spoke: 'no-tls', error })
    else resolve({ spoke: 'nothing', error: error ?? 'it hung up' })
  }
  const stop = () => reject(signal.reason)
  // With TLS 1.3 its refusal comes after the handshake, if one comes.
  const timers = [
    setTimeout(() => {
      if (seen) finish(undefined)
      else reject(new Error(`no answer to a TLS handshake within ${timeoutMs / 1000}s`))
    }, timeoutMs),
  ]
  signal.addEventListener('abort', stop, { once: true })
  stream.once('error', reject)
  socket.once('secureConnect', () => {
    seen = { spoke: 'tls', ...peerOf(socket) }
    socket.resume()
    if (settleMs !== undefined) timers.push(setTimeout(() => finish(undefined), settleMs))
  })
  socket.on('error', (err: NodeJS.ErrnoException) =>
    // Node calls both ECONNRESET: that it was hung up on, and a reset.
    finish(HUNG_UP.test(err.message) && !seen ? undefined : (err.code ?? err.message)),
  )
  const hungUp = () => finish(seen && 'REFUSED')
  socket.once('end', hungUp)
  socket.once('close', hungUp)
  return promise.finally(() => {
    for (const timer of timers) clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    socket.destroy()
    stream.destroy()
  })
}

const NO_TLS =
  /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|RECORD_TOO_(SMALL|LARGE)|BAD_RECORD_TYPE|UNEXPECTED_MESSAGE|HTTP_REQUEST/

const HUNG_UP = /disconnected before secure TLS connection was established/

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
