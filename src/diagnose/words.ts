/** Amounts, times and lists inside the sentences of findings; tables and progress are worded by src/terminal. */

const BINARY = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** `682368384 bytes (650.8 MiB)`: exact, and in people's units. */
export function exactBytes(bytes: number | bigint): string {
  const exact = Number(bytes)
  let value = exact
  let step = 0
  while (Math.abs(value) >= 1024 && step < BINARY.length - 1) {
    value /= 1024
    step++
  }
  if (step === 0) return `${exact} bytes`
  return `${bytes} bytes (${value.toFixed(1)} ${BINARY[step]})`
}

/** `300 s (5 min)`, `181 s`, `15 s`. */
export function exactSeconds(seconds: number): string {
  const minutes = seconds / 60
  if (seconds >= 120 && Number.isInteger(minutes)) return `${seconds} s (${minutes} min)`
  return `${seconds} s`
}

/** `4s`, `12m30s`, `3h20m`, `5d3h`. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const pair = (value: number, base: number, big: string, small: string) =>
    `${Math.floor(value / base)}${big}${value % base > 0 ? `${value % base}${small}` : ''}`
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return pair(seconds, 60, 'm', 's')
  if (seconds < 86_400) return pair(Math.floor(seconds / 60), 60, 'h', 'm')
  return pair(Math.floor(seconds / 3600), 24, 'd', 'h')
}

/** `2026-11-29T15:20:22Z`. */
export function moment(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

/** `a`, `a and b`, `a, b and 3 more`. */
export function listing(names: readonly string[], shown = 4): string {
  const unique = [...new Set(names)]
  if (unique.length <= 1) return unique[0] ?? 'none'
  if (unique.length <= shown) return `${unique.slice(0, -1).join(', ')} and ${unique.at(-1)}`
  return `${unique.slice(0, shown - 1).join(', ')} and ${unique.length - shown + 1} more`
}

/** Cut to a length that a reader takes in at once, on one line. */
export function short(text: string, limit = 240): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`
}

/** `1 node`, `3 nodes`. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`
}

/**
 * A command to be copied into a shell. What is put in comes from the evidence: it is quoted unless it is plain, so that no
 * name can become a command of its own.
 */
export function shell(parts: TemplateStringsArray, ...values: (string | undefined)[]): string {
  return parts.reduce((command, part, i) => `${command}${quoted(values[i - 1] ?? '')}${part}`)
}

function quoted(value: string): string {
  return /^[\w.:/=@%+,-]*$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`
}
