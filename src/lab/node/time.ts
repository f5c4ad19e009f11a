/** RFC 3339 in whole seconds, as Kubernetes writes times. @param ms since the epoch */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}
