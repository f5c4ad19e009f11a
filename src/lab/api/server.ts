import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Clock } from '../../clock.ts'
import { createAuthority, KUBELET_CLIENT } from '../certificates.ts'
import type { AdmissionHook } from './admission/hook.ts'
import { ownAdmission } from './admission/index.ts'
import type { Api } from './api.ts'
import { createAuthenticator } from './authentication.ts'
import { announce, bootstrap } from './bootstrap.ts'
import { collectGarbage } from './garbage-collection.ts'
import { createHandler, type OnFault } from './handler.ts'
import { createKindTable, type KindTable } from './kind-table.ts'
import { ALL_KINDS } from './kinds/index.ts'
import { kubeconfigText } from './kubeconfig.ts'
import { emptyNamespaces } from './namespace-content.ts'
import { createRouter } from './router.ts'
import { SPECIAL_ROUTES, UPGRADE_ROUTES, VIRTUAL_RESOURCES } from './special-routes.ts'
import { createStore, type Store } from './store.ts'
import { createUpgradeHandler } from './upgrade.ts'
import { kubeconfigName, type LabUser, wellKnownUsers } from './users.ts'

export interface ApiServerOptions {
  clock: Clock
  /** Default 127.0.0.1; nothing but loopback makes sense. */
  address?: string
  /** Default 0: any free one. */
  port?: number
  /** Default: the accounts of a lab without nodes. */
  users?: LabUser[]
  /** Run beside the server's own admission, after it. */
  admission?: AdmissionHook[]
  /** How many events of a kind a watch may go back. */
  historyLength?: number
  /** The cluster's name in kubeconfigs. */
  name?: string
  /** Told of faults of this server; the client got a 500. */
  onFault?: OnFault
}

export interface ApiServer {
  url: string
  /** PEM. */
  caCert: string
  store: Store
  kinds: KindTable
  /** ms since the epoch, as the server sees it. */
  now(): number
  /**
   * A kubeconfig with a context for every user, current the one named (`admin`, `viewer`, `user@node`); the context
   * of that user alone with `only`. Holds tokens.
   */
  kubeconfig(
    userName: string,
    o?: { namespace?: string; contextName?: string; only?: boolean },
  ): string
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A Kubernetes API on loopback over HTTPS, its objects in memory. Rejects when the port is taken. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { clock, address = '127.0.0.1', port = 0, name = 'lab', onFault = () => {} } = options
  const users = options.users ?? wellKnownUsers([])
  const authority = await createAuthority('kubectl-mig-lab-ca', validity(clock))
  const serving = await authority.issue({
    commonName: 'kube-apiserver',
    usage: ['server'],
    names: [address, 'localhost', 'kubernetes.default.svc'],
    ...validity(clock),
  })

  const kubeletClient = await authority.issue({
    commonName: KUBELET_CLIENT,
    usage: ['client'],
    ...validity(clock),
  })

  const store = createStore(options)
  const kinds = createKindTable(ALL_KINDS)
  const api: Api = {
    store,
    kinds,
    admission: [...ownAdmission(store, kinds), ...(options.admission ?? [])],
    kubeletClient,
    now: () => clock.now(),
  }
  bootstrap(api)
  emptyNamespaces(api)
  collectGarbage(api)

  const authenticate = createAuthenticator(users)
  const route = createRouter(api, SPECIAL_ROUTES, VIRTUAL_RESOURCES)
  const server = createServer(
    {
      ...serving,
      ca: authority.cert,
      requestCert: true,
      rejectUnauthorized: false,
      maxHeaderSize: MAX_HEADERS,
    },
    createHandler(api, authenticate, route, onFault),
  )
  server.on('upgrade', createUpgradeHandler(api, authenticate, UPGRADE_ROUTES, onFault))
  // Watches last for minutes, and whoever is slow to send its request is on this machine.
  server.requestTimeout = 0
  server.keepAliveTimeout = 60_000
  const close = closer(server)
  server.listen(port, address)
  await once(server, 'listening')

  const served = (server.address() as AddressInfo).port
  announce(api, address, served)
  const url = `https://${address}:${served}`
  return {
    url,
    caCert: authority.cert,
    store,
    kinds,
    now: api.now,
    kubeconfig(userName, { namespace, contextName, only = false } = {}) {
      const current = users.find((user) => kubeconfigName(user) === userName)
      if (!current) throw new Error(`the lab has no user ${userName}`)
      const rest = only ? [] : users.filter((user) => user !== current)
      return kubeconfigText({ name, url, caCert: authority.cert }, [current, ...rest], {
        namespace,
        contextName,
      })
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Selectors stand in the path, and may be long. */
const MAX_HEADERS = 256 * 1024

const YEAR = 365 * 24 * 3600_000

/** From an hour ago: a client's clock may differ a little. */
function validity(clock: Clock): { notBefore: number; notAfter: number } {
  return { notBefore: clock.now() - 3600_000, notAfter: clock.now() + YEAR }
}

/** Ends open watches, and connections that have left HTTP, with the server; a second call waits for the same end. */
function closer(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  let closing: Promise<void> | undefined
  return () => {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
    return closing
  }
}
