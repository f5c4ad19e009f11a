/** What became of one TCP connection. */
export type ConnectOutcome = 'connected' | 'refused' | 'timed-out' | 'no-route'

/** By how bash, under `timeout`, failed to open one; undefined when that does not tell. */
export function connectOutcome(code: number, stderr: string): ConnectOutcome | undefined {
  // timeout's own exit status.
  if (code === 124 || /Connection timed out/.test(stderr)) return 'timed-out'
  if (/Connection refused/.test(stderr)) return 'refused'
  if (/No route to host|Network is unreachable/.test(stderr)) return 'no-route'
  return undefined
}
