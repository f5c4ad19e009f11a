import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { Clock } from '../../clock.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { connect } from '../../cluster/config.ts'
import { EXIT, MigError } from '../../errors.ts'
import { kubeconfigText } from '../api/kubeconfig.ts'
import type { ApiServer } from '../api/server.ts'
import { kubeconfigName, type LabUser } from '../api/users.ts'
import { type Authority, createAuthority, KUBELET_CLIENT } from '../certificates.ts'
import { startChild } from '../child.ts'
import type { Binaries } from './binaries.ts'
import { startHooks, TOKEN_PATH } from './hooks.ts'
import { install } from './install.ts'
import { startNamespaceController } from './namespace-controller.ts'

export interface RealApiOptions {
  binaries: Binaries
  clock: Clock
  users: LabUser[]
  /** The cluster's name in kubeconfigs. */
  name?: string
  /** Where the folder of all that is written is made; default the system's for temporary files. */
  parentFolder?: string
  /** How often the history is cut off, as Go writes a duration; default 5m0s. */
  compactEvery?: string
}

/** What whoever uses an API server gets of one, whichever it is. */
export type AnyApiServer = Pick<
  ApiServer,
  'url' | 'caCert' | 'kubeconfig' | 'close' | typeof Symbol.asyncDispose
>

/** Seconds are rare, minutes mean that it won't. */
const START_TIMEOUT = 120_000

/**
 * A real kube-apiserver over a real etcd, on loopback, with KubeVirt's kinds, the lab's roles and its users. All that
 * the two write is in a folder that goes with them. @throws MigError when one of them ends or doesn't get ready
 */
export async function startRealApiServer(options: RealApiOptions): Promise<AnyApiServer> {
  const { binaries, clock, users, name = 'lab', parentFolder = tmpdir(), compactEvery } = options
  const opened: (() => Promise<unknown>)[] = []
  let closing: Promise<void> | undefined
  const ending = new AbortController()
  const close = () => {
    ending.abort()
    closing ??= closeAll(opened)
    return closing
  }
  try {
    const folder = await mkdtemp(join(parentFolder, 'kubectl-mig-api-'))
    opened.push(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
    const validity = { notBefore: clock.now() - 3600_000, notAfter: clock.now() + YEAR }
    const authority = await createAuthority('kubectl-mig-lab-ca', validity)
    await writeIdentities(folder, authority, validity)
    const virtApi = Promise.withResolvers<Cluster>()
    const cluster = () => virtApi.promise
    const hooks = await startHooks({ authority, validity, users, clock, cluster })
    opened.push(hooks.close)
    await writeHookConfig(folder, `https://127.0.0.1:${hooks.port}`)

    const etcd = startChild(binaries.etcd, etcdArguments(folder), folder)
    opened.push(etcd.close)
    const port = await freePort()
    const flags = apiServerArguments(folder, port)
    if (compactEvery) flags.push(`--etcd-compaction-interval=${compactEvery}`)
    const server = startChild(binaries.kubeApiServer, flags, folder)
    opened.push(server.close)

    const url = `https://127.0.0.1:${port}`
    const kubeconfig: AnyApiServer['kubeconfig'] = (user, o = {}) =>
      kubeconfigText({ name, url, caCert: authority.cert }, chosen(users, user, o.only), {
        namespace: o.namespace,
        contextName: o.contextName,
      })
    const account = async (user: string) => {
      const kubeconfigText = kubeconfig(user, { only: true })
      const opening = await connect({ kubeconfigText, clock, env: {} })
      opened.push(() => opening.close())
      return opening
    }
    const admin = await account('admin')
    virtApi.resolve(await account(VIRT_API))
    const { signal } = ending
    const starting = ready(admin, clock, signal).then(() =>
      install(admin, { clock, signal, hooks, caCert: authority.cert }),
    )
    await Promise.race([starting, etcd.ended, server.ended])
    opened.push((await startNamespaceController({ cluster: admin, clock })).close)
    return { url, caCert: authority.cert, kubeconfig, close, [Symbol.asyncDispose]: close }
  } catch (err) {
    await close()
    throw err
  }
}

const VIRT_API = 'system:serviceaccount:kubevirt:kubevirt-apiserver'
const YEAR = 365 * 24 * 3600_000

/** Last opened, first closed. */
async function closeAll(opened: (() => Promise<unknown>)[]): Promise<void> {
  for (const one of opened.splice(0).reverse()) await one()
}

function chosen(users: LabUser[], name: string, only = false): LabUser[] {
  const current = users.find((user) => kubeconfigName(user) === name)
  if (!current) throw new Error(`the lab has no user ${name}`)
  return only ? [current] : [current, ...users.filter((user) => user !== current)]
}

interface Validity {
  notBefore: number
  notAfter: number
}

/** Certificates of the server, and of the server as a client of hooks, aggregated APIs and kubelets; keys stay in the folder. */
async function writeIdentities(folder: string, authority: Authority, validity: Validity) {
  const serving = await authority.issue({
    commonName: 'kube-apiserver',
    usage: ['server'],
    names: ['127.0.0.1', 'localhost', 'kubernetes.default.svc'],
    ...validity,
  })
  const client = await authority.issue({
    commonName: 'front-proxy',
    usage: ['client'],
    ...validity,
  })
  const kubelet = await authority.issue({
    commonName: KUBELET_CLIENT,
    usage: ['client'],
    ...validity,
  })
  const accounts = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const files = {
    'ca.crt': authority.cert,
    'server.crt': serving.cert,
    'server.key': serving.key,
    'client.crt': client.cert,
    'client.key': client.key,
    'kubelet.crt': kubelet.cert,
    'kubelet.key': kubelet.key,
    'accounts.key': accounts.export({ type: 'sec1', format: 'pem' }),
  }
  for (const [name, text] of Object.entries(files))
    await writeFile(join(folder, name), text, { mode: 0o600 })
  await mkdir(join(folder, 'etcd'), { mode: 0o700 })
}

/** A kubeconfig is how an API server is told where to ask. */
async function writeHookConfig(folder: string, url: string): Promise<void> {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'hooks',
    clusters: [
      {
        name: 'hooks',
        cluster: { server: `${url}${TOKEN_PATH}`, 'certificate-authority': 'ca.crt' },
      },
    ],
    users: [
      { name: 'server', user: { 'client-certificate': 'client.crt', 'client-key': 'client.key' } },
    ],
    contexts: [{ name: 'hooks', context: { cluster: 'hooks', user: 'server' } }],
  }
  await writeFile(join(folder, 'hooks.kubeconfig'), stringify(config), { mode: 0o600 })
}

/**
 * By sockets: nobody else on the machine reaches what is stored. Their addresses must look like host and port, and are
 * files of that name in the working directory.
 */
function etcdArguments(folder: string): string[] {
  const client = 'unix://etcd:0'
  const peer = 'unix://peer:0'
  return [
    `--name=lab`,
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=lab=${peer}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ]
}

function apiServerArguments(folder: string, port: number): string[] {
  const file = (name: string) => join(folder, name)
  return [
    `--etcd-servers=unix://${folder}/etcd:0`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${folder}`,
    `--tls-cert-file=${file('server.crt')}`,
    `--tls-private-key-file=${file('server.key')}`,
    `--client-ca-file=${file('ca.crt')}`,
    `--authentication-token-webhook-config-file=${file('hooks.kubeconfig')}`,
    '--authentication-token-webhook-version=v1',
    `--service-account-key-file=${file('accounts.key')}`,
    `--service-account-signing-key-file=${file('accounts.key')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--authorization-mode=RBAC',
    // Nobody makes accounts for pods here, takes taints off new nodes, or keeps what the master's own endpoints are.
    '--disable-admission-plugins=ServiceAccount,TaintNodesByCondition',
    '--endpoint-reconciler-type=none',
    '--enable-priority-and-fairness=false',
    '--allow-privileged=true',
    // No name server knows the nodes.
    '--kubelet-preferred-address-types=InternalIP',
    `--kubelet-client-certificate=${file('kubelet.crt')}`,
    `--kubelet-client-key=${file('kubelet.key')}`,
    `--proxy-client-cert-file=${file('client.crt')}`,
    `--proxy-client-key-file=${file('client.key')}`,
    `--requestheader-client-ca-file=${file('ca.crt')}`,
    '--requestheader-allowed-names=front-proxy',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
  ]
}

/** It can't be told to take any: one that was free a moment ago. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

async function ready(admin: Cluster, clock: Clock, signal: AbortSignal): Promise<void> {
  const deadline = clock.now() + START_TIMEOUT
  for (;;) {
    try {
      await admin.text({ path: '/readyz', timeoutMs: 5000, signal })
      return
    } catch (cause) {
      signal.throwIfAborted()
      if (clock.now() > deadline)
        throw new MigError(EXIT.error, 'kube-apiserver did not get ready in two minutes', { cause })
    }
    await clock.sleep(50, signal)
  }
}
