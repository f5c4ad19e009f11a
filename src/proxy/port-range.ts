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

/** The ports to try, each once, from a random one on; without a range only 0, the kernel's choice. */
export function* candidatePorts(range: PortRange | undefined): Generator<number> {
  if (!range) return yield 0
  const count = range.last - range.first + 1
  const start = Math.floor(Math.random() * count)
  for (let i = 0; i < count; i++) yield range.first + ((start + i) % count)
}
