import type { Leg } from './leg.ts'
import type { PumpEnd } from './pump.ts'
import type { Direction } from './relay.ts'

/** KubeVirt's messages (data-plane.md §1.6). */
export const DIAL_FAILED = 'unable to create outbound leg of proxy to host'
export const STOPPED = 'stop channel terminated proxy'
export const COPY_FAILED: Record<Direction, string> = {
  out: 'error encountered copying data to outbound connection',
  in: 'error encountered copying data into inbound connection',
}

export function copied(direction: Direction, bytes: number): string {
  return direction === 'out'
    ? `${bytes} bytes copied from inbound to outbound`
    : `${bytes} bytes copied outbound to inbound`
}

export interface Reason {
  code: string
  message: string
}

/**
 * Why a direction broke off.
 * @param answered whether the peer of the leg `from` has sent anything, on this connection or another: one of TLS that breaks
 * off at once, and never has, refused us
 */
export function explainEnd(
  end: Exclude<PumpEnd, { how: 'end' }>,
  { from, to, answered, openMs }: { from: Leg; to: Leg; answered: boolean; openMs: number },
): Reason {
  const { code = '', message } = end.error as NodeJS.ErrnoException
  if (end.how === 'write-failed') {
    return { code: 'write-failed', message: `${message}: the ${WHO[to.kind]} takes no more` }
  }
  if (from.explain && isAboutCertificates(code)) return from.explain(code)
  if (code.startsWith('ERR_SSL_')) {
    return {
      code: 'tls-broken',
      message: `what crossed the network was changed on the way: ${code}`,
    }
  }
  if (from.explain && !answered && openMs < AT_ONCE_MS) return from.explain('REFUSED')
  return { code: 'broke-off', message: `${message}: the ${WHO[from.kind]} broke off` }
}

/** After the handshake only alerts are; what else fails is a record that is none, or that its checksum disowns. */
function isAboutCertificates(code: string): boolean {
  return /^ERR_SSL_.*_ALERT_/.test(code) && !code.endsWith('_BAD_RECORD_MAC')
}

/** A refusal takes no longer than this after the handshake. */
const AT_ONCE_MS = 1000

const WHO: Record<Leg['kind'], string> = {
  unix: 'process behind the unix socket',
  tcp: 'other proxy',
  tls: 'other proxy',
}

/**
 * TLS on one side only shows on the plain side as bytes that mean something to TLS alone (data-plane.md §2.7, rows 1
 * and 2). They are passed on all the same: QEMU may speak a TLS of its own through a plain proxy.
 */
export function oneSidedTls(first: Buffer): Reason | undefined {
  if (first.length < 7 || first[1] !== 3) return undefined
  const isHello = first[0] === 0x16 && first[5] === 1
  const isAlert = first[0] === 0x15 && first.readUInt16BE(3) === 2
  if (!isHello && !isAlert) return undefined
  return {
    code: 'tls-one-sided',
    message: isHello
      ? `the source speaks TLS, this listener does not: ${ONE_SIDED}`
      : `the target answers with a TLS alert, this source does not speak TLS: ${ONE_SIDED}`,
  }
}

const ONE_SIDED = 'use --disable-tls (KubeVirt: disableTLS) on both sides or on neither'

/** A target that ends so soon and so silently hasn't reached its launcher, or waited for TLS. */
export function closedAtOnce(
  kind: Leg['kind'],
  { bytesIn, bytesOut, openMs }: { bytesIn: number; bytesOut: number; openMs: number },
): Reason | undefined {
  if (bytesIn > 0 || bytesOut > 64 * 1024 || openMs > AT_ONCE_MS) return undefined
  const plain = kind === 'tcp' ? '; or it expects TLS, which this source does not speak' : ''
  return {
    code: 'closed-at-once',
    message: `the target closed at once without a byte: its launcher's socket is missing or refuses, its log has the reason${plain}`,
  }
}
