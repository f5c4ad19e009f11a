import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../src/clock.ts'
import { createProxyManager } from '../../src/proxy/manager.ts'

const { dir, tls } = workerData
const manager = createProxyManager({ bind: '127.0.0.1', tls: () => tls, clock: systemClock })
await manager.startTargetListener('uid', [join(dir, 'backend')])
await manager.startSourceListener('uid', '127.0.0.1', manager.targetListenerPorts('uid'), dir)
parentPort!.postMessage(manager.sourceListenerFiles('uid')[0])
