import { stat } from 'node:fs/promises'
import type { Clock } from '../clock.ts'
import { readCertificates } from '../tls/certificate.ts'
import { checkBundle, readKeyPair } from '../tls/key-pair.ts'
import { CLIENT_NAMES, LEGACY_CLIENT_NAME, SERVER_NAME } from '../tls/names.ts'
import { whyRefused } from '../tls/own-certificate.ts'
import { readPem } from '../tls/read-pem.ts'
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

interface Surroundings {
  clock: Clock
  log: ProxyLog
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
  surroundings: Surroundings,
): Promise<WatchedTls> {
  const { clock, log } = surroundings
  let tls = await load(files, clock.now())
  announce(tls, files, surroundings)
  if (!(await canBeReadAgain(files))) return { current: () => tls, close() {} }
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
      announce(tls, files, surroundings)
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

/** What comes through a pipe, as a shell's `<(…)`, comes once: to open it again would wait for ever. */
async function canBeReadAgain({ ca, server, client, legacyClient }: TlsFiles): Promise<boolean> {
  const pairs = [server, client, legacyClient].flatMap((pair) =>
    pair ? [pair.cert, pair.key] : [],
  )
  const found = await Promise.all([ca, ...pairs].map((path) => stat(path).catch(() => undefined)))
  return found.every((file) => file === undefined || file.isFile())
}

async function load(files: TlsFiles, now: number): Promise<ProxyTls> {
  const ca = await readPem(files.ca)
  checkBundle(ca, files.ca, now)
  const pair = async (of: PairFiles | undefined) => of && readKeyPair(of, now)
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

const PRESENTED = [
  { pair: 'server', usage: 'server', names: [SERVER_NAME], secret: 'server-certs' },
  { pair: 'client', usage: 'client', names: CLIENT_NAMES, secret: 'migration-client-certs' },
  { pair: 'legacyClient', usage: 'client', names: [LEGACY_CLIENT_NAME], secret: 'certs' },
] as const

/** KubeVirt's line for each certificate that it loads (data-plane.md §2.4); ours for one that will not do. */
function announce(tls: ProxyTls, files: TlsFiles, { clock, log }: Surroundings): void {
  for (const { pair, usage, names, secret } of PRESENTED) {
    const cert = tls[pair]?.cert
    if (cert === undefined) continue
    const [certificate] = readCertificates(cert, 'the certificate')
    log({
      level: 'info',
      msg: `certificate with common name '${certificate?.commonName}' retrieved.`,
    })
    const why = whyRefused({ cert, ca: tls.ca, usage, acceptedNames: names }, clock.now())
    if (why === undefined) continue
    log({
      level: 'warning',
      msg: `peers will refuse the certificate in ${files[pair]?.cert}`,
      reason: `${why}; give tls.crt and tls.key of secret kubevirt-virt-handler-${secret}, and as --ca the ca-bundle of configmap kubevirt-ca`,
      code: 'tls-own-certificate',
    })
  }
}
