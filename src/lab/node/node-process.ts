import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { AgentSpec } from './agent.ts'
import type { NodeLog } from './log.ts'
import type { NodeMessage, NodeThread, WorkerMessage } from './node-thread.ts'
import { workerFile } from './worker-file.ts'

export interface OwnNetwork {
  /** What is put before a command line to run it there: `ip netns exec NAME`. */
  enter: readonly string[]
}

/** How long a node may take to end in order, ms. */
const CLOSE_MS = 5000

/**
 * Starts nodes' agents in processes: a thread cannot have a network of its own. Each resolves when it is ready, and
 * rejects when it can't start.
 */
export function startNodeProcess({ enter }: OwnNetwork) {
  return async (spec: AgentSpec, log: NodeLog): Promise<NodeThread> => {
    const [command = '', ...args] = [...enter, process.execPath, fileURLToPath(workerFile())]
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    const ready = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    child.on('message', (message: WorkerMessage) => {
      if (message.type === 'ready') ready.resolve()
      else if (message.type === 'log') log({ node: spec.node, ...message.record })
    })
    child.on('error', ready.reject)
    child.on('close', (code) => {
      ready.reject(
        new Error(`the process of node ${spec.node} ended with ${code} before it was ready`),
      )
      ended.resolve()
    })
    const tell = (message: NodeMessage) => void (child.connected && child.send(message))
    // What it is given holds tokens and keys: not for a command line.
    child.send(spec)
    await ready.promise

    let closing: Promise<void> | undefined
    return {
      name: spec.node,
      ended: ended.promise,
      componentLog: (record) => tell({ type: 'log', record }),
      close() {
        closing ??= (async () => {
          tell({ type: 'close' })
          const late = setTimeout(() => void child.kill('SIGKILL'), CLOSE_MS)
          await ended.promise
          clearTimeout(late)
        })()
        return closing
      },
      async kill() {
        child.kill('SIGKILL')
        await ended.promise
      },
    }
  }
}
