import { isIP } from 'node:net'
import { EXIT, MigError } from '../errors.ts'
import { checkPortMap, labelOfFile, type PortMap } from './port-map.ts'
import type { TargetFile } from './target-listener.ts'
import type { PairFiles, TlsFiles } from './tls-files.ts'
import type { SocketOwner } from './unix-socket.ts'

/** `[LABEL=]PATH`. The manager checks the label. */
export function parseTargetFile(key: string, text: string): TargetFile {
  const [, label, file] = /^(?:(\d+)=)?(.+)$/s.exec(text) ?? []
  if (!file?.startsWith('/')) throw usage(`--unix: "${text}" is no [LABEL=]/absolute/path`)
  return { file, label: label === undefined ? labelOfFile(key, file) : Number(label) }
}

/** @throws MigError usage when it is no IP address */
export function checkBindAddress(text: string): void {
  if (isIP(text)) return
  throw usage(`--bind: "${text}" is no IP address`, "give the migration network's, or ::")
}

/** JSON itself, or `-` for what comes on `input`. */
export async function parsePortMap(
  text: string,
  input: AsyncIterable<string | Buffer>,
): Promise<PortMap> {
  let json = text
  if (text === '-') {
    json = ''
    for await (const chunk of input) json += chunk
  }
  let map: unknown
  try {
    map = JSON.parse(json)
  } catch (cause) {
    throw new MigError(EXIT.usage, `the port map is no JSON: ${(cause as Error).message}`, {
      code: 'bad-port-map',
      hint: 'it is {"REAL PORT": LABEL, …}, as the target prints it and the VMI publishes it',
      cause,
    })
  }
  checkPortMap(map)
  return map
}

const QEMU: SocketOwner = { uid: 107, gid: 107 }

/** `UID:GID`; without it QEMU's, when we may give files away. */
export function parseSocketOwner(
  text: string | undefined,
  ourUid: number | undefined,
): SocketOwner | undefined {
  if (text === undefined) return ourUid === 0 ? QEMU : undefined
  const [, uid, gid] = /^(\d+):(\d+)$/.exec(text) ?? []
  if (uid === undefined) throw usage(`--socket-owner: "${text}" is no UID:GID, e.g. 107:107`)
  return { uid: Number(uid), gid: Number(gid) }
}

/** `HOST:PORT`, IPv6 in brackets. */
export function parseAddress(text: string, flag: string): { host: string; port: number } {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]*)):(\d+)$/.exec(text) ?? []
  const host = bracketed ?? plain ?? ''
  const port = Number(digits)
  if (!isIP(host) || !(port <= 65535)) {
    throw usage(`${flag}: "${text}" is no ADDRESS:PORT, e.g. 127.0.0.1:9090 or [::1]:9090`)
  }
  return { host, port }
}

export interface TlsFlags {
  'disable-tls': boolean
  ca?: string | undefined
  'server-cert'?: string | undefined
  'server-key'?: string | undefined
  'client-cert'?: string | undefined
  'client-key'?: string | undefined
  'legacy-client-cert'?: string | undefined
  'legacy-client-key'?: string | undefined
  'accept-client-name'?: string[] | undefined
}

/**
 * Which files a side needs: a target its server pair, a source its client pair, both the bundle.
 * @throws MigError usage when one is missing, or TLS is both wanted and not
 */
export function tlsFilesOf(flags: TlsFlags, own: 'server' | 'client'): TlsFiles | 'disabled' {
  const server = pairOf(flags, 'server')
  const client = pairOf(flags, 'client')
  const legacyClient = pairOf(flags, 'legacy-client')
  const { ca, 'accept-client-name': acceptedClientNames } = flags
  if (flags['disable-tls']) {
    if (!ca && !server && !client && !legacyClient) return 'disabled'
    throw usage('--disable-tls and certificates exclude each other')
  }
  if (!ca || !(own === 'server' ? server : client)) {
    throw usage(
      `--ca, --${own}-cert and --${own}-key are needed`,
      'or --disable-tls, which moves guest memory in clear',
    )
  }
  return {
    ca,
    ...(server && { server }),
    ...(client && { client }),
    ...(legacyClient && { legacyClient }),
    ...(acceptedClientNames && { acceptedClientNames }),
  }
}

function pairOf(
  flags: TlsFlags,
  name: 'server' | 'client' | 'legacy-client',
): PairFiles | undefined {
  const cert = flags[`${name}-cert`]
  const key = flags[`${name}-key`]
  if (cert && key) return { cert, key }
  if (cert || key) throw usage(`--${name}-cert and --${name}-key belong together`)
  return undefined
}

function usage(message: string, hint?: string): MigError {
  return new MigError(EXIT.usage, message, { code: 'bad-argument', ...(hint && { hint }) })
}
