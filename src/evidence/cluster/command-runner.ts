import type { Cluster } from '../../cluster/cluster.ts'
import { exec } from '../../cluster/exec.ts'
import { MigError } from '../../errors.ts'
import type { Pod } from '../../kubevirt/types.ts'
import type { NodeCommand } from '../../probe/commands.ts'
import type { Gap } from '../evidence.ts'
import type { Probed } from '../probes.ts'
import type { Reader } from './reader.ts'

/** Runs one of src/probe's commands in a pod. Only an interruption is thrown; all else that goes wrong is a gap. */
export type Run = <T>(pod: Pod, command: NodeCommand<T>) => Promise<Probed<T>>

/** ms from the request to the command's end. */
const LIMIT_MS = 5000

export function createRunner(cluster: Cluster, reader: Reader, signal: AbortSignal): Run {
  return async ({ metadata: { namespace = '', name } }, command) => {
    const { argv, container } = command
    const [program = ''] = argv
    const unread = (why: Gap['why'], detail: string) => {
      const gap = { what: `${program} in ${name}`, why, detail }
      reader.gap(gap)
      return { state: 'unread', gap } as const
    }
    try {
      const at = { namespace, pod: name, container }
      const { stdout, stderr, code } = await exec(cluster, at, argv, {
        signal,
        timeoutMs: LIMIT_MS,
      })
      const from = `pod/${namespace}/${name}`
      if (code === 0) return { state: 'read', value: command.parse(stdout), from }
      if (NOT_STARTED.includes(code ?? 0) || NOT_FOUND.test(stderr))
        return unread('unreadable', `container ${container} of ${name} has no ${program}`)
      const answer = code === undefined ? undefined : command.parseFailure?.(code, stderr)
      if (answer !== undefined) return { state: 'read', value: answer, from }
      const how = code === undefined ? 'was not started' : `ended with ${code}`
      return unread('unreadable', `"${argv.join(' ')}" ${how}: ${firstLine(stderr)}`)
    } catch (err) {
      if (!(err instanceof MigError) || signal.aborted) throw err
      return unread(err.exit === 8 ? 'forbidden' : 'unreadable', err.message)
    }
  }
}

/** What shells and container runtimes end with when there is no such program. */
const NOT_STARTED = [126, 127]
const NOT_FOUND = /executable file not found/

function firstLine(text: string): string {
  return text.trim().split('\n')[0] || 'it said nothing'
}
