/** An interface as `ip -br addr show` shows it. */
export interface InterfaceAddresses {
  name: string
  /** `UP`, `DOWN`, `UNKNOWN` … */
  state: string
  /** Without their prefix length. */
  addresses: string[]
}

export function parseAddresses(text: string): InterfaceAddresses[] {
  return text.split('\n').flatMap((line) => {
    const [full = '', state, ...addresses] = line.trim().split(/\s+/)
    if (!state) return []
    // A pod's interface names its other end: eth0@if12.
    const name = full.replace(/@.*$/, '')
    return [{ name, state, addresses: addresses.map((one) => one.replace(/\/\d+$/, '')) }]
  })
}

/** The way to an address, as `ip route get` tells it. */
export interface Route {
  device: string
  /** The gateway; undefined on the same link. */
  via: string | undefined
  /** Which address it is left from. */
  source: string | undefined
}

/** @returns 'none' where there is no way */
export function parseRoute(text: string): Route | 'none' {
  const word = (before: string) => new RegExp(`\\b${before} (\\S+)`).exec(text)?.[1]
  const device = word('dev')
  if (device === undefined) return 'none'
  return { device, via: word('via'), source: word('src') }
}
