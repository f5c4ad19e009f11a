import type { KeyPair } from '../tls/certificate.ts'
import { dial, type ListenerSighting } from './local-listener.ts'
import { type HandshakeOutcome, handshake } from './tls-handshake.ts'

/** What became of one TLS handshake from this machine, after one TCP connection. */
export interface TlsSighting {
  tcp: ListenerSighting
  /** Undefined where there was no connection; `silent` when nothing came within the time limit. */
  handshake?: HandshakeOutcome | { spoke: 'silent' }
}

/** A refusal takes no longer than this after the handshake. */
const SETTLE_MS = 500

/** Shakes hands as a migration proxy of the source does, and goes. Rejects only with the signal's reason. */
export async function lookAtTls(
  host: string,
  port: number,
  limits: { timeoutMs: number; signal: AbortSignal; pair: KeyPair | undefined },
): Promise<TlsSighting> {
  const { sighting, socket } = await dial(host, port, limits)
  if (!socket)
    return {
      tcp: sighting,
      ...(sighting.outcome === 'connected' && {
        handshake: { spoke: 'nothing', error: sighting.detail ?? 'it hung up' },
      }),
    }
  try {
    const outcome = await handshake(socket, { ...limits, settleMs: SETTLE_MS })
    return { tcp: sighting, handshake: outcome }
  } catch (err) {
    if (limits.signal.aborted) throw err
    const { code } = err as NodeJS.ErrnoException
    return {
      tcp: sighting,
      handshake: code ? { spoke: 'nothing', error: code } : { spoke: 'silent' },
    }
  }
}
