import type { Clock } from '../../clock.ts'
import { isStatus } from '../../cluster/api-error.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { create, list, patch } from '../../cluster/objects.ts'
import { NAMESPACES, type Resource } from '../../kubevirt/resources.ts'
import type { KubeObject } from '../../kubevirt/types.ts'
import { customKinds, definitions } from '../api/definitions.ts'
import { ROLE_OBJECTS } from '../api/roles/index.ts'
import { webhookConfigurations } from '../api/webhooks.ts'
import { virtApiRegistration } from './virt-api.ts'

interface InstallOptions {
  clock: Clock
  signal: AbortSignal
  /** Where virt-api answers. */
  hooks: { port: number; webhooksPath: string }
  /** Of who issued its certificate. */
  caCert: string
}

/** A definition, or another object that says when it is ready. */
interface Definition extends KubeObject {
  status?: { conditions?: { type: string; status: string }[] }
}

const DEFINITIONS: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}

const API_SERVICES: Resource = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  plural: 'apiservices',
  kind: 'APIService',
  namespaced: false,
}

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' }
const ROLE_RESOURCES: Record<string, Resource> = {
  ClusterRole: { ...RBAC, plural: 'clusterroles', kind: 'ClusterRole', namespaced: false },
  ClusterRoleBinding: {
    ...RBAC,
    plural: 'clusterrolebindings',
    kind: 'ClusterRoleBinding',
    namespaced: false,
  },
  RoleBinding: { ...RBAC, plural: 'rolebindings', kind: 'RoleBinding', namespaced: true },
}

/** Roles that are put together by a controller which a lab has not: they get their rules in one piece. */
const AGGREGATED = ['admin', 'edit', 'view']

/** Makes a fresh API server one of a cluster with KubeVirt: its kinds, its namespace, its roles and the lab's. */
export async function install(
  admin: Cluster,
  { clock, signal, hooks, caCert }: InstallOptions,
): Promise<void> {
  await Promise.all([
    ...definitions().map((definition) => create(admin, DEFINITIONS, definition, {})),
    create(admin, NAMESPACES, namespace('kubevirt'), {}),
    // It is created by the server itself, which may not have come to it.
    untilThere(create(admin, NAMESPACES, namespace('default'), {})),
  ])
  await Promise.all([
    ...ROLE_OBJECTS.map((role) => grant(admin, role)),
    served(admin, clock, signal),
  ])
  const url = `https://127.0.0.1:${hooks.port}${hooks.webhooksPath}`
  const caBundle = Buffer.from(caCert).toString('base64')
  for (const object of [
    ...webhookConfigurations((path) => ({ url: `${url}/${path}`, caBundle })),
    ...(virtApiRegistration(hooks.port, caCert) as KubeObject[]),
  ])
    await create(admin, resourceOf(object), object, namespaceOf(object))
  await available(admin, clock, signal)
}

function resourceOf({ apiVersion = '', kind = '' }: KubeObject): Resource {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  return { group, version, plural: `${kind.toLowerCase()}s`, kind, namespaced: kind === 'Service' }
}

function namespaceOf({ metadata: { namespace } }: KubeObject): { namespace?: string } {
  return namespace === undefined ? {} : { namespace }
}

/** The aggregated API is asked for its discovery before anything is sent on to it. */
async function available(admin: Cluster, clock: Clock, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { items } = await list<Definition>(admin, API_SERVICES, { signal })
    if (items.every((service) => hasCondition(service, 'Available'))) return
    await clock.sleep(50, signal)
  }
}

function namespace(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } as KubeObject
}

async function grant(admin: Cluster, role: (typeof ROLE_OBJECTS)[number]): Promise<void> {
  const resource = ROLE_RESOURCES[role.kind]!
  const { name, namespace } = role.metadata
  const body = { apiVersion: `${RBAC.group}/${RBAC.version}`, ...role } as unknown as KubeObject
  if (AGGREGATED.includes(name))
    await patch(admin, resource, { name }, { rules: role['rules'] }, 'merge')
  else await untilThere(create(admin, resource, body, namespace ? { namespace } : {}))
}

/** Somebody else may have been first. */
async function untilThere(creation: Promise<unknown>): Promise<void> {
  try {
    await creation
  } catch (err) {
    if (!isStatus(err, 409)) throw err
  }
}

async function served(admin: Cluster, clock: Clock, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { items } = await list<Definition>(admin, DEFINITIONS, { signal })
    if (items.every((definition) => hasCondition(definition, 'Established'))) break
    await clock.sleep(50, signal)
  }
  // The first to ask for a kind is told to come back when its cache is filled.
  await Promise.all(
    customKinds().map((kind) => list(admin, kind, { namespace: 'default', limit: 1, signal })),
  )
}

function hasCondition({ status }: Definition, type: string): boolean {
  return status?.conditions?.some((c) => c.type === type && c.status === 'True') ?? false
}
