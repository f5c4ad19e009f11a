// A node of the lab: this file is the start of its thread, or of its process where it has a network of its own.
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../clock.ts'
import { type Agent, type AgentSpec, startAgent } from './agent.ts'
import type { NodeMessage, WorkerMessage } from './node-thread.ts'

if (!parentPort && !process.send)
  throw new Error('this file is the start of a thread of a lab, not a program')
const lab = parentPort ?? process
const send = (message: WorkerMessage) =>
  parentPort ? parentPort.postMessage(message) : process.send?.(message)
const spec = parentPort
  ? (workerData as AgentSpec)
  : ((await once(process, 'message'))[0] as AgentSpec)

const starting: Promise<Agent> = startAgent(spec, systemClock, (record) =>
  send({ type: 'log', record }),
)
lab.on('message', async (message: NodeMessage) => {
  const agent = await starting
  if (message.type === 'log') return agent.componentLog(message.record)
  await agent.close()
  send({ type: 'closed' })
  if (parentPort) parentPort.close()
  else process.disconnect()
})
// A lab that has gone leaves no process behind.
process.once('disconnect', () => process.exit())
await starting
send({ type: 'ready' })
