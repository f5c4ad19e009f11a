import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import type { Cluster } from '../../../src/cluster/cluster.ts'
import { create, get, list, patch } from '../../../src/cluster/objects.ts'
import { publishedPorts } from '../../../src/kubevirt/migration.ts'
import { KUBEVIRTS, MIGRATIONS, NODES, PODS, VMIS } from '../../../src/kubevirt/resources.ts'
import type { Node, Pod, Vmi } from '../../../src/kubevirt/types.ts'
import { type Lab, startLab } from '../../../src/lab/lab.ts'
import {
  ADDRESSES,
  CONNECTIONS,
  certificateIn,
  connectionsIn,
  LISTENERS,
  type NodeCommand,
  PROXY_SOCKETS,
  routeTo,
  UNIX_LISTENERS,
} from '../../../src/probe/commands.ts'
import { parseTcpTable } from '../../../src/probe/socket-table.ts'

const execute = promisify(execFile)
const isLinux = platform() === 'linux'
const kubectl = await execute('kubectl', ['version', '--client']).then(
  () => true,
  () => false,
)
let lab: Lab
let admin: Cluster
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubelet-api-'))
  lab = await startLab({
    name: `kubelet-${process.pid}`,
    nodes: 2,
    vms: 1,
    guest: 'synthetic',
    memory: '64Mi',
    clock: systemClock,
  })
  admin = await lab.connect('admin')
  await writeFile(join(folder, 'config'), lab.kubeconfig(), { mode: 0o600 })
  // So slow that the copies stay under way until the lab ends.
  const configuration = { migrations: { bandwidthPerMigration: '2Mi' } }
  const kubevirt = { namespace: 'kubevirt', name: 'kubevirt' }
  await patch(admin, KUBEVIRTS, kubevirt, { spec: { configuration } }, 'merge')
  const migration = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name: 'move', namespace: 'default' },
    spec: { vmiName: 'vm-1' },
  }
  await create(admin, MIGRATIONS, migration, { namespace: 'default' })
  await vi.waitUntil(async () => (await state())?.startTimestamp, { timeout: 20_000 })
}, 40_000)
afterAll(async () => {
  await admin?.close()
  await lab?.close()
  await rm(folder, { recursive: true })
})

const vmi = () => get<Vmi>(admin, VMIS, { namespace: 'default', name: 'vm-1' })
const state = async () => (await vmi()).status?.migrationState

async function handlerOn(node: string | undefined): Promise<string> {
  const labelSelector = 'kubevirt.io=virt-handler'
  const { items } = await list<Pod>(admin, PODS, { namespace: 'kubevirt', labelSelector })
  return items.find(({ spec }) => spec.nodeName === node)?.metadata.name ?? ''
}

const client = (...words: string[]) =>
  execute('kubectl', ['--kubeconfig', join(folder, 'config'), ...words])

async function inHandler<T>(node: string | undefined, command: NodeCommand<T>): Promise<T> {
  const pod = await handlerOn(node)
  const { stdout } = await client('exec', '-n', 'kubevirt', pod, '--', ...command.argv)
  return command.parse(stdout)
}

test('a kubelet talks to the API server alone', async () => {
  const node = await get<Node>(admin, NODES, { name: 'node-1' })
  const { daemonEndpoints } = node.status as { daemonEndpoints?: Record<string, { Port: number }> }
  const host = node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? ''
  const code = await new Promise((resolve, reject) => {
    const asked = request({
      host,
      port: daemonEndpoints?.['kubeletEndpoint']?.Port,
      path: `/containerLogs/kubevirt/x/virt-handler`,
      rejectUnauthorized: false,
      agent: false,
    })
    asked.on('response', (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    asked.on('error', reject)
    asked.end()
  })
  expect(code).toBe(401)
})

test.runIf(kubectl)('kubectl logs shows what virt-handler and its proxies say', async () => {
  const { sourceNode } = (await state()) ?? {}
  const { stdout } = await client('logs', '-n', 'kubevirt', await handlerOn(sourceNode))
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const uid = (await vmi()).metadata.uid
  expect(lines).toContainEqual(
    expect.objectContaining({
      component: 'virt-handler',
      level: 'info',
      msg: 'Manager created proxy on source node',
      uid,
    }),
  )
  for (const line of lines) expect(Object.keys(line)).toEqual(Object.keys(line).toSorted())
  const last = await client('logs', '-n', 'kubevirt', await handlerOn(sourceNode), '--tail=1')
  expect(last.stdout.trimEnd().split('\n')).toHaveLength(1)
})

test.runIf(kubectl)('kubectl logs shows what a launcher says', async () => {
  const { sourcePod = '' } = (await state()) ?? {}
  const { stdout } = await client('logs', sourcePod, '-c', 'compute')
  expect(stdout).toContain('"msg":"Initiating live migration."')
})

test.runIf(kubectl && isLinux)('ss in the target’s handler has its listeners', async () => {
  const current = await state()
  const rows = await inHandler(current?.targetNode, LISTENERS)
  const ports = rows.map(({ local }) => local.port)
  for (const { port } of publishedPorts(current)) expect(ports).toContain(port)
  const address = current?.targetNodeAddress
  expect(new Set(rows.map(({ local }) => local.address))).toEqual(new Set([address]))
})

test.runIf(kubectl && isLinux)(
  'ss in the source’s handler has the connections of the copy',
  async () => {
    const current = await state()
    const ports = publishedPorts(current).map(({ port }) => port)
    const open = await inHandler(current?.sourceNode, CONNECTIONS)
    for (const port of ports)
      expect(open).toContainEqual(
        expect.objectContaining({
          state: 'ESTAB',
          peer: { address: current?.targetNodeAddress, port },
        }),
      )
    const counted = async () => {
      const rows = await inHandler(current?.sourceNode, connectionsIn('established'))
      const own = rows.filter(({ peer }) => ports.includes(peer.port ?? 0))
      return Math.max(...own.map(({ info }) => Number(info?.['bytes_sent'])))
    }
    await expect.poll(counted, { timeout: 10_000 }).toBeGreaterThan(2 ** 20)
    expect(await inHandler(current?.sourceNode, connectionsIn('syn-sent'))).toEqual([])
    // The real ss knows each of them.
    const real = await execute('ss', ['-tanH']).then(({ stdout }) => parseTcpTable(stdout))
    for (const { local, peer, state: name } of open.filter(({ peer }) =>
      ports.includes(peer.port ?? 0),
    ))
      expect(real).toContainEqual(expect.objectContaining({ local, peer, state: name }))
  },
)

test.runIf(kubectl && isLinux)(
  'live sockets of the source, and their files in the launcher',
  async () => {
    const current = await state()
    const uid = (await vmi()).metadata.uid
    const names = [`${uid}-49152-source.sock`, `${uid}-source.sock`]
    const live = await inHandler(current?.sourceNode, UNIX_LISTENERS)
    expect(live.map((path) => path.split('/').at(-1)).sort()).toEqual(names)
    const { stdout } = await client('exec', current?.sourcePod ?? '', '--', ...PROXY_SOCKETS.argv)
    expect(PROXY_SOCKETS.parse(stdout).sort()).toEqual(names)
  },
)

test.runIf(kubectl)('addresses, routes and public certificates are told', async () => {
  const current = await state()
  const { sourceNode, targetNodeAddress = '' } = current ?? {}
  const interfaces = await inHandler(sourceNode, ADDRESSES)
  expect(interfaces.map(({ name }) => name)).toEqual(['lo', 'eth0'])
  expect(await inHandler(sourceNode, routeTo(targetNodeAddress))).toMatchObject({ device: 'eth0' })
  const certificate = await inHandler(sourceNode, certificateIn('migrationservercertificates'))
  expect(certificate).toMatch(/^-----BEGIN CERTIFICATE-----/)
  expect(certificate).not.toContain('KEY')
})

test.runIf(kubectl).each([
  [['sh', '-c', 'id'], 127, 'exec: "sh": executable file not found in $PATH'],
  [['cat', '/etc/virt-handler/servercertificates/tls.key'], 1, 'No such file or directory'],
  [['ss', '-tanp'], 127, 'exec: "ss": executable file not found in $PATH'],
])('%j is none of the commands', async (argv, code, text) => {
  const pod = await handlerOn('node-1')
  await expect(client('exec', '-n', 'kubevirt', pod, '--', ...argv)).rejects.toMatchObject({
    code,
    stderr: expect.stringContaining(text),
  })
})
