/** Quantities, durations and times in people's units: the one place that formats them. */

const STEPS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** `0 B`, `512 B`, `9.5 MiB`, `87 MiB`, `1.5 GiB`: two figures below ten, whole ones above. */
export function formatBytes(bytes: number): string {
  let value = Math.max(0, bytes)
  let step = 0
  // What would be rounded to 1024 is written in the next unit.
  while (Math.round(value) >= 1024 && step < STEPS.length - 1) {
    value /= 1024
    step++
  }
  const figure = step > 0 && value < 9.95 ? trimZero(value.toFixed(1)) : value.toFixed(0)
  return `${figure} ${STEPS[step]}`
}

/** Bytes a second. */
export function formatRate(bytesPerSecond: number): string {
  return `${formatBytes(bytesPerSecond)}/s`
}

/** `24–31 MiB/s`; `28 MiB/s` when both ends read the same. */
export function formatRateRange(min: number, max: number): string {
  const [low, high] = [formatRate(min), formatRate(max)]
  if (low === high) return high
  const [figure = '', unit] = low.split(' ')
  return high.endsWith(` ${unit}`) ? `${figure}–${high}` : `${low} – ${high}`
}

/** `0.4s`, `4.2s`, `42s`, `1m12s`, `3h20m`, `5d3h`: two units at most, never less than it was. */
export function formatDuration(ms: number): string {
  const tenths = Math.floor(Math.max(0, ms) / 100)
  if (tenths < 100) return `${trimZero((tenths / 10).toFixed(1))}s`
  return formatSeconds(Math.floor(tenths / 10))
}

/** The same in whole seconds, for what is known no better: an age, a time between two Kubernetes timestamps. */
export function formatAge(ms: number): string {
  return formatSeconds(Math.floor(Math.max(0, ms) / 1000))
}

function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return pair(seconds, 60, 'm', 's')
  if (seconds < 86_400) return pair(Math.floor(seconds / 60), 60, 'h', 'm')
  return pair(Math.floor(seconds / 3600), 24, 'd', 'h')
}

function pair(value: number, base: number, big: string, small: string): string {
  const rest = value % base
  return `${Math.floor(value / base)}${big}${rest > 0 ? `${rest}${small}` : ''}`
}

/** A downtime or a round trip: `0.4 ms`, `41 ms`, `1.2s`. */
export function formatMilliseconds(ms: number): string {
  if (ms >= 1000) return formatDuration(ms)
  return `${ms < 9.95 ? trimZero(ms.toFixed(1)) : ms.toFixed(0)} ms`
}

/** An estimate is a range: `20–35s`, `5s` when both ends read the same, `over 20s` without an upper end. */
export function formatRange(minMs: number, maxMs: number | undefined): string {
  const min = formatAge(Math.ceil(minMs / 1000) * 1000)
  if (maxMs === undefined) return `over ${min}`
  const max = formatAge(Math.ceil(maxMs / 1000) * 1000)
  if (min === max) return max
  const sameUnit = /^\d+s$/.test(min) && /^\d+s$/.test(max)
  return `${sameUnit ? min.slice(0, -1) : min}–${max}`
}

/** 0 to 1 as `43%`; 100% only when it is all. */
export function formatPercent(part: number): string {
  return `${Math.floor(Math.min(1, Math.max(0, part)) * 100)}%`
}

/** Time of day in UTC, as the logs of Kubernetes have it: `12:00:01Z`; with the date when that is not today's. */
export function formatTime(ms: number, now: number): string {
  const text = new Date(ms).toISOString()
  const time = `${text.slice(11, 19)}Z`
  return text.slice(0, 10) === new Date(now).toISOString().slice(0, 10)
    ? time
    : `${text.slice(0, 10)} ${time}`
}

/** `1 round`, `3 rounds`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`
}

function trimZero(figure: string): string {
  return figure.replace(/\.0$/, '')
}
