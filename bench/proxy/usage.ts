import { readdirSync, readFileSync } from 'node:fs'

export interface Usage {
  /** Seconds of processor time, user and system. */
  cpu: number
  /** Peak resident memory of the largest process, MiB. */
  peakMib: number
}

/** Of a process and all in its process group, with its children that have ended. Linux only. */
export function usageOf(group: number): Usage {
  let ticks = 0
  let peak = 0
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (Number(fields[2]) !== group) continue
      const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number)
      ticks += user! + system! + (Number(name) === group ? childUser! + childSystem! : 0)
      const status = readFileSync(`/proc/${name}/status`, 'utf8')
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0))
    } catch {
      // It ended while we looked.
    }
  }
  return { cpu: ticks / TICKS_A_SECOND, peakMib: peak / 1024 }
}

/** USER_HZ, the same on every Linux. */
const TICKS_A_SECOND = 100
