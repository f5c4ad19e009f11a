import { Worker } from 'node:worker_threads'
import type { AgentSpec } from './agent.ts'
import type { NodeLog, NodeRecord } from './log.ts'
import { workerFile } from './worker-file.ts'

/** What a node's thread tells. */
export type WorkerMessage =
  | { type: 'ready' }
  | { type: 'closed' }
  | { type: 'log'; record: NodeRecord }

/** What it is told. */
export type NodeMessage = { type: 'log'; record: ComponentRecord } | { type: 'close' }

/** A line of a component of KubeVirt's that has a pod on the node, though it runs in another thread. */
type ComponentRecord = NodeRecord & { component: string }

export interface NodeThread {
  readonly name: string
  componentLog(record: ComponentRecord): void
  /** Resolves when the thread has ended, however that came. */
  readonly ended: Promise<void>
  /** Ends everything in order. */
  close(): Promise<void>
  /** As when a node loses power: nothing in it gets to say goodbye. */
  kill(): Promise<void>
}

/** How long a node may take to end in order, ms. */
const CLOSE_MS = 5000

/** Starts a node's agent in a thread of its own; resolves when it is ready, rejects when it can't start. */
export async function startNodeThread(spec: AgentSpec, log: NodeLog): Promise<NodeThread> {
  const worker = new Worker(workerFile(), { workerData: spec, name: spec.node })
  const ready = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  worker.on('message', (message: WorkerMessage) => {
    if (message.type === 'ready') ready.resolve()
    else if (message.type === 'log') log({ node: spec.node, ...message.record })
  })
  worker.on('error', (err) => {
    ready.reject(err)
    log({ level: 'error', msg: `node ${spec.node} has crashed`, reason: String(err.stack) })
  })
  worker.on('exit', () => {
    ready.reject(new Error(`the thread of node ${spec.node} ended before it was ready`))
    ended.resolve()
  })
  await ready.promise

  let closing: Promise<void> | undefined
  return {
    name: spec.node,
    ended: ended.promise,
    componentLog: (record) => worker.postMessage({ type: 'log', record } satisfies NodeMessage),
    close() {
      closing ??= (async () => {
        worker.postMessage({ type: 'close' } satisfies NodeMessage)
        const late = setTimeout(() => void worker.terminate(), CLOSE_MS)
        await ended.promise
        clearTimeout(late)
      })()
      return closing
    },
    async kill() {
      await worker.terminate()
      await ended.promise
    },
  }
}
