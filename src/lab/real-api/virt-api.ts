import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../clock.ts'
import { statusOf } from '../../cluster/api-error.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { create, getIfExists, list, patch, replace } from '../../cluster/objects.ts'
import { KUBEVIRTS, MIGRATIONS, NODES, type Resource, VMIS, VMS } from '../../kubevirt/resources.ts'
import type { KubeObject, KubeVirt, Node, Vm, Vmi } from '../../kubevirt/types.ts'
import { type BackupOptions, backupRequest } from '../../rules/backup.ts'
import { settingsFor } from '../../rules/configuration.ts'
import { type PowerOptions, type PowerVerb, powerOf, withPower } from '../../rules/vm-power.ts'
import {
  type AddVolumeOptions,
  changeVolumes,
  type VolumeChange,
} from '../../rules/volume-request.ts'
import { readBody } from '../api/body.ts'
import { entriesOf } from '../api/discovery/entries.ts'
import { resourceList } from '../api/discovery/legacy.ts'
import { reply, replyError } from '../api/reply.ts'
import { type RequestInfo, requestInfo } from '../api/request-info.ts'
import { badRequest, conflict, internalError, noSuchResource, notFound } from '../api/status.ts'
import { SUBRESOURCES } from '../api/subresources/resources.ts'

const GROUP = 'subresources.kubevirt.io'

/**
 * KubeVirt's aggregated API as it bears on migrations, over an API server that has sent the request on. Whether the user
 * may do it has been decided there.
 */
export function virtApi(cluster: () => Promise<Cluster>, clock: Clock) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    handle(request, response, cluster, clock).catch((err: unknown) => replyError(response, err))
  }
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  cluster: () => Promise<Cluster>,
  clock: Clock,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://virt-api')
  const info = requestInfo(request.method ?? 'GET', pathname, searchParams)
  if (!info.isResource) {
    if (info.group !== GROUP || info.version === '') throw noSuchResource()
    const document = resourceList(entriesOf([], SUBRESOURCES), GROUP, info.version)
    return reply(response, 200, JSON.stringify(document))
  }
  const run = info.verb === 'update' ? ACTIONS[`${info.resource}/${info.subresource}`] : undefined
  if (!run) throw noSuchResource()
  const body = await readBody(request)
  const code = await run(await cluster(), info, optionsOf(body), clock.now())
  response.writeHead(code, { 'content-length': 0 }).end()
}

interface Options extends AddVolumeOptions, BackupOptions, PowerOptions {
  dryRun?: string[]
  addedNodeSelector?: Record<string, string>
  evacuationNodeName?: string
}

function optionsOf(body: Buffer): Options {
  if (body.length === 0) return {}
  try {
    return JSON.parse(body.toString('utf8')) as Options
  } catch (err) {
    throw badRequest(`Can not unmarshal Request body to struct, error: ${(err as Error).message}`)
  }
}

/** Returns the HTTP code of what was done; `now` is in ms. */
type Action = (
  cluster: Cluster,
  info: RequestInfo,
  options: Options,
  now: number,
) => Promise<number>

const ACTIONS: Record<string, Action> = {
  'virtualmachines/migrate': migrate,
  'virtualmachines/evacuate/cancel': async (cluster, info, options) => {
    await demand(cluster, VMS, info)
    return cancelEvacuation(cluster, info, options)
  },
  'virtualmachines/start': powerAction('start'),
  'virtualmachines/stop': powerAction('stop'),
  'virtualmachines/restart': powerAction('restart'),
  'virtualmachineinstances/evacuate/cancel': cancelEvacuation,
  'virtualmachineinstances/backup': backup,
  'virtualmachines/addvolume': volumeAction(VMS, 'addvolume'),
  'virtualmachines/removevolume': volumeAction(VMS, 'removevolume'),
  'virtualmachineinstances/addvolume': volumeAction(VMIS, 'addvolume'),
  'virtualmachineinstances/removevolume': volumeAction(VMIS, 'removevolume'),
}

function powerAction(verb: PowerVerb): Action {
  return async (cluster, info, options) => {
    const vm = await demand<Vm>(cluster, VMS, info)
    const { metadata } = vm
    const vmi = await getIfExists<Vmi>(cluster, VMIS, metadata)
    const answer = powerOf(verb, vm, vmi, options)
    if (!answer.ok) {
      const { code, message } = answer
      if (code === 400) throw badRequest(message)
      if (code === 500) throw internalError(message)
      throw conflict({ group: 'kubevirt.io', plural: 'virtualmachine' }, metadata.name, message)
    }
    const { grace } = answer
    const change = { spec: { terminationGracePeriodSeconds: grace } }
    const dryRun = dryRunOf(options)
    if (grace !== undefined) await patch(cluster, VMIS, metadata, change, 'merge', dryRun)
    const at = 'requests' in answer ? { ...metadata, subresource: 'status' } : metadata
    await replace(cluster, VMS, at, withPower(vm, answer), dryRun)
    return 202
  }
}

function volumeAction(resource: Resource, change: VolumeChange): Action {
  return async (cluster, info, options) => {
    const found = await demand<Vm | Vmi>(cluster, resource, info)
    const singular = { group: resource.group, plural: resource.kind.toLowerCase() }
    const { name } = found.metadata
    if (resource === VMIS && (found as Vmi).status?.phase !== 'Running')
      throw conflict(singular, name, 'VMI is not running')
    const changed = changeVolumes(found, change, options)
    if (changed.ok) {
      await replace(cluster, resource, found.metadata, changed.object, dryRunOf(options))
      return 202
    }
    const { code, message } = changed
    throw code === 400 ? badRequest(message) : conflict(singular, name, message)
  }
}

async function migrate(cluster: Cluster, info: RequestInfo, options: Options): Promise<number> {
  const { namespace = '', name = '' } = info
  await demand(cluster, VMS, info)
  const vmi = await demand<Vmi>(cluster, VMIS, info)
  if (vmi.status?.phase !== 'Running')
    throw conflict({ group: 'kubevirt.io', plural: 'virtualmachine' }, name, 'VM is not running')
  const { addedNodeSelector } = options
  const migration = {
    apiVersion: 'kubevirt.io/v1',
    kind: MIGRATIONS.kind,
    metadata: { generateName: 'kubevirt-migrate-vm-' },
    spec: { vmiName: name, ...(addedNodeSelector && { addedNodeSelector }) },
  }
  try {
    await create(cluster, MIGRATIONS, migration, { namespace, ...dryRunOf(options) })
  } catch (err) {
    throw internalError(statusOf(err)?.message ?? (err as Error).message)
  }
  return 202
}

async function backup(
  cluster: Cluster,
  info: RequestInfo,
  options: Options,
  now: number,
): Promise<number> {
  const vmi = await demand<Vmi>(cluster, VMIS, info)
  const asked = backupRequest(vmi, options, now)
  if (asked.ok) {
    await replace(cluster, VMIS, vmi.metadata, { ...vmi, status: asked.status })
    return 200
  }
  const { code, message } = asked
  const resource = { group: 'kubevirt.io', plural: 'virtualmachineinstance' }
  throw code === 409 ? conflict(resource, vmi.metadata.name, message) : internalError(message)
}

async function cancelEvacuation(
  cluster: Cluster,
  info: RequestInfo,
  options: Options,
): Promise<number> {
  const { metadata, status } = await demand<Vmi>(cluster, VMIS, info)
  const marked = status?.evacuationNodeName
  const node = marked || status?.nodeName
  if (node) await refuseDrained(cluster, node)
  if (!marked) return 200
  if (options.evacuationNodeName && options.evacuationNodeName !== marked)
    throw internalError('the server rejected our request due to an error in our request')
  const at = { namespace: metadata.namespace ?? '', name: metadata.name }
  const mark = { status: { evacuationNodeName: null } }
  await patch(cluster, VMIS, at, mark, 'merge', dryRunOf(options))
  return 200
}

/** A node that carries the drain taint would only be marked again. */
async function refuseDrained(cluster: Cluster, name: string): Promise<void> {
  const node = await getIfExists<Node>(cluster, NODES, { name })
  if (!node) throw internalError(`nodes "${name}" not found`)
  const [kubevirt] = (await list<KubeVirt>(cluster, KUBEVIRTS, {})).items
  const key = settingsFor(kubevirt).nodeDrainTaintKey?.value
  if ((node.spec.taints ?? []).some((t) => t.key === key && t.effect === 'NoSchedule'))
    throw badRequest(`Node "${name}" has NodeDrainTaintKey "${key}:NoSchedule"`)
}

/** 404 in virt-api's words, which name the singular. */
async function demand<T extends KubeObject>(
  cluster: Cluster,
  resource: Resource,
  { namespace = '', name = '' }: RequestInfo,
): Promise<T> {
  const found = await getIfExists<T>(cluster, resource, { namespace, name })
  if (!found) throw notFound({ group: resource.group, plural: resource.kind.toLowerCase() }, name)
  return found
}

function dryRunOf({ dryRun = [] }: Options): { dryRun?: true } {
  return dryRun.includes('All') ? { dryRun: true } : {}
}

/** How the API server is told of it: an APIService a version, behind a Service that is a name for this machine. */
export function virtApiRegistration(port: number, caCert: string): object[] {
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'virt-api', namespace: 'kubevirt' },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  }
  const versions = [...new Set(SUBRESOURCES.map(({ version }) => version))]
  return [
    service,
    ...versions.map((version, index) => ({
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `${version}.${GROUP}` },
      spec: {
        group: GROUP,
        version,
        service: { name: 'virt-api', namespace: 'kubevirt', port },
        caBundle: Buffer.from(caCert).toString('base64'),
        groupPriorityMinimum: 1000,
        versionPriority: 15 - index,
      },
    })),
  ]
}
