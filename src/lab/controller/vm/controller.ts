import { create, patch, remove, replace } from '../../../cluster/objects.ts'
import { sameValue } from '../../../kubevirt/equality.ts'
import { ANNOTATION, VM_FINALIZER } from '../../../kubevirt/labels.ts'
import { VMIS, VMS } from '../../../kubevirt/resources.ts'
import type { Condition, Vm, Vmi, VmiSpec } from '../../../kubevirt/types.ts'
import { strategyAfterCrossing } from '../../../rules/decentralized.ts'
import { liveUpdateOf, rollsOutLive } from '../../../rules/vm-live-update.ts'
import { restartRequired } from '../../../rules/vm-restart.ts'
import { printableStatus, vmConditions, wantsToRun } from '../../../rules/vm-status.ts'
import { volumeUpdateOf, withVolumeUpdate } from '../../../rules/volume-migration.ts'
import { keyOf, keyOfObject, parseKey } from '../caches.ts'
import { createExpectations } from '../expectations.ts'
import type { ControllerOptions } from '../migration/controller.ts'
import { messageOf } from '../migration/perform.ts'
import { startWorker, type Worker } from '../worker.ts'
import { vmiFor } from './vmi-template.ts'

const THREADS = 3

/** The VM controller: one VMI for each VM that should run, its status, and changes that a running one can take. */
export function startVmController(options: ControllerOptions): Worker {
  const { cluster, clock, caches, log, recorder } = options
  const expectations = createExpectations(clock)
  /** Templates that VMIs were started with, by their uids; KubeVirt keeps them in ControllerRevisions. */
  const startedWith = new Map<string, VmiSpec>()
  const worker = startWorker({
    name: 'virt-controller-vm',
    clock,
    log,
    threads: THREADS,
    reconcile,
  })
  caches.vms.on(({ object }) => worker.queue.add(keyOfObject(object)))
  caches.vmis.on(({ type, object: { metadata } }) => {
    const owner = metadata.ownerReferences?.find((reference) => reference.controller)
    if (owner?.kind !== 'VirtualMachine') return
    if (type === 'DELETED') startedWith.delete(metadata.uid ?? '')
    const key = keyOf(metadata.namespace, owner.name)
    if (type === 'ADDED') expectations.settle(key, owner.uid)
    worker.queue.add(key)
  })
  return worker

  async function reconcile(key: string): Promise<void> {
    const { namespace, name } = parseKey(key)
    const vm = caches.vms.get(namespace, name)
    if (!vm) return expectations.forget(key)
    if (!expectations.satisfied(key)) return
    const vmi = caches.vmis.get(namespace, name)
    const { deletionTimestamp, finalizers = [] } = vm.metadata
    if (deletionTimestamp && !vmi) return release(vm)
    if (!deletionTimestamp && !finalizers.includes(VM_FINALIZER)) {
      const metadata = { ...vm.metadata, finalizers: [...finalizers, VM_FINALIZER] }
      await replace(cluster, VMS, vm.metadata, { ...vm, metadata })
      return
    }
    let failure: unknown
    let restart: Condition | undefined
    try {
      restart = await sync(key, vm, vmi)
    } catch (err) {
      failure = err
    }
    await writeStatus(vm, vmi, restart)
    if (failure !== undefined) throw failure
  }

  async function sync(key: string, vm: Vm, vmi: Vmi | undefined): Promise<Condition | undefined> {
    if (!vmi) {
      if (!vm.metadata.deletionTimestamp && wantsToRun(vm, vmi)) await start(key, vm)
      return undefined
    }
    const strategy = strategyAfterCrossing(vm, vmi)
    if (strategy !== undefined && strategy !== vm.spec.runStrategy) {
      const annotations = { [ANNOTATION.restoreStrategy]: null }
      const change = { metadata: { annotations }, spec: { runStrategy: strategy } }
      await patch(cluster, VMS, vm.metadata, change, 'merge')
      return undefined
    }
    const ended = vmi.status?.phase === 'Succeeded' || vmi.status?.phase === 'Failed'
    if (vmi.metadata.deletionTimestamp) {
      if (ended) await releaseVmi(vmi)
      return undefined
    }
    if (vm.metadata.deletionTimestamp || !wantsToRun(vm, vmi) || ended) {
      await stop(vm, vmi)
      return undefined
    }
    return update(vm, vmi)
  }

  async function start(key: string, vm: Vm): Promise<void> {
    const { namespace = '', uid = '' } = vm.metadata
    expectations.expect(key, uid)
    try {
      const vmi = await create<Vmi>(cluster, VMIS, vmiFor(vm, caches.kubevirt()), { namespace })
      startedWith.set(vmi.metadata.uid ?? '', vm.spec.template?.spec ?? {})
      const message = `Started the virtual machine by creating the new virtual machine instance ${vmi.metadata.name}`
      recorder.record(vm, 'Normal', 'SuccessfulCreate', message)
    } catch (err) {
      expectations.settle(key, uid)
      const message = `Error creating virtual machine instance: ${messageOf(err)}`
      recorder.record(vm, 'Warning', 'FailedCreate', message)
      throw err
    }
  }

  async function stop(vm: Vm, vmi: Vmi): Promise<void> {
    await remove(cluster, VMIS, vmi.metadata)
    const message = `Stopped the virtual machine by deleting the virtual machine instance ${vmi.metadata.uid}`
    recorder.record(vm, 'Normal', 'SuccessfulDelete', message)
  }

  /** Sockets and memory of a running VM. */
  async function update(vm: Vm, vmi: Vmi): Promise<Condition | undefined> {
    const started = startedWith.get(vmi.metadata.uid ?? '')
    const restart = started && restartRequired(started, vm.spec, caches.kubevirt())
    if (restart || vmi.status?.phase !== 'Running') return restart
    const change = liveUpdateOf(vm, vmi, caches.kubevirt(), clock.now())
    switch (change.kind) {
      case 'nothing':
        return updateVolumes(vm, vmi)
      case 'restart':
        return change.condition
      case 'refused':
        throw new Error(change.message)
      case 'apply': {
        const operations = change.changes.flatMap(({ path, value, old }) => [
          ...(old === undefined ? [] : [{ op: 'test', path, value: old }]),
          value === undefined ? { op: 'remove', path } : { op: 'add', path, value },
        ])
        await patch(cluster, VMIS, vmi.metadata, operations, 'json')
        return undefined
      }
    }
  }

  /** Other claims for its volumes; what is in the old ones is copied by a migration. */
  async function updateVolumes(vm: Vm, vmi: Vmi): Promise<Condition | undefined> {
    if (!rollsOutLive(caches.kubevirt())) return undefined
    const claims = (name: string) => caches.claims.get(vmi.metadata.namespace, name)
    const change = volumeUpdateOf(vm, vmi, claims)
    switch (change.kind) {
      case 'nothing':
        return undefined
      case 'restart':
        return change.condition
      case 'refused':
        throw new Error(change.message)
      default: {
        const next = withVolumeUpdate(vmi, change, clock.now())
        if (!sameValue(vmi, next)) await replace(cluster, VMIS, vmi.metadata, next)
        return undefined
      }
    }
  }

  async function writeStatus(
    vm: Vm,
    vmi: Vmi | undefined,
    restart: Condition | undefined,
  ): Promise<void> {
    const now = clock.now()
    const conditions = vmConditions(vm, vmi, restart, now)
    const status = {
      ...vm.status,
      created: vmi !== undefined,
      ready: conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
      printableStatus: printableStatus(vm, vmi, now),
      conditions,
    }
    if (sameValue(vm.status, status)) return
    await replace(cluster, VMS, { ...vm.metadata, subresource: 'status' }, { ...vm, status })
  }

  async function releaseVmi(vmi: Vmi): Promise<void> {
    const { finalizers = [] } = vmi.metadata
    if (!finalizers.includes(VM_FINALIZER)) return
    const rest = finalizers.filter((name) => name !== VM_FINALIZER)
    await replace(cluster, VMIS, vmi.metadata, {
      ...vmi,
      metadata: { ...vmi.metadata, finalizers: rest },
    })
  }

  async function release(vm: Vm): Promise<void> {
    const { finalizers = [] } = vm.metadata
    const rest = finalizers.filter((name) => name !== VM_FINALIZER)
    if (rest.length === finalizers.length) return
    await replace(cluster, VMS, vm.metadata, {
      ...vm,
      metadata: { ...vm.metadata, finalizers: rest },
    })
  }
}
