import type { Clock } from '../../clock.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { type Informer, startInformer } from '../../cluster/informer.ts'
import { get, list, patch } from '../../cluster/objects.ts'
import { EXIT, MigError } from '../../errors.ts'
import { LABEL } from '../../kubevirt/labels.ts'
import { phaseOf } from '../../kubevirt/migration.ts'
import { requestedNetworks } from '../../kubevirt/multus.ts'
import { EVENTS, MIGRATIONS, NODES, PODS, VMIS } from '../../kubevirt/resources.ts'
import type { Event, KubeObject, KubeVirt, Migration, Pod, Vmi } from '../../kubevirt/types.ts'
import { FAULTS, type Fault } from '../faults.ts'
import type { Waiting } from '../ready.ts'
import { NAMESPACE } from '../seed.ts'
import { resourceOf } from './resource.ts'
import { type Moment, momentText, type Scenario } from './scenario.ts'

/** A step that has not come after so long does not come, ms. */
const PATIENCE_MS = 120_000
/** After so long it is said what is waited for, ms. */
const SILENCE_MS = 10_000
const LOOK_MS = 50

/**
 * Brings a lab that is ready into a scenario's state: applies its objects, each when its moment has come, and waits until
 * the state is reached. @throws MigError when it does not come to that
 */
export async function playScenario(
  { name, objects, until }: Scenario,
  { admin, clock, signal, onWait }: Waiting & { admin: Cluster },
): Promise<void> {
  const seen = watchAll(admin, clock)
  try {
    await seen.synced
    for (const { object, when } of objects) {
      if (when) await comes(momentText(when), () => seen.has(when))
      await apply(object)
    }
    for (const moment of until) await comes(momentText(moment), () => seen.has(moment))
  } finally {
    await seen.close()
  }

  async function apply(object: KubeObject): Promise<void> {
    const resource = resourceOf(object)
    if (!resource) return
    const { metadata } = object
    const at = {
      name: metadata.name,
      ...(resource.namespaced && { namespace: metadata.namespace ?? 'default' }),
    }
    await patch(admin, resource, at, object, 'apply', { force: true })
    if (object.kind === FAULTS.kind) await comes(`fault/${at.name} Broken`, () => isBroken(at))
    if (object.kind === 'KubeVirt')
      await comes('virt-handlers on their network', () => isRolledOut(object as KubeVirt))
  }

  async function isBroken(at: { name: string }): Promise<boolean> {
    const { spec, status } = await get<Fault>(admin, FAULTS, at)
    const nodes = spec.node ? [spec.node] : (await list(admin, NODES)).items.map(nameOf)
    return nodes.every((node) => status?.nodes?.[node] !== undefined)
  }

  /** Another migration network means new virt-handlers. */
  async function isRolledOut({ spec }: KubeVirt): Promise<boolean> {
    const wanted = spec.configuration?.migrations?.network
    const labelSelector = `${LABEL.app}=virt-handler`
    const { items } = await list<Pod>(admin, PODS, { namespace: NAMESPACE, labelSelector })
    const nodes = await list(admin, NODES)
    return (
      items.length === nodes.items.length &&
      items.every(
        (pod) => pod.status?.phase === 'Running' && requestedNetworks(pod)[0]?.name === wanted,
      )
    )
  }

  async function comes(what: string, isThere: () => Promise<boolean> | boolean): Promise<void> {
    const since = clock.now()
    for (let said = since; !(await isThere()); ) {
      signal?.throwIfAborted()
      const now = clock.now()
      if (now - said > SILENCE_MS) {
        said = now
        onWait?.(what)
      }
      if (now - since > PATIENCE_MS)
        throw new MigError(EXIT.error, `the scenario ${name} does not come to "${what}"`, {
          hint: `it was waited for ${PATIENCE_MS / 1000} s; the machine may be too busy`,
        })
      await clock.sleep(LOOK_MS, signal)
    }
  }
}

interface Seen {
  synced: Promise<unknown>
  has(moment: Moment): boolean
  close(): Promise<unknown>
}

/** What moments are about. */
function watchAll(admin: Cluster, clock: Clock): Seen {
  const migrations = startInformer<Migration>(admin, MIGRATIONS, { clock })
  const vmis = startInformer<Vmi>(admin, VMIS, { clock })
  const events = startInformer<Event>(admin, EVENTS, { clock })
  const all: Informer<never>[] = [migrations, vmis, events] as never
  return {
    synced: Promise.all(all.map(({ synced }) => synced)),
    has({ kind, name, is }) {
      const isNamed = (own: string | undefined) => name === undefined || own === name
      if (kind === 'vmim')
        return migrations.list().some((one) => isNamed(nameOf(one)) && phaseOf(one) === is)
      if (kind === 'vmi')
        return vmis.list().some((one) => isNamed(nameOf(one)) && one.status?.phase === is)
      return events.list().some((one) => isNamed(one.involvedObject.name) && one.reason === is)
    },
    close: () => Promise.all(all.map((informer) => informer.close())),
  }
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name
}
