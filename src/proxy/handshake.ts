import type { Socket } from 'node:net'
import { connect, type SecureContext, type Server, type TLSSocket } from 'node:tls'
import { EXIT, MigError } from '../errors.ts'
import { certificateLine, describeX509, type KeyPair } from '../tls/certificate.ts'
import type { Leg } from './leg.ts'
import {
  acceptedClientNames,
  clientContext,
  expectedServerName,
  handshakeServer,
  type ProxyTls,
} from './tls.ts'

/** Does the handshakes of one manager; keeps a context for each identity as long as that is in use. */
export interface Handshakes {
  /** As target: asks for a client certificate and checks it. @throws MigError `tls-…` */
  accept(raw: Socket, tls: ProxyTls): Promise<Leg>
  /** As source: presents `pair` and checks the target's certificate. @throws MigError `tls-…` */
  offer(raw: Socket, tls: ProxyTls, pair: KeyPair): Promise<Leg>
}

export function createHandshakes(handshakeMs: number): Handshakes {
  const acceptors = new WeakMap<ProxyTls, Acceptor>()
  const contexts = new WeakMap<KeyPair, { ca: string; context: SecureContext }>()
  return {
    async accept(raw, tls) {
      const acceptor = acceptors.get(tls) ?? createAcceptor(tls, handshakeMs)
      acceptors.set(tls, acceptor)
      const socket = await acceptor(raw)
      return { kind: 'tls', raw, socket: checked(socket, acceptedClientNames(tls), 'source') }
    },
    async offer(raw, tls, pair) {
      let known = contexts.get(pair)
      if (known?.ca !== tls.ca) {
        known = { ca: tls.ca, context: clientContext(tls, pair) }
        contexts.set(pair, known)
      }
      const socket = await clientHandshake(raw, known.context, handshakeMs)
      return { kind: 'tls', raw, socket: checked(socket, [expectedServerName(tls)], 'target') }
    },
  }
}

type Acceptor = (raw: Socket) => Promise<TLSSocket>

/** Events of a TLS server name the secured socket; the addresses of both ends tell whose it is. */
function createAcceptor(tls: ProxyTls, handshakeMs: number): Acceptor {
  const server = handshakeServer(tls, requirePair(tls.server, 'server'), handshakeMs)
  const waiting = new Map<string, { resolve(s: TLSSocket): void; reject(err: unknown): void }>()
  server.on('secureConnection', (socket) => waiting.get(endsOf(socket))?.resolve(socket))
  server.on('tlsClientError', (err, socket) => waiting.get(endsOf(socket))?.reject(err))
  return (raw) => handOver(server, waiting, raw)
}

function handOver(
  server: Server,
  waiting: Map<string, { resolve(s: TLSSocket): void; reject(err: unknown): void }>,
  raw: Socket,
): Promise<TLSSocket> {
  const ends = endsOf(raw)
  return new Promise<TLSSocket>((resolve, reject) => {
    waiting.set(ends, { resolve, reject })
    raw.once('close', () => reject(new Error('EOF')))
    server.emit('connection', raw)
  })
    .finally(() => waiting.delete(ends))
    .catch((cause) => {
      raw.destroy()
      throw handshakeFailed(cause)
    })
}

function endsOf(socket: Socket): string {
  const { remoteAddress, remotePort, localAddress, localPort } = socket
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
}

function clientHandshake(
  raw: Socket,
  secureContext: SecureContext,
  handshakeMs: number,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    // No server name: KubeVirt dials addresses and sends none. Names are checked by `checked`.
    const socket = connect({
      socket: raw,
      secureContext,
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    })
    const fail = (cause: Error) => {
      settle()
      socket.on('error', () => {})
      socket.destroy()
      raw.destroy()
      reject(handshakeFailed(cause))
    }
    const onClose = () => fail(new Error('EOF'))
    const timer = setTimeout(
      () => fail(Object.assign(new Error(), { code: 'ERR_TLS_HANDSHAKE_TIMEOUT' })),
      handshakeMs,
    )
    const settle = () => {
      clearTimeout(timer)
      socket.off('error', fail).off('close', onClose).off('end', onClose)
    }
    socket.on('error', fail).on('close', onClose).on('end', onClose)
    socket.once('secureConnect', () => {
      settle()
      resolve(socket)
    })
  })
}

/** The only gate: not a byte moves before the chain and the Common Name were found right. */
function checked(
  socket: TLSSocket,
  expected: readonly string[],
  peer: 'source' | 'target',
): TLSSocket {
  const x509 = socket.getPeerX509Certificate()
  const certificate = x509 && describeX509(x509)
  if (socket.authorized && certificate && expected.includes(certificate.commonName)) return socket
  socket.on('error', () => {})
  socket.destroy()
  if (!certificate) {
    throw new MigError(EXIT.error, `the ${peer} presented no certificate`, {
      code: 'tls-no-certificate',
    })
  }
  if (!socket.authorized) {
    throw new MigError(
      EXIT.error,
      `the ${peer}'s certificate ${certificateLine(certificate)} was not accepted: ${socket.authorizationError}`,
      { code: 'tls-untrusted', cause: socket.authorizationError },
    )
  }
  throw new MigError(
    EXIT.error,
    `common name is invalid, got ${certificate.commonName}, expected ${expected.join(' or ')}`,
    { code: 'tls-wrong-name' },
  )
}

export function requirePair(pair: KeyPair | undefined, what: 'server' | 'client'): KeyPair {
  if (pair) return pair
  throw new MigError(EXIT.error, `no ${what} certificate`, { code: 'tls-no-own-certificate' })
}

function handshakeFailed(cause: Error & { code?: string }): MigError {
  const timedOut = cause.code === 'ERR_TLS_HANDSHAKE_TIMEOUT'
  const why = timedOut ? 'no answer within the time limit' : cause.message
  return new MigError(EXIT.error, `TLS handshake: ${why}`, {
    code: timedOut ? 'tls-timeout' : 'tls-handshake',
    cause,
  })
}
