import { randomUUID } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { isStatus } from '../../cluster/api-error.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { startInformer } from '../../cluster/informer.ts'
import { create, get, patch, remove } from '../../cluster/objects.ts'
import {
  PERSISTENT_VOLUMES,
  PODS,
  PVCS,
  type Resource,
  STORAGE_CLASSES,
} from '../../kubevirt/resources.ts'
import type { KubeObject, Pod } from '../../kubevirt/types.ts'
import {
  claimBinding,
  claimsIn,
  isClaimOf,
  isHeld,
  SELECTED_NODE,
  type StorageClass,
  type Volume,
  type VolumeClaim,
} from '../../rules/volume-binding.ts'
import { keyOf, keyOfObject, parseKey } from '../controller/caches.ts'
import { type Log, startWorker } from '../controller/worker.ts'
import { eventRecorder } from '../events.ts'
import { PROVISIONER } from './classes.ts'
import { BOUND, madeVolume, PROVISIONED_BY, provisionerMarks, referenceTo } from './volumes.ts'

const IN_USE = 'kubernetes.io/pvc-protection'
const IS_BOUND = 'kubernetes.io/pv-protection'

export interface VolumeBinder {
  close(): Promise<void>
}

/**
 * What kube-controller-manager and a CSI provisioner do of claims and volumes: a claim gets a volume that is there, or one
 * that is made for it, as its class says when; it stays while a pod mounts it, and a volume that was made goes with it.
 * Resolves when its caches are filled.
 */
export async function startVolumeBinder(options: {
  cluster: Cluster
  clock: Clock
  log: Log
}): Promise<VolumeBinder> {
  const { cluster, clock, log } = options
  const controller = eventRecorder(cluster, clock, { component: 'persistentvolume-controller' })
  const provisioner = eventRecorder(cluster, clock, {
    component: `${PROVISIONER}_lab_${randomUUID()}`,
  })
  const claims = startInformer<VolumeClaim>(cluster, PVCS, { clock })
  const volumes = startInformer<Volume>(cluster, PERSISTENT_VOLUMES, { clock })
  const classes = startInformer<StorageClass>(cluster, STORAGE_CLASSES, { clock })
  const pods = startInformer<Pod>(cluster, PODS, { clock })
  const worker = startWorker({ name: 'persistentvolume', clock, log, threads: 1, reconcile })

  claims.on(({ object }) => {
    worker.queue.add(keyOfObject(object))
    for (const volume of volumes.list())
      if (isClaimOf(volume, object)) worker.queue.add(keyOfObject(volume))
  })
  volumes.on(({ type, object }) => {
    if (type !== 'DELETED') worker.queue.add(keyOfObject(object))
    if (!object.spec.claimRef || type === 'DELETED') lookAtClaims()
  })
  classes.on(lookAtClaims)
  pods.on(({ object }) => {
    for (const name of claimsIn(object)) worker.queue.add(keyOf(object.metadata.namespace, name))
  })
  const informers = [claims, volumes, classes, pods]
  await Promise.all(informers.map(({ synced }) => synced))

  return {
    async close() {
      await worker.close()
      await Promise.all(informers.map((informer) => informer.close()))
      await Promise.all([controller.flushed(), provisioner.flushed()])
    },
  }

  function lookAtClaims(): void {
    for (const claim of claims.list())
      if (claim.status?.phase !== 'Bound') worker.queue.add(keyOfObject(claim))
  }

  /** Volumes have no namespace. */
  async function reconcile(key: string): Promise<void> {
    const { namespace, name } = parseKey(key)
    const volume = namespace === '' ? volumes.get(undefined, name) : undefined
    const claim = namespace === '' ? undefined : claims.get(namespace, name)
    try {
      if (volume) await ofVolume(volume)
      if (claim) await ofClaim(claim)
    } catch (err) {
      // Gone while it was worked on.
      if (!isStatus(err, 404)) throw err
    }
  }

  async function ofClaim(cached: VolumeClaim): Promise<void> {
    if (await protect(PVCS, cached, IN_USE, isHeld(cached, pods.list()))) return
    if (cached.status?.phase === 'Bound') return
    // The cache may be behind what was just written, and nothing is to be made twice.
    const claim = await get<VolumeClaim>(cluster, PVCS, cached.metadata)
    const view = { classes: classes.list(), volumes: volumes.list(), pods: pods.list() }
    const binding = claimBinding(claim, view)
    switch (binding.kind) {
      case 'bound':
      case 'wait-for-volume':
        return
      case 'take-class':
        return change(claim, { spec: { storageClassName: binding.name } })
      case 'select-node':
        return change(claim, { metadata: { annotations: { [SELECTED_NODE]: binding.node } } })
      case 'wait':
        controller.record(claim, binding.type, binding.reason, binding.message)
        return
      case 'bind':
        return bind(claim, binding.volume)
      case 'provision':
        return provision(claim, binding.storageClass, binding.provisioner)
    }
  }

  /** Others' provisioners are asked too, but nobody answers. */
  async function provision(claim: VolumeClaim, of: StorageClass, by: string): Promise<void> {
    const marks = provisionerMarks(by)
    const known = claim.metadata.annotations ?? {}
    if (Object.keys(marks).some((mark) => known[mark] !== by))
      await change(claim, { metadata: { annotations: marks } })
    const asked = `Waiting for a volume to be created either by the external provisioner '${by}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`
    controller.record(claim, 'Normal', 'ExternalProvisioning', asked)
    if (by !== PROVISIONER) return
    const { namespace, name } = claim.metadata
    const begun = `External provisioner is provisioning volume for claim "${namespace}/${name}"`
    // Told in the order in which it happens, though by two.
    await controller.flushed()
    provisioner.record(claim, 'Normal', 'Provisioning', begun)
    const made = madeVolume(claim, of)
    const volume = await create<Volume>(cluster, PERSISTENT_VOLUMES, made).catch((err) => {
      if (isStatus(err, 409)) return made
      throw err
    })
    const done = `Successfully provisioned volume ${volume.metadata.name}`
    provisioner.record(claim, 'Normal', 'ProvisioningSucceeded', done)
    await bind(claim, volume)
  }

  /** The volume is the claim's first, so that no other claim can take it. */
  async function bind(claim: VolumeClaim, { metadata, spec }: Volume): Promise<void> {
    if (!spec.claimRef?.uid)
      await patch(
        cluster,
        PERSISTENT_VOLUMES,
        { name: metadata.name },
        { spec: { claimRef: referenceTo(claim) } },
        'merge',
      )
    await phase(PERSISTENT_VOLUMES, { name: metadata.name }, { phase: 'Bound' })
    await change(claim, {
      metadata: { annotations: BOUND },
      spec: { volumeName: metadata.name },
    })
    const { accessModes, capacity } = spec
    await phase(PVCS, claim.metadata, { phase: 'Bound', accessModes, capacity })
  }

  async function ofVolume(volume: Volume): Promise<void> {
    const { claimRef, persistentVolumeReclaimPolicy } = volume.spec
    const claim = claims.get(claimRef?.namespace, claimRef?.name ?? '')
    const isTaken = claim !== undefined && isClaimOf(volume, claim)
    if (await protect(PERSISTENT_VOLUMES, volume, IS_BOUND, isTaken)) return
    const { name } = volume.metadata
    if (isTaken) return
    if (!claimRef?.uid) {
      if (volume.status?.phase !== 'Available')
        await phase(PERSISTENT_VOLUMES, { name }, { phase: 'Available' })
      return
    }
    if (volume.status?.phase !== 'Released')
      await phase(PERSISTENT_VOLUMES, { name }, { phase: 'Released' })
    const isOurs = volume.metadata.annotations?.[PROVISIONED_BY] === PROVISIONER
    if (isOurs && persistentVolumeReclaimPolicy === 'Delete')
      await remove(cluster, PERSISTENT_VOLUMES, { name })
  }

  /** Keeps what is needed from being gone, and says whether it is on its way. */
  async function protect(
    resource: Resource,
    { metadata }: KubeObject,
    finalizer: string,
    isNeeded: boolean,
  ): Promise<boolean> {
    const { namespace, name, resourceVersion, finalizers = [], deletionTimestamp } = metadata
    const isKept = finalizers.includes(finalizer)
    const write = (list: string[]) =>
      patch(
        cluster,
        resource,
        { namespace, name },
        { metadata: { resourceVersion, finalizers: list } },
        'merge',
      )
    if (deletionTimestamp) {
      if (isKept && !isNeeded) await write(finalizers.filter((other) => other !== finalizer))
      return true
    }
    if (isKept) return false
    await write([...finalizers, finalizer])
    // Its new state comes back by the watch.
    return true
  }

  async function change({ metadata }: VolumeClaim, body: object): Promise<void> {
    await patch(cluster, PVCS, metadata, body, 'merge')
  }

  async function phase(
    resource: Resource,
    { namespace, name }: { namespace?: string | undefined; name: string },
    status: object,
  ): Promise<void> {
    await patch(cluster, resource, { namespace, name, subresource: 'status' }, { status }, 'merge')
  }
}
