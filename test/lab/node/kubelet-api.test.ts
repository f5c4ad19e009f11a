import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
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
    vms: 2,
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

test.runIf(kubectl)('what waits for a slot is told by the virt-controller that leads', async () => {
  const configuration = { migrations: { parallelMigrationsPerCluster: 1 } }
  const kubevirt = { namespace: 'kubevirt', name: 'kubevirt' }
  await patch(admin, KUBEVIRTS, kubevirt, { spec: { configuration } }, 'merge')
  const migration = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name: 'waits', namespace: 'default' },
    spec: { vmiName: 'vm-2' },
  }
  await create(admin, MIGRATIONS, migration, { namespace: 'default' })
  const logs = () => client('logs', '-n', 'kubevirt', '-l', 'kubevirt.io=virt-controller')
  await vi.waitUntil(async () => (await logs()).stdout.includes('Waiting'), { timeout: 20_000 })
  const line = (await logs()).stdout.split('\n').find((text) => text.includes('Waiting')) ?? ''
  expect(JSON.parse(line)).toMatchObject({
    component: 'virt-controller',
    kind: '',
    level: 'info',
    msg: 'Waiting to schedule target pod for vmi [default/vm-2] migration because total running parallel migration count [1] is currently at the global cluster limit.',
    name: 'waits',
    namespace: 'default',
    pos: 'migration.go:888',
  })
  const all = await client('logs', '-n', 'kubevirt', '-l', 'kubevirt.io=virt-api', '--prefix')
  expect(all.stdout).toContain(
    "certificate with common name 'virt-api.kubevirt.pod.cluster.local' retrieved.",
  )
})

test.runIf(kubectl)('a log that is followed ends with its container', async () => {
  const { items } = await list<Pod>(admin, PODS, {
    namespace: 'default',
    labelSelector: 'vm.kubevirt.io/name=vm-2',
  })
  const pod = items[0]?.metadata.name ?? ''
  const follow = client('logs', '-f', pod, '-c', 'compute')
  await expect(client('logs', '-p', pod, '-c', 'compute')).rejects.toMatchObject({
    stderr: `Error from server (BadRequest): previous terminated container "compute" in pod "${pod}" not found\n`,
  })
  await client('delete', 'pod', pod, '--wait=false')
  expect((await follow).stdout).toContain('"msg":"Marked as ready"')
})

test.runIf(kubectl)('what a lab has not is refused in plain words', async () => {
  const pod = await handlerOn('node-1')
  const refused = (...words: string[]) =>
    client('-n', 'kubevirt', ...words).then(
      ({ stdout }) => stdout,
      ({ stderr }: { stderr: string }) => stderr,
    )
  expect(await refused('attach', pod)).toContain('has no input or terminal; read its log')
  expect(await refused('cp', '/etc/hostname', `${pod}:/tmp/x`)).toContain(
    'exec: "tar": executable file not found in $PATH',
  )
  expect(await refused('debug', pod, '--image=x', '--profile=general')).toContain(
    'ephemeral containers are disabled for this cluster',
  )
  expect(await refused('top', 'pods')).toBe('error: Metrics API not available\n')
})

test.runIf(kubectl)(
  'ports of virt-handler are forwarded, those of guests’ pods lead nowhere',
  async () => {
    const handler = await handlerOn('node-1')
    const forwarded = async (namespace: string, pod: string, port: number) => {
      const words = ['--kubeconfig', join(folder, 'config'), '-n', namespace]
      const child = spawn('kubectl', [...words, 'port-forward', `pod/${pod}`, `:${port}`])
      let errors = ''
      child.stderr.setEncoding('utf8').on('data', (chunk) => {
        errors += chunk
      })
      try {
        const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
        const local = Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1])
        const answer = await fetchOver(local)
        if (answer === undefined) await vi.waitUntil(() => errors.includes('refused'))
        return answer ?? errors
      } finally {
        child.kill()
      }
    }
    expect(await forwarded('kubevirt', handler, 8443)).toBe('ok')
    const { sourcePod = '' } = (await state()) ?? {}
    expect(await forwarded('default', sourcePod, 22)).toMatch(
      /an error occurred forwarding \d+ -> 22: error forwarding port 22 to pod [0-9a-f]{64}, uid : failed to connect to localhost:22 inside namespace [0-9a-f]{64}: dial tcp 127\.0\.0\.1:22: connect: connection refused/,
    )
  },
)

/** `GET /healthz` there; undefined when the connection is cut. */
function fetchOver(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const asked = request({ port, path: '/healthz', rejectUnauthorized: false, agent: false })
    asked.on('response', (answer) => text(answer).then(resolve, () => resolve(undefined)))
    asked.on('error', () => resolve(undefined))
    asked.end()
  })
}

test.runIf(kubectl && isLinux)('ss in the target’s handler has its listeners', async () => {
  const current = await state()
  const rows = await inHandler(current?.targetNode, LISTENERS)
  const ports = rows.map(({ local }) => local.port)
  for (const { port } of publishedPorts(current)) expect(ports).toContain(port)
  const address = current?.targetNodeAddress
  expect(new Set(rows.map(({ local }) => local.address))).toEqual(new Set([address]))
  // The real ss has each of them, with the same queues and backlog.
  const real = await execute('ss', ['-ltnH']).then(({ stdout }) => parseTcpTable(stdout))
  for (const row of rows) expect(real).toContainEqual(row)
})

test.runIf(kubectl && isLinux)(
  'what other programs listen to at a node’s address is none of its handler’s sockets',
  async () => {
    const { targetNode, targetNodeAddress: address = '' } = (await state()) ?? {}
    const program = `require('node:net').createServer().listen(0, '${address}', function () { console.log(this.address().port) })`
    const stranger = spawn(process.execPath, ['-e', program])
    try {
      const [line] = (await once(stranger.stdout.setEncoding('utf8'), 'data')) as [string]
      const port = Number(line)
      const real = await execute('ss', ['-ltnH']).then(({ stdout }) => parseTcpTable(stdout))
      expect(real.map(({ local }) => local.port)).toContain(port)
      const rows = await inHandler(targetNode, LISTENERS)
      expect(rows.map(({ local }) => local.port)).not.toContain(port)
    } finally {
      stranger.kill()
    }
  },
)

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

test.runIf(kubectl && isLinux)('ss typed by hand has a heading', async () => {
  const pod = await handlerOn((await state())?.targetNode ?? '')
  const typed = async (...argv: string[]) =>
    (await client('exec', '-n', 'kubevirt', pod, '--', 'ss', ...argv)).stdout.trimEnd().split('\n')
  const [heading, ...rows] = await typed('-lnt')
  expect(heading).toMatch(/^State +Recv-Q Send-Q +Local Address:Port Peer Address:Port$/)
  expect(rows).toEqual(await typed('-H', '-ltn'))
  expect((await typed('-tin', 'state', 'established'))[0]).toMatch(/^Recv-Q Send-Q +Local/)
  expect((await typed('-lx'))[0]).toMatch(/^Netid State/)
})

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
  [
    ['ss', '-tanp'],
    2,
    'ss: this is a lab, where it is answered only as: ss -ltnH, ss -tanH, ss -xlH',
  ],
  [['ip', 'link'], 2, 'ip: this is a lab, where it is answered only as: ip -br addr show'],
])('%j is none of the commands', async (argv, code, text) => {
  const pod = await handlerOn('node-1')
  await expect(client('exec', '-n', 'kubevirt', pod, '--', ...argv)).rejects.toMatchObject({
    code,
    stderr: expect.stringContaining(text),
  })
})
