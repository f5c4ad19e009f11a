import type { Clock } from '../../clock.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { eventRecorder } from '../events.ts'
import { startCaches } from './caches.ts'
import { startDisruptionController } from './disruption-controller.ts'
import { startEvacuationController } from './evacuation-controller.ts'
import { startGarbageCollector } from './garbage-collector.ts'
import { startMigrationController } from './migration/controller.ts'
import { startNodeController } from './node-controller.ts'
import { startQuotaController } from './quota-controller.ts'
import { startTaintEvictionController } from './taint-eviction-controller.ts'
import { startVmController } from './vm/controller.ts'
import { startVmiController } from './vmi/controller.ts'
import type { Log } from './worker.ts'
import { startWorkloadUpdater } from './workload-updater.ts'

export interface ControllersOptions {
  /** As virt-controller. */
  cluster: Cluster
  clock: Clock
  log?: Log
}

export interface Controllers {
  /** Nothing is ready to be worked on, and nothing is being worked on. */
  idle(): boolean
  /** The workload updater, which looks at the VMs every 5 s at most, has a look before it. */
  updaterWaits(): boolean
  close(): Promise<void>
}

/** All controllers of the control plane, on any Kubernetes API. Resolves when their caches are filled. */
export async function startControllers(options: ControllersOptions): Promise<Controllers> {
  const { cluster, clock, log = () => {} } = options
  const stop = new AbortController()
  const caches = startCaches(cluster, clock, stop.signal)
  const recorder = eventRecorder(cluster, clock, { component: 'virtualmachine-controller' })
  const shared = { cluster, clock, caches, log, recorder }
  const updater = startWorkloadUpdater(shared)
  const workers = [
    startMigrationController(shared),
    startVmiController(shared),
    startVmController(shared),
    startEvacuationController(shared),
    updater,
    startQuotaController(shared),
    startDisruptionController(shared),
    startNodeController(shared),
    startTaintEvictionController(shared),
    startGarbageCollector(shared),
  ]
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= (async () => {
      await Promise.all(workers.map((worker) => worker.close()))
      stop.abort(new Error('the controllers were closed'))
      await caches.close()
    })()
    return closing
  }
  try {
    await caches.synced
  } catch (err) {
    await close()
    throw err
  }
  return {
    idle: () => workers.every(({ queue }) => queue.idle()),
    updaterWaits: () => updater.queue.waiting(),
    close,
  }
}
