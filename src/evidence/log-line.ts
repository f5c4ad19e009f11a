/** A log line in one shape, whoever wrote it. */
export interface LogLine {
  /** What it says: `msg`, and after a colon its `reason`. */
  text: string
  /** ms since the epoch; undefined where the format has no full date. */
  time?: number
  level?: string
  component?: string
  namespace?: string
  name?: string
  uid?: string
  /** `file.go:12` or libvirt's `function:12`. */
  pos?: string
  /** The migration proxy's two ends (data-plane.md §1.6). */
  listening?: string
  outbound?: string
  /** Where a collector of many logs says which one a line is from. */
  pod?: string
  container?: string
}

const COLLECTOR_TIME =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) (?:(?:stdout|stderr) [FP] )?(?=\S)/
const KLOG = /^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ ([\w./-]+:\d+)\] (.*)$/s
const LIBVIRT = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+)\+0000: \d+: (\w+) : ([\w:]+) : (.*)$/s
const LEADING_TIME = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?):? /
const KLOG_LEVEL: Record<string, string> = { I: 'info', W: 'warning', E: 'error', F: 'fatal' }

/** `kubectl logs --prefix`, stern, and journald, which also carries what containers of K3s say. */
const SOURCES: RegExp[] = [
  /^\[pod\/(?<pod>[^/\]]+)\/(?<container>[^\]]+)\] /,
  /^(?<pod>virt-(?:launcher|handler|controller|api|operator)-[\w.-]+) [›>|]? ?(?<container>[a-z][\w-]*)[ :|]+(?=\S)/,
  /^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]+ [\w./-]+(?:\[\d+\])?: /,
]
/** A line in a line in a line is not honest. */
const WRAPPINGS = 3

/**
 * KubeVirt's JSON, klog, libvirt's and QEMU's own format, or plain text, each also behind a collector's time stamp or
 * the name of its pod, and in the JSON of Docker, Fluentd or Loki.
 */
export function parseLogLine(raw: string, depth = 0): LogLine {
  const { line, time, source } = unprefixed(raw)
  const parsed = parseJson(line, depth) ?? parseKlog(line) ?? parseLibvirt(line) ?? parsePlain(line)
  if (parsed.time === undefined) setTime(parsed, time)
  return { ...source, ...parsed }
}

/** A line without its collector's time stamp and source, which stand in either order. */
function unprefixed(raw: string): {
  line: string
  time: string | undefined
  source: Pick<LogLine, 'pod' | 'container'>
} {
  let line = raw
  let time: string | undefined
  let source = {}
  for (let n = 0; n < 2; n++) {
    const collected = time === undefined ? COLLECTOR_TIME.exec(line) : null
    if (collected) {
      time = collected[1]
      line = line.slice(collected[0].length)
    }
    const from = SOURCES.map((pattern) => pattern.exec(line)).find((match) => match !== null)
    if (!from) break
    source = { ...from.groups }
    line = line.slice(from[0].length)
  }
  return { line: line.trim(), time, source }
}

function parseJson(line: string, depth: number): LogLine | undefined {
  if (!line.startsWith('{')) return undefined
  let fields: Record<string, unknown>
  try {
    fields = JSON.parse(line)
  } catch {
    return undefined
  }
  const wrapped = wrappedLine(fields)
  if (wrapped !== undefined && depth < WRAPPINGS) {
    const inner = parseLogLine(wrapped, depth + 1)
    if (inner.time === undefined) setTime(inner, timeStamp(fields))
    return { ...sourceOf(fields), ...inner }
  }
  const msg = text(fields.msg ?? fields.message)
  if (msg === undefined) return undefined
  const reason = text(fields.reason ?? fields.error)
  const parsed: LogLine = { text: reason ? `${msg}: ${reason}` : msg }
  setTime(parsed, timeStamp(fields))
  for (const key of [
    'level',
    'component',
    'namespace',
    'name',
    'uid',
    'pos',
    'listening',
    'outbound',
  ] as const) {
    const value = text(fields[key])
    if (value) parsed[key] = value
  }
  return parsed
}

/** The line that a collector has put into its own JSON: Docker's `log`, or what is JSON again. */
function wrappedLine({ log, line, msg, message }: Record<string, unknown>): string | undefined {
  const own = text(msg)
  const inner = text(log) ?? text(line) ?? (own === undefined ? text(message) : undefined)
  if (inner === undefined || own !== undefined) return undefined
  return text(message) === inner && !inner.trimStart().startsWith('{') ? undefined : inner
}

function timeStamp(fields: Record<string, unknown>): string | undefined {
  return text(fields.timestamp ?? fields['@timestamp'] ?? fields.ts ?? fields.time)
}

function sourceOf({ kubernetes }: Record<string, unknown>): Pick<LogLine, 'pod' | 'container'> {
  if (typeof kubernetes !== 'object' || kubernetes === null) return {}
  const { pod_name: podName, container_name: containerName } = kubernetes as Record<string, unknown>
  const [pod, container] = [text(podName), text(containerName)]
  return { ...(pod && { pod }), ...(container && { container }) }
}

function parseKlog(line: string): LogLine | undefined {
  const match = KLOG.exec(line)
  if (!match) return undefined
  return { text: match[3]!, level: KLOG_LEVEL[match[1]!]!, pos: match[2]! }
}

function parseLibvirt(line: string): LogLine | undefined {
  const match = LIBVIRT.exec(line)
  if (!match) return undefined
  const parsed: LogLine = {
    text: match[4]!,
    level: match[2]!,
    pos: match[3]!,
    component: 'libvirt',
  }
  setTime(parsed, `${match[1]!.replace(' ', 'T')}Z`)
  return parsed
}

function parsePlain(line: string): LogLine {
  const parsed: LogLine = { text: line }
  setTime(parsed, LEADING_TIME.exec(line)?.[1]?.replace(' ', 'T'))
  return parsed
}

function setTime(parsed: LogLine, value: string | undefined): void {
  if (value === undefined) return
  const zoned = /(Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`
  const ms = Date.parse(zoned)
  if (!Number.isNaN(ms)) parsed.time = ms
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
