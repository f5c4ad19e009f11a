import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/clock.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { connect } from '../../src/cluster/config.ts'
import { type Informer, startInformer } from '../../src/cluster/informer.ts'
import { create, patch } from '../../src/cluster/objects.ts'
import {
  EVENTS,
  KUBEVIRTS,
  MIGRATION_POLICIES,
  MIGRATIONS,
  NAMESPACES,
  NODES,
  PODS,
  RESOURCE_QUOTAS,
  type Resource,
  VMIS,
  VMS,
} from '../../src/kubevirt/resources.ts'
import type { KubeObject, KubeVirt } from '../../src/kubevirt/types.ts'
import { startApiServer } from '../../src/lab/api/server.ts'
import { type LabUser, wellKnownUsers } from '../../src/lab/api/users.ts'
import { type Controllers, startControllers } from '../../src/lab/controller/controllers.ts'
import type { Binaries } from '../../src/lab/real-api/binaries.ts'
import { type AnyApiServer, startRealApiServer } from '../../src/lab/real-api/server.ts'
import { createNames, type Names } from './names.ts'
import type { Scenario } from './scenario.ts'

/** The kinds that are compared and those that lead to them; any other is watched from when a recording asks for it. */
const WATCHED: Resource[] = [
  PODS,
  MIGRATIONS,
  VMIS,
  VMS,
  RESOURCE_QUOTAS,
  EVENTS,
  NAMESPACES,
  NODES,
  KUBEVIRTS,
  MIGRATION_POLICIES,
]

/** When an object came and went, in ms. */
interface Life {
  created: number
  /** Of its deletion, or of the wish for it. */
  deleted?: number
}

/** A lab of its own for one scenario: API server and controllers, without scheduler and node agents. */
export interface ReplayLab {
  names: Names
  controllers: Controllers
  /** As whom: `user`, `admin`, `kubelet`, `scheduler`, `virt-handler@N`. */
  as(identity: string): Promise<Cluster>
  all<T extends KubeObject>(resource: Resource): T[]
  find<T extends KubeObject>(resource: Resource, name: string): T | undefined
  /** By its real name. */
  lifeOf(resource: Resource, name: string): Life | undefined
  /** How long nothing has been written, in ms. */
  quietFor(): number
  close(): Promise<void>
}

export function namespaceOf(resource: Resource): string | undefined {
  if (!resource.namespaced) return undefined
  return resource.plural === KUBEVIRTS.plural ? 'kubevirt' : 'demo'
}

/** On the embedded API server, or on the real one of these binaries. */
export async function startReplayLab(
  scenario: Scenario,
  start: number,
  binaries?: Binaries,
): Promise<ReplayLab> {
  const folder = await mkdtemp(join(tmpdir(), 'kubectl-mig-replay-'))
  const users = usersFor(scenario)
  const embedded = binaries
    ? undefined
    : await startApiServer({ clock: systemClock, users, historyLength: 100_000 })
  const server = binaries
    ? await startRealApiServer({ binaries, clock: systemClock, users })
    : embedded!
  const clients = new Map<string, Promise<Cluster>>()
  const connectAs = (name: string) => {
    const known = clients.get(name)
    if (known) return known
    const client = connectWith(server, name, folder)
    clients.set(name, client)
    return client
  }

  const admin = await connectAs('admin')
  await createCluster(admin, scenario)
  const names = createNames(start)
  const lives = new Map<string, Life>()
  const informers = new Map<string, Informer<KubeObject>>()
  let changed = Date.now()
  const onChange = () => {
    changed = Date.now()
  }
  const watched = (resource: Resource) => {
    const known = informers.get(resource.plural)
    if (known) return known
    const informer = watchLives(admin, resource, names, lives, onChange)
    informers.set(resource.plural, informer)
    return informer
  }
  await Promise.all(WATCHED.map((resource) => watched(resource).synced))
  const controllers = await startControllers({
    cluster: await connectAs('system:serviceaccount:kubevirt:kubevirt-controller'),
    clock: systemClock,
  })

  // The embedded server is asked itself: what was written a moment ago is not on the watches yet.
  let revision = embedded?.store.revision
  return {
    names,
    controllers,
    as: (identity) => connectAs(userNameOf(identity)),
    all: <T extends KubeObject>(resource: Resource) => watched(resource).list() as T[],
    find: <T extends KubeObject>(resource: Resource, name: string) =>
      watched(resource).get(namespaceOf(resource), name) as T | undefined,
    lifeOf: (resource, name) => lives.get(`${resource.plural}/${name}`),
    quietFor() {
      if (embedded?.store.revision !== revision) {
        revision = embedded?.store.revision
        onChange()
      }
      return Date.now() - changed
    },
    async close() {
      await controllers.close()
      await Promise.all([...informers.values()].map((informer) => informer.close()))
      await Promise.allSettled([...clients.values()].map(async (client) => (await client).close()))
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function usersFor(scenario: Scenario): LabUser[] {
  const masters = { groups: ['system:masters', 'system:authenticated'] }
  return [
    ...wellKnownUsers(nodesOf(scenario)),
    ...['kubelet', 'scheduler'].map((name) => ({
      name,
      ...masters,
      token: crypto.randomUUID(),
    })),
  ]
}

/** Those that come later are known by their handlers. */
function nodesOf({ nodes, steps }: Scenario): string[] {
  const handlers = steps.flatMap(({ inputs }) =>
    inputs.flatMap(({ by }) => /^virt-handler@(.+)$/.exec(by)?.[1] ?? []),
  )
  return [...new Set([...nodes.map(({ name }) => name), ...handlers])]
}

function userNameOf(identity: string): string {
  const [name, node] = identity.split('@')
  return name === 'virt-handler'
    ? `system:serviceaccount:kubevirt:kubevirt-handler@${node}`
    : identity
}

async function connectWith(server: AnyApiServer, name: string, folder: string): Promise<Cluster> {
  const kubeconfig = join(folder, `${encodeURIComponent(name)}.kubeconfig`)
  await writeFile(kubeconfig, server.kubeconfig(name, { only: true }), { mode: 0o600 })
  return connect({ kubeconfig, env: {} })
}

async function createCluster(admin: Cluster, { kubevirt, nodes }: Scenario): Promise<void> {
  const { status, spec, ...rest } = kubevirt
  const body = { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', ...rest, spec: asMain(spec) }
  const { name, namespace = 'kubevirt' } = kubevirt.metadata
  await create(admin, KUBEVIRTS, body, { namespace })
  await patch(admin, KUBEVIRTS, { namespace, name, subresource: 'status' }, { status }, 'merge')
  for (const node of nodes) {
    const { name: nodeName, labels, unschedulable, allocatable } = node
    await create(admin, NODES, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: nodeName, labels },
      spec: unschedulable ? { unschedulable } : {},
      status: { allocatable, capacity: allocatable },
    })
  }
}

/** The recordings are of KubeVirt's main, where this gate is Beta, and so on; a lab plays 1.9, where it has to be named. */
function asMain(spec: KubeVirt['spec']): KubeVirt['spec'] {
  const { configuration } = spec
  const developer = configuration?.developerConfiguration
  const featureGates = [...(developer?.featureGates ?? []), 'DecentralizedLiveMigration']
  const developerConfiguration = { ...developer, featureGates }
  return { ...spec, configuration: { ...configuration, developerConfiguration } }
}

function watchLives(
  admin: Cluster,
  resource: Resource,
  names: Names,
  lives: Map<string, Life>,
  onChange: () => void,
): Informer<KubeObject> {
  return startInformer<KubeObject>(admin, resource, {
    onChange({ type, object: { metadata } }) {
      onChange()
      const { name, uid = '', generateName, deletionTimestamp } = metadata
      const key = `${resource.plural}/${name}`
      if (type === 'ADDED') {
        // An event's uid says nothing, and its name is made of its object's.
        if (resource !== EVENTS) names.see({ kind: resource.kind, name, uid, generateName })
        lives.set(key, { created: Date.now() })
      }
      const life = lives.get(key)
      if (life && (type === 'DELETED' || deletionTimestamp)) life.deleted ??= Date.now()
    },
  })
}
