import { isIP } from 'node:net'
import { EXIT, MigError } from '../errors.ts'
import { labelOfFile, type PortMap, parsePortMap } from './port-map.ts'
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

/**
 * JSON itself, or `-` for what comes on `input`.
 * @throws MigError usage
 */
export async function readPortMap(
  text: string,
  input: AsyncIterable<string | Buffer>,
): Promise<PortMap> {
  return parsePortMap(text === '-' ? await readJson(input) : text)
}

/** Three ports are all that it ever holds. */
const LONGEST_PORT_MAP = 64 * 1024

/** The first line if that is JSON, for a target prints one and goes on holding its end of the pipe; else everything. */
async function readJson(input: AsyncIterable<string | Buffer>): Promise<string> {
  let text = ''
  for await (const chunk of input) {
    text += chunk
    if (text.length > LONGEST_PORT_MAP) {
      throw usage('--port-map: what comes on stdin is longer than 64 KiB, it is no port map')
    }
    const line = text.slice(0, text.indexOf('\n') + 1)
    if (isJson(line)) return line
  }
  return text
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const QEMU: SocketOwner = { uid: 107, gid: 107 }

/** One below 32 bits of ones, which mean "as it was". */
const LARGEST_ID = 2 ** 32 - 2

/** `UID:GID`; without it QEMU's, when we may give files away. */
export function parseSocketOwner(
  text: string | undefined,
  ourUid: number | undefined,
): SocketOwner | undefined {
  if (text === undefined) return ourUid === 0 ? QEMU : undefined
  const [uid, gid] = /^\d+:\d+$/.test(text) ? text.split(':').map(Number) : []
  if (uid === undefined || gid === undefined || Math.max(uid, gid) > LARGEST_ID) {
    throw usage(`--socket-owner: "${text}" is no UID:GID, e.g. 107:107`)
  }
  return { uid, gid }
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
  if (acceptedClientNames?.includes('')) {
    throw usage(
      '--accept-client-name: "" is no Common Name',
      'without the flag sources of all KubeVirt releases are let in',
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
