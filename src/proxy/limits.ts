/** Time limits of one connection, all in ms. */
export interface Limits {
  /** From the connect to the established TCP or unix connection. KubeVirt has none (data-plane.md §1.5). */
  dialMs: number
  /** The TLS handshake, on either side. KubeVirt has none. */
  handshakeMs: number
  /** Where a second client certificate is at hand: how long to wait for a sign that the target took the first. */
  confirmMs: number
  /** After one leg failed: how long what was already read may take to be delivered to the other. */
  lingerMs: number
}

export const DEFAULT_LIMITS: Limits = {
  dialMs: 10_000,
  handshakeMs: 10_000,
  confirmMs: 500,
  lingerMs: 500,
}
