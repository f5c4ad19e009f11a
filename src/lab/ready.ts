import type { Clock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { startInformer } from '../cluster/informer.ts'
import { EXIT, MigError } from '../errors.ts'
import { VMIS } from '../kubevirt/resources.ts'
import type { Vmi } from '../kubevirt/types.ts'

/** So long nothing may happen while VMs are to start, ms. */
const PATIENCE_MS = 60_000

/** Resolves when so many VMs run. @throws MigError when for a minute not one more has come to */
export async function allRunning(
  admin: Cluster,
  vms: number,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<void> {
  const done = Promise.withResolvers<void>()
  const over = new AbortController()
  const aborted = () => done.reject(signal?.reason)
  signal?.addEventListener('abort', aborted, { once: true })
  if (signal?.aborted) aborted()
  let running = 0
  let last = clock.now()
  const vmis = startInformer<Vmi>(admin, VMIS, {
    namespace: 'default',
    onError: done.reject,
    onChange: () => {
      const count = vmis.list().filter(isRunning).length
      if (count > running) last = clock.now()
      running = count
      if (running >= vms) done.resolve()
    },
  })
  if (vms === 0) done.resolve()
  const watch = async () => {
    while (clock.now() - last < PATIENCE_MS) await clock.sleep(1000, over.signal)
    done.reject(notReady(vmis.list(), vms))
  }
  watch().catch(() => {})
  try {
    await done.promise
  } finally {
    over.abort()
    signal?.removeEventListener('abort', aborted)
    await vmis.close()
  }
}

function isRunning({ status }: Vmi): boolean {
  return status?.phase === 'Running'
}

function notReady(known: Vmi[], vms: number): MigError {
  const waiting = known.find((vmi) => !isRunning(vmi))
  const example = waiting && `; ${waiting.metadata.name} is ${waiting.status?.phase ?? 'new'}`
  const message = `the lab did not get ready: ${known.filter(isRunning).length} of ${vms} VMs run${example ?? ''}`
  return new MigError(EXIT.error, message, {
    hint: 'the machine may be too busy, or the VMs too many for the nodes; try fewer --vms or more --nodes',
  })
}
