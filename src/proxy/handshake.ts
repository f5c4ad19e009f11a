import type { Socket } from 'node:net'
import { connect, type SecureContext, type Server, type TLSSocket } from 'node:tls'
import type { Clock } from '../clock.ts'
import { EXIT, MigError } from '../errors.ts'
import { describeX509, type KeyPair, readCertificates } from '../tls/certificate.ts'
import { isTrusted, parseBundle } from '../tls/chain.ts'
import { explainTlsFailure, type TlsFailure } from '../tls/mismatch.ts'
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
  /** As source: dials, presents a client certificate and checks the target's. @throws MigError `tls-…`, TlsRefused */
  offer(dial: () => Promise<Socket>, tls: ProxyTls, how: OfferOptions): Promise<Leg>
}

interface OfferOptions {
  pair: KeyPair | undefined
  /**
   * ms to wait for a sign that the target took our certificate. In TLS 1.3 a refusal comes after the client thinks
   * the handshake is over; but a server sends its session ticket only to whom it has accepted.
   */
  confirmMs: number
}

/** The peer didn't like our certificate; another one may please. */
export class TlsRefused extends MigError {}

export function createHandshakes(handshakeMs: number, clock: Clock): Handshakes {
  const acceptors = new WeakMap<ProxyTls, Acceptor>()
  const contexts = new WeakMap<KeyPair, { ca: string; context: SecureContext }>()

  return {
    async accept(raw, tls) {
      const view = viewOf('target', tls, tls.server, clock)
      const acceptor = acceptors.get(tls) ?? createAcceptor(tls, view.pair, handshakeMs)
      acceptors.set(tls, acceptor)
      const socket = await acceptor(raw).catch((err) => {
        raw.destroy()
        throw view.failed(codeOf(err), peerCertificate(err.socket))
      })
      return view.checked(raw, socket)
    },

    async offer(dial, tls, { pair, confirmMs }) {
      const view = viewOf('source', tls, pair, clock)
      const known = contexts.get(view.pair)
      const context = known?.ca === tls.ca ? known.context : clientContext(tls, view.pair)
      contexts.set(view.pair, { ca: tls.ca, context })
      const raw = await dial()
      let socket: TLSSocket | undefined
      try {
        socket = await clientHandshake(raw, context, handshakeMs)
        const leg = view.checked(raw, socket)
        if (confirmMs > 0 && socket.getProtocol() === 'TLSv1.3') await confirmed(socket, confirmMs)
        return leg
      } catch (err) {
        raw.destroy()
        if (err instanceof MigError) throw err
        throw view.failed(codeOf(err as Error), peerCertificate(socket))
      }
    },
  }
}

/** One side's look at the peer: what it expects, and how it words what it doesn't get. */
function viewOf(role: TlsFailure['role'], tls: ProxyTls, own: KeyPair | undefined, clock: Clock) {
  const expectedNames = role === 'target' ? acceptedClientNames(tls) : [expectedServerName(tls)]
  const explain = (error: string, theirs?: TlsFailure['theirs']) =>
    explainTlsFailure(
      {
        role,
        error,
        ours: own && readCertificates(own.cert, 'our certificate')[0],
        theirs,
        ...(own && { oursIsTrusted: isTrusted(parseBundle(own.cert), parseBundle(tls.ca)) }),
        authorities: readCertificates(tls.ca, 'the bundle'),
        expectedNames,
      },
      clock.now(),
    )
  const failed = (error: string, theirs?: TlsFailure['theirs']) => {
    const { code, message, weWereRefused } = explain(error, theirs)
    return new (weWereRefused ? TlsRefused : MigError)(EXIT.error, message, { code })
  }
  if (!own) throw failed('NO_OWN_CERTIFICATE')

  /** The only gate: not a byte moves before the chain and the Common Name were found right. */
  const checked = (raw: Socket, socket: TLSSocket): Leg => {
    const theirs = peerCertificate(socket)
    const refuse = (error: string) => {
      socket.on('error', () => {})
      socket.destroy()
      return failed(error, theirs)
    }
    if (!theirs) throw refuse('NO_PEER_CERTIFICATE')
    if (!socket.authorized) throw refuse(String(socket.authorizationError))
    if (!expectedNames.includes(theirs.commonName)) throw refuse('WRONG_NAME')
    return { kind: 'tls', raw, socket, explain: (error) => explain(error, theirs) }
  }
  return { pair: own, failed, checked }
}

type Acceptor = (raw: Socket) => Promise<TLSSocket>

/** Events of a TLS server name the secured socket; the addresses of both ends tell whose it is. */
function createAcceptor(tls: ProxyTls, pair: KeyPair, handshakeMs: number): Acceptor {
  const server: Server = handshakeServer(tls, pair, handshakeMs)
  const waiting = new Map<string, { resolve(s: TLSSocket): void; reject(err: unknown): void }>()
  server.on('secureConnection', (socket) => {
    socket.allowHalfOpen = true
    waiting.get(endsOf(socket))?.resolve(socket)
  })
  server.on('tlsClientError', (err, socket) =>
    waiting.get(endsOf(socket))?.reject(Object.assign(err, { socket })),
  )
  return (raw) => {
    const ends = endsOf(raw)
    return new Promise<TLSSocket>((resolve, reject) => {
      waiting.set(ends, { resolve, reject })
      raw.once('close', () => reject(coded('EOF')))
      // Who hangs up during the handshake is done with; half-closing begins after it.
      raw.allowHalfOpen = false
      server.emit('connection', raw)
    }).finally(() => waiting.delete(ends))
  }
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
  // No server name: KubeVirt dials addresses and sends none. Names are checked by `checked`.
  const socket = connect({
    socket: raw,
    secureContext,
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
  })
  return settled(socket, 'secureConnect', 'EOF', handshakeMs, (_, reject) =>
    reject(coded('TIMEOUT')),
  )
}

/** Silence is consent: some servers send no ticket. */
function confirmed(socket: TLSSocket, ms: number): Promise<TLSSocket> {
  return settled(socket, 'session', 'REFUSED', ms, (resolve) => resolve(socket))
}

/** Waits for an event; an end of the connection before it is the error `ifOver`. */
function settled(
  socket: TLSSocket,
  event: 'secureConnect' | 'session',
  ifOver: string,
  ms: number,
  onTimeout: (resolve: (socket: TLSSocket) => void, reject: (err: Error) => void) => void,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const clear = () => {
      clearTimeout(timer)
      socket.off(event, good).off('error', bad).off('close', over).off('end', over)
    }
    const good = () => {
      clear()
      resolve(socket)
    }
    const bad = (err: Error) => {
      clear()
      socket.on('error', () => {})
      socket.destroy()
      reject(err)
    }
    const over = () => bad(coded(ifOver))
    const timer = setTimeout(() => {
      clear()
      onTimeout(resolve, bad)
    }, ms)
    socket.on(event, good).on('error', bad).on('close', over).on('end', over)
  })
}

function coded(code: string): Error {
  return Object.assign(new Error(code), { code })
}

function codeOf(err: Error & { code?: string }): string {
  return err.code ?? err.message
}

function peerCertificate(socket: TLSSocket | undefined): TlsFailure['theirs'] {
  const x509 = socket?.getPeerX509Certificate?.()
  return x509 && describeX509(x509)
}
