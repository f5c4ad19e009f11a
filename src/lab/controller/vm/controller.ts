import { create, patch, remove, replace } from '../../../cluster/objects.ts'
import { sameValue } from '../../../kubevirt/equality.ts'
import { ANNOTATION, VM_FINALIZER } from '../../../kubevirt/labels.ts'
import { conditionOf } from '../../../kubevirt/migration.ts'
import { VMIS, VMS } from '../../../kubevirt/resources.ts'
import type { Condition, KubeObject, OwnerReference, Vm, Vmi } from '../../../kubevirt/types.ts'
import { claimOf } from '../../../kubevirt/volumes.ts'
import { strategyAfterCrossing } from '../../../rules/decentralized.ts'
import { vmFailure } from '../../../rules/vm-failure.ts'
import { liveUpdateOf, rollsOutLive } from '../../../rules/vm-live-update.ts'
import { restartRequired } from '../../../rules/vm-restart.ts'
import { hasEnded, runStep } from '../../../rules/vm-run.ts'
import { startDelay } from '../../../rules/vm-start-failure.ts'
import type { VmFailure } from '../../../rules/vm-status.ts'
import { needsRecovery } from '../../../rules/vm-volume-recovery.ts'
import { volumeUpdateOf, withVolumeUpdate } from '../../../rules/volume-migration.ts'
import { keyOf, keyOfObject, parseKey } from '../caches.ts'
import { createExpectations } from '../expectations.ts'
import type { ControllerOptions } from '../migration/controller.ts'
import { messageOf } from '../migration/perform.ts'
import { startWorker, type Worker } from '../worker.ts'
import { nextStatus } from './status.ts'
import { generationFor, ownerReference, vmiFor } from './vmi-template.ts'

const THREADS = 3

/** What a pass over a VM came to. */
interface Outcome {
  /** Only a restart brings what the VM wants. */
  restart?: Condition | undefined
  failure?: VmFailure
  /** Volumes that are to be copied from now on. */
  migrated?: Record<string, unknown>[]
}

const DONE: Outcome = {}

/** The VM controller: one VMI for each VM that should run, its status, and changes that a running one can take. */
export function startVmController(options: ControllerOptions): Worker {
  const { cluster, clock, caches, log, recorder } = options
  const expectations = createExpectations(clock)
  /** Templates that VMIs were started with, by their uids; KubeVirt keeps them in ControllerRevisions. */
  const startedWith = new Map<string, NonNullable<Vm['spec']['template']>>()
  const worker = startWorker({
    name: 'virt-controller-vm',
    clock,
    log,
    threads: THREADS,
    reconcile,
  })
  caches.vms.on(({ object }) => worker.queue.add(keyOfObject(object)))
  caches.vmis.on(({ type, object: { metadata } }) => {
    const owner = controllerOf({ metadata })
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
    const found = caches.vmis.get(namespace, name)
    const vmi = found && controllerOf(found)?.uid === vm.metadata.uid ? found : undefined
    if (vm.metadata.deletionTimestamp && (!vmi || isOrphaning(vm))) return release(vm)
    if (!vm.metadata.deletionTimestamp && !isIntroduced(vm)) return introduce(vm)
    if (!vm.metadata.deletionTimestamp && found && !controllerOf(found)) return adopt(vm, found)
    const outcome = await sync(key, vm, vmi)
    await writeStatus(key, vm, vmi, outcome)
    if (vmi && hasEnded(vmi)) await releaseVmi(vmi)
    if (outcome.failure) throw new Error(outcome.failure.message)
  }

  /** The very first pass over a VM. */
  async function introduce(vm: Vm): Promise<void> {
    const { annotations, finalizers = [] } = vm.metadata
    const metadata = {
      ...vm.metadata,
      annotations: {
        ...annotations,
        [ANNOTATION.latestApiVersion]: 'v1',
        [ANNOTATION.storageApiVersion]: 'v1',
      },
      finalizers: [...new Set([...finalizers, VM_FINALIZER])],
    }
    await replace(cluster, VMS, vm.metadata, { ...vm, metadata })
  }

  /** A VMI of its name that is nobody's becomes the VM's. */
  async function adopt(vm: Vm, vmi: Vmi): Promise<void> {
    const ownerReferences = [...(vmi.metadata.ownerReferences ?? []), ownerReference(vm)]
    await patch(cluster, VMIS, vmi.metadata, { metadata: { ownerReferences } }, 'merge')
  }

  async function sync(key: string, vm: Vm, vmi: Vmi | undefined): Promise<Outcome> {
    if (vm.metadata.deletionTimestamp) return vmi ? stop(vm, vmi) : DONE
    const strategy = strategyAfterCrossing(vm, vmi)
    if (strategy !== undefined && strategy !== vm.spec.runStrategy) {
      const annotations = { [ANNOTATION.restoreStrategy]: null }
      const change = { metadata: { annotations }, spec: { runStrategy: strategy } }
      await patch(cluster, VMS, vm.metadata, change, 'merge')
      return DONE
    }
    if (vmi) await noteGeneration(vm, vmi)
    switch (runStep(vm, vmi)) {
      case 'start':
        return start(key, vm)
      case 'switch':
        await patch(cluster, VMS, vm.metadata, { spec: { runStrategy: 'Always' } }, 'merge')
        return DONE
      case 'stop':
        return stop(vm, vmi!)
      case 'rerun':
        return rerun(vm, vmi!)
      default:
        return vmi && !vmi.metadata.deletionTimestamp ? update(vm, vmi) : DONE
    }
  }

  async function start(key: string, vm: Vm): Promise<Outcome> {
    const { namespace = '', uid = '' } = vm.metadata
    const delay = startDelay(vm, clock.now())
    if (delay > 0) worker.queue.add(key, { after: delay })
    if (delay > 0 || needsRecovery(vm)) return DONE
    expectations.expect(key, uid)
    try {
      const vmi = await create<Vmi>(cluster, VMIS, vmiFor(vm, caches.kubevirt()), { namespace })
      startedWith.set(vmi.metadata.uid ?? '', vm.spec.template ?? { spec: {} })
      const message = `Started the virtual machine by creating the new virtual machine instance ${vmi.metadata.name}`
      recorder.record(vm, 'Normal', 'SuccessfulCreate', message)
      return DONE
    } catch (err) {
      expectations.settle(key, uid)
      const message = `Error creating virtual machine instance: ${messageOf(err)}`
      recorder.record(vm, 'Warning', 'FailedCreate', message)
      return { failure: vmFailure('start', messageOf(err)) }
    }
  }

  async function stop(vm: Vm, vmi: Vmi): Promise<Outcome> {
    if (vmi.metadata.deletionTimestamp) return DONE
    const { name, uid } = vmi.metadata
    try {
      await remove(cluster, VMIS, vmi.metadata)
    } catch (err) {
      const message = `Error deleting virtual machine instance ${name}: ${messageOf(err)}`
      recorder.record(vm, 'Warning', 'FailedDelete', message)
      return { failure: vmFailure('delete', messageOf(err)) }
    }
    const message = `Stopped the virtual machine by deleting the virtual machine instance ${uid}`
    recorder.record(vm, 'Normal', 'SuccessfulDelete', message)
    return DONE
  }

  /** Of a guest that failed: it is to be started again once this VMI is gone. */
  async function rerun(vm: Vm, vmi: Vmi): Promise<Outcome> {
    if (vmi.metadata.deletionTimestamp) return DONE
    const outcome = await stop(vm, vmi)
    if (outcome.failure) return outcome
    const stateChangeRequests = [...(vm.status?.stateChangeRequests ?? []), { action: 'Start' }]
    const at = { ...vm.metadata, subresource: 'status' }
    await patch(cluster, VMS, at, { status: { stateChangeRequests } }, 'merge')
    return DONE
  }

  /** A VM that changed in nothing its guest is made of runs as it is now. */
  async function noteGeneration(vm: Vm, vmi: Vmi): Promise<void> {
    const generation = generationFor(vm, vmi, startedWith.get(vmi.metadata.uid ?? ''))
    if (generation === undefined) return
    const metadata = { annotations: { [ANNOTATION.vmGeneration]: generation } }
    await patch(cluster, VMIS, vmi.metadata, { metadata }, 'merge')
  }

  /** What a running VM can take: sockets, memory, where it may run, networks and volumes. */
  async function update(vm: Vm, vmi: Vmi): Promise<Outcome> {
    const started = startedWith.get(vmi.metadata.uid ?? '')
    const restart = started && restartRequired(started.spec, vm.spec, caches.kubevirt())
    if (restart || vmi.status?.phase !== 'Running') return { restart }
    const change = liveUpdateOf(vm, vmi, caches.kubevirt(), clock.now())
    switch (change.kind) {
      case 'nothing':
        return updateVolumes(vm, vmi)
      case 'restart':
        return { restart: change.condition }
      case 'refused':
        return { failure: vmFailure(change.request, change.message) }
      case 'apply': {
        const operations = change.changes.flatMap(({ path, value, old }) => [
          ...(old === undefined ? [] : [{ op: 'test', path, value: old }]),
          value === undefined ? { op: 'remove', path } : { op: 'add', path, value },
        ])
        await patch(cluster, VMIS, vmi.metadata, operations, 'json')
        return DONE
      }
    }
  }

  /** Other claims for its volumes; what is in the old ones is copied by a migration. */
  async function updateVolumes(vm: Vm, vmi: Vmi): Promise<Outcome> {
    if (!rollsOutLive(caches.kubevirt()) || conditionOf(vm, 'RestartRequired')) return DONE
    const claims = (name: string) => caches.claims.get(vmi.metadata.namespace, name)
    const change = volumeUpdateOf(vm, vmi, claims)
    switch (change.kind) {
      case 'nothing':
        return DONE
      case 'restart':
        return { restart: change.condition }
      case 'refused':
        return { failure: vmFailure('volumes', change.message) }
      default: {
        const next = withVolumeUpdate(vmi, change, clock.now())
        if (!sameValue(vmi, next)) await replace(cluster, VMIS, vmi.metadata, next)
        return change.kind === 'begin' ? { migrated: change.migrated } : DONE
      }
    }
  }

  async function writeStatus(
    key: string,
    vm: Vm,
    vmi: Vmi | undefined,
    outcome: Outcome,
  ): Promise<void> {
    const { namespace } = vm.metadata
    const unbound = (vm.spec.template?.spec.volumes ?? []).some((volume) => {
      const name = claimOf(volume)
      const claim = name === undefined ? undefined : caches.claims.get(namespace, name)
      return claim !== undefined && claim.status?.phase !== 'Bound'
    })
    const starting = !expectations.satisfied(key)
    const status = nextStatus(vm, vmi, { ...outcome, unbound, starting }, clock.now())
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

function isIntroduced({ metadata: { annotations, finalizers } }: Vm): boolean {
  const isNoted = annotations?.[ANNOTATION.latestApiVersion] !== undefined
  return isNoted && finalizers?.includes(VM_FINALIZER) === true
}

/** Deleted with `--cascade=orphan`: its guest stays. */
function isOrphaning({ metadata }: Vm): boolean {
  return metadata.finalizers?.includes('orphan') === true
}

function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find((reference) => reference.controller)
}
