// A node of the lab: this file is the start of its thread.
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../clock.ts'
import { type Agent, type AgentSpec, startAgent } from './agent.ts'
import type { NodeMessage, WorkerMessage } from './node-thread.ts'

const port = parentPort
if (!port) throw new Error('this file is the start of a thread of a lab, not a program')
const send = (message: WorkerMessage) => port.postMessage(message)

const starting: Promise<Agent> = startAgent(workerData as AgentSpec, systemClock, (record) =>
  send({ type: 'log', record }),
)
port.on('message', async (message: NodeMessage) => {
  const agent = await starting
  if (message.type === 'log') return agent.componentLog(message.record)
  await agent.close()
  send({ type: 'closed' })
  port.close()
})
await starting
send({ type: 'ready' })
