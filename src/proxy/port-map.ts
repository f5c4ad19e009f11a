import { EXIT, MigError } from '../errors.ts'
import { CHANNEL_PURPOSE, type ChannelLabel, proxyKey } from '../kubevirt/ports.ts'

/** `{real TCP port: label}`, as `vmi.status.migrationState.targetDirectMigrationNodePorts` has it (data-plane.md §1.8). */
export type PortMap = Record<string, number>

const LABELS = Object.keys(CHANNEL_PURPOSE).map(Number)

/**
 * Reads a port map.
 * @throws MigError `bad-port-map`, exit 2
 */
export function parsePortMap(json: string): PortMap {
  let map: unknown
  try {
    map = JSON.parse(json)
  } catch (cause) {
    throw badPortMap(`is no JSON: ${(cause as Error).message}`, cause)
  }
  checkPortMap(map)
  checkEachOnce(json)
  return map
}

/** Of equal keys JSON.parse keeps the last, and a channel would be lost in silence. The strings of a port map are its keys. */
function checkEachOnce(json: string): void {
  const seen = new Set<string>()
  for (const [text] of json.matchAll(/"(?:[^"\\]|\\.)*"/g)) {
    const port: string = JSON.parse(text)
    if (seen.has(port)) throw badPortMap(`has the port ${port} more than once`)
    seen.add(port)
  }
}

/**
 * Refuses a port map that can't be meant.
 * @throws MigError `bad-port-map`, exit 2
 */
export function checkPortMap(map: unknown): asserts map is PortMap {
  if (typeof map !== 'object' || map === null || Array.isArray(map)) {
    throw badPortMap('is not an object like {"41068": 49152}')
  }
  const seen = new Map<unknown, string>()
  for (const [port, label] of Object.entries(map)) {
    if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65535) {
      throw badPortMap(`has the key "${port}", which is no TCP port`)
    }
    if (!isLabel(label)) {
      throw badPortMap(
        `gives port ${port} the label ${JSON.stringify(label)}, expected ${labelList()}`,
      )
    }
    const other = seen.get(label)
    if (other) throw badPortMap(`gives ports ${other} and ${port} the same label ${label}`)
    seen.set(label, port)
  }
  if (seen.size === 0) throw badPortMap('is empty: the target listens on nothing')
}

export function isLabel(label: unknown): label is ChannelLabel {
  return LABELS.includes(label as number)
}

export function labelList(): string {
  return `${LABELS.slice(0, -1).join(', ')} or ${LABELS.at(-1)}`
}

/** KubeVirt finds the label in the socket's name: it holds `<key>-49152`, `<key>-49153`, or it is the control channel's. */
export function labelOfFile(key: string, file: string): ChannelLabel {
  const data = LABELS.filter((label) => label !== 0)
  return (data.find((label) => file.includes(proxyKey(key, label))) ?? 0) as ChannelLabel
}

function badPortMap(what: string, cause?: unknown): MigError {
  return new MigError(EXIT.usage, `the port map ${what}`, {
    code: 'bad-port-map',
    cause,
    hint: 'it is {"REAL PORT": LABEL, …}, as the target prints it and the VMI publishes it',
  })
}
