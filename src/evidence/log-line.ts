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
}

const COLLECTOR_TIME =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) (?:(?:stdout|stderr) [FP] )?(?=\S)/
const KLOG = /^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ ([\w./-]+:\d+)\] (.*)$/s
const LIBVIRT = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+)\+0000: \d+: (\w+) : ([\w:]+) : (.*)$/s
const LEADING_TIME = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?):? /
const KLOG_LEVEL: Record<string, string> = { I: 'info', W: 'warning', E: 'error', F: 'fatal' }

/** KubeVirt's JSON, klog, libvirt's and QEMU's own format, or plain text, each also behind a collector's time stamp. */
export function parseLogLine(raw: string): LogLine {
  const collected = COLLECTOR_TIME.exec(raw)
  const line = (collected ? raw.slice(collected[0].length) : raw).trim()
  const parsed = parseJson(line) ?? parseKlog(line) ?? parseLibvirt(line) ?? parsePlain(line)
  if (parsed.time === undefined && collected) setTime(parsed, collected[1])
  return parsed
}

function parseJson(line: string): LogLine | undefined {
  if (!line.startsWith('{')) return undefined
  let fields: Record<string, unknown>
  try {
    fields = JSON.parse(line)
  } catch {
    return undefined
  }
  const msg = text(fields.msg ?? fields.message)
  if (msg === undefined) return undefined
  const reason = text(fields.reason ?? fields.error)
  const parsed: LogLine = { text: reason ? `${msg}: ${reason}` : msg }
  setTime(parsed, text(fields.timestamp ?? fields.ts ?? fields.time))
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
