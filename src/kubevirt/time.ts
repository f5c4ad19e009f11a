/** RFC 3339 in whole seconds, as Kubernetes writes its times; `ms` since the epoch. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

/** `2006-01-02 15:04:05 +0000 UTC`, as Go prints a time and KubeVirt writes it into an annotation. */
export function goTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`
}

const UNITS: Record<string, number> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 1e-3,
  ns: 1e-6,
}

/** A duration as Go writes it (`1m0s`, `1.5h`) in ms; undefined for what is none. */
export function goDuration(text: string | undefined): number | undefined {
  if (text === undefined || !/^(\d+(\.\d+)?(h|ms|us|ns|m|s))+$/.test(text)) return undefined
  return [...text.matchAll(/(\d+(?:\.\d+)?)(h|ms|us|ns|m|s)/g)].reduce(
    (sum, [, number, unit = '']) => sum + Number(number) * (UNITS[unit] ?? 0),
    0,
  )
}
