import { EXIT, MigError } from '../errors.ts'

/** TCP ports, both ends included. */
export interface PortRange {
  first: number
  last: number
}

/** Reads `A-B` or a single port. @throws MigError `bad-port-range`, exit 2 */
export function parsePortRange(text: string): PortRange {
  const [, a, b] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? []
  const first = Number(a)
  const last = Number(b ?? a)
  if (!(first >= 1 && last <= 65535 && first <= last)) {
    throw new MigError(
      EXIT.usage,
      `the port range "${text}" is not A-B with 1 <= A <= B <= 65535`,
      {
        code: 'bad-port-range',
      },
    )
  }
  return { first, last }
}

/** The ports to try: the range from its first up, so that a firewall rule can name few; without one only 0, the kernel's choice. */
export function* candidatePorts(range: PortRange | undefined): Generator<number> {
  if (!range) return yield 0
  for (let port = range.first; port <= range.last; port++) yield port
}
