import { readFile } from 'node:fs/promises'
import type { Clock } from '../clock.ts'
import { EXIT, MigError } from '../errors.ts'
import type { KeyPair } from '../tls/certificate.ts'
import { readCertificates } from '../tls/certificate.ts'
import { checkBundle, checkKeyPair } from '../tls/key-pair.ts'
import type { ProxyLog } from './log.ts'
import type { ProxyTls } from './tls.ts'

/** Where the PEM files are. A pair is given in full or not at all. */
export interface TlsFiles {
  ca: string
  server?: PairFiles
  client?: PairFiles
  legacyClient?: PairFiles
  acceptedClientNames?: readonly string[]
}

export interface PairFiles {
  cert: string
  key: string
}

export interface WatchedTls {
  current(): ProxyTls
  close(): void
}

/** Mounted secrets are swapped by renaming a link, which no file watcher sees for sure: looking is cheap and certain. */
const LOOK_EVERY_MS = 1000

/**
 * Reads and checks the files, then goes on looking at them: what changes counts for the connections that come after.
 * Files that don't fit together (a certificate written, its key not yet) leave the last good state in use.
 * @throws MigError when they are unusable at the start
 */
export async function watchTlsFiles(
  files: TlsFiles,
  { clock, log }: { clock: Clock; log: ProxyLog },
): Promise<WatchedTls> {
  let tls = await load(files, clock.now())
  announce(tls, log)
  let complaint = ''
  let looking = false

  const look = async () => {
    if (looking) return
    looking = true
    try {
      const read = await load(files, clock.now())
      complaint = ''
      if (JSON.stringify(read) === JSON.stringify(tls)) return
      tls = read
      announce(tls, log)
    } catch (err) {
      const { message } = err as Error
      if (message === complaint) return
      complaint = message
      log({
        level: 'error',
        msg: 'failed to load the certificates, those loaded before stay in use',
        reason: message,
      })
    } finally {
      looking = false
    }
  }
  const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref()
  return { current: () => tls, close: () => clearInterval(timer) }
}

async function load(files: TlsFiles, now: number): Promise<ProxyTls> {
  const ca = await readText(files.ca)
  checkBundle(ca, files.ca, now)
  const pair = async (of: PairFiles | undefined): Promise<KeyPair | undefined> => {
    if (!of) return undefined
    const loaded = { cert: await readText(of.cert), key: await readText(of.key) }
    checkKeyPair(loaded, of, now)
    return loaded
  }
  const [server, client, legacyClient] = [
    await pair(files.server),
    await pair(files.client),
    await pair(files.legacyClient),
  ]
  return {
    ca,
    ...(server && { server }),
    ...(client && { client }),
    ...(legacyClient && { legacyClient }),
    ...(files.acceptedClientNames && { acceptedClientNames: files.acceptedClientNames }),
  }
}

/** KubeVirt's line for each certificate that it loads (data-plane.md §2.4). */
function announce(tls: ProxyTls, log: ProxyLog): void {
  for (const pair of [tls.server, tls.client, tls.legacyClient]) {
    const [certificate] = pair ? readCertificates(pair.cert, 'the certificate') : []
    if (!certificate) continue
    log({
      level: 'info',
      msg: `certificate with common name '${certificate.commonName}' retrieved.`,
    })
  }
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause) => {
    throw new MigError(EXIT.usage, `can't read ${path}: ${WHY[cause.code] ?? cause.message}`, {
      code: 'unreadable-file',
      cause,
    })
  })
}

const WHY: Record<string, string> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
}
