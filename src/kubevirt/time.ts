/** RFC 3339 in whole seconds, as Kubernetes writes its times; `ms` since the epoch. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

/** `2006-01-02 15:04:05 +0000 UTC`, as Go prints a time and KubeVirt writes it into an annotation. */
export function goTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`
}
