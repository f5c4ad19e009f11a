import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Api } from './api.ts'
import type { Authenticator } from './authentication.ts'
import { type Asked, admit, type OnFault } from './handler.ts'
import { asStatusError } from './reply.ts'
import { badRequest, StatusError } from './status.ts'

/** A request to leave HTTP: exec, port-forward. */
export interface UpgradeCall extends Asked {
  request: IncomingMessage
  socket: Duplex
  /** What the client has sent already behind its request. */
  head: Buffer
}

export interface UpgradeRoute {
  resource: string
  subresource: string
  handle(api: Api, call: UpgradeCall): Promise<void> | void
}

/** Authenticates, authorises and hands the connection on; a refusal is an ordinary answer on it, and its end. */
export function createUpgradeHandler(
  api: Api,
  authenticate: Authenticator,
  routes: UpgradeRoute[],
  onFault: OnFault,
) {
  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy())
    admit(api, authenticate, request)
      .then((asked) => {
        const { info } = asked
        const route = routes.find(
          (r) =>
            info.group === '' && r.resource === info.resource && r.subresource === info.subresource,
        )
        if (!route) throw badRequest('this path takes no upgrade')
        return route.handle(api, { ...asked, request, socket, head })
      })
      .catch((err: unknown) => {
        if (!(err instanceof StatusError)) onFault(err)
        refuse(socket, err)
      })
  }
}

function refuse(socket: Duplex, err: unknown): void {
  const { status } = asStatusError(err)
  const text = JSON.stringify(status)
  socket.end(
    [
      `HTTP/1.1 ${status.code} ${status.reason ?? 'Error'}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(text)}`,
      'Connection: close',
      '',
      text,
    ].join('\r\n'),
  )
}
