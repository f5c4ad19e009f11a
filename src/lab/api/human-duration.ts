/** An age as kubectl's tables print it (k8s.io/apimachinery duration.HumanDuration): `21s`, `2m13s`, `5h`, `3d4h`. */
function humanDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(seconds / 3600)
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (hours < 192) return pair(days, 'd', hours % 24, 'h')
  if (hours < 24 * 365 * 2) return `${days}d`
  const years = Math.floor(days / 365)
  return hours < 24 * 365 * 8 ? pair(years, 'y', days % 365, 'd') : `${years}y`
}

function pair(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${smallUnit}`
}

/** The age of an RFC 3339 time; `<unknown>` for none. */
export function ageOf(time: unknown, now: number): string {
  const since = typeof time === 'string' ? Date.parse(time) : Number.NaN
  return Number.isNaN(since) ? '<unknown>' : humanDuration(now - since)
}
