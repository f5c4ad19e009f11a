import { chown, lstat, mkdir, rmdir, stat, unlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { EXIT, MigError } from '../errors.ts'
import { isListedListener, LONGEST_SOCKET_PATH } from '../unix-listeners.ts'

/** Who may connect: numeric, as the launcher's QEMU runs as 107:107. */
export interface SocketOwner {
  uid: number
  gid: number
}

/** @throws MigError `socket-path-too-long`, exit 2 */
export function checkSocketPath(path: string): void {
  const length = Buffer.byteLength(path)
  if (length <= LONGEST_SOCKET_PATH) return
  throw new MigError(
    EXIT.usage,
    `the path ${path} is too long for a unix socket: ${length} bytes, at most ${LONGEST_SOCKET_PATH} fit`,
    { code: 'socket-path-too-long', hint: 'use a shorter base folder' },
  )
}

/**
 * Makes room for a unix socket: creates its folder, removes what a dead listener left behind.
 * @returns the outermost folder that had to be created, if any
 * @throws MigError `socket-in-use` when a live listener answers there, `socket-not-a-socket` when something else is there
 */
export async function prepareSocketPath(path: string): Promise<string | undefined> {
  checkSocketPath(path)
  const created = await createFolder(dirname(path)).catch((cause) => {
    throw unusable(path, `its folder can't be created: ${cause.message}`, cause)
  })
  const existing = await lstat(path).catch(() => undefined)
  if (!existing) return created
  if (!existing.isSocket()) {
    throw new MigError(EXIT.error, `${path} exists and is no socket; it was left as it is`, {
      code: 'socket-not-a-socket',
    })
  }
  if (await answers(path)) {
    throw new MigError(EXIT.error, `another process listens on ${path}`, {
      code: 'socket-in-use',
      hint: 'stop the other proxy first, or use another base folder or key',
    })
  }
  await unlink(path).catch((cause) => {
    throw unusable(path, `the stale socket can't be removed: ${cause.message}`, cause)
  })
  return undefined
}

/**
 * Not node's `recursive`: up to node 24 that tries for ever below the /proc/PID of a process that is gone, as a launcher
 * may be, because there mkdir says that a parent is missing which is there.
 * @returns the outermost folder that had to be created, if any
 */
async function createFolder(folder: string): Promise<string | undefined> {
  if (await isFolder(folder)) return undefined
  const above = await createFolder(dirname(folder))
  try {
    await mkdir(folder, 0o755)
    return above ?? folder
  } catch (err) {
    if (await isFolder(folder)) return above
    throw err
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** Takes away the folders that were created for a socket, as far as nobody has put anything else there. */
export async function removeCreated(path: string, outermost: string): Promise<void> {
  let folder = path
  do {
    folder = dirname(folder)
    try {
      await rmdir(folder)
    } catch {
      return
    }
  } while (folder.length > outermost.length)
}

export async function setSocketOwner(path: string, { uid, gid }: SocketOwner): Promise<void> {
  await chown(path, uid, gid).catch((cause) => {
    throw unusable(path, `its owner can't be set to ${uid}:${gid}: ${cause.message}`, cause)
  })
}

function unusable(path: string, why: string, cause: unknown): MigError {
  return new MigError(EXIT.error, `the unix socket ${path} can't be used: ${why}`, {
    code: 'socket-unusable',
    cause,
  })
}

/** Whether a listener lives behind a socket file; knocking is the last resort. */
async function answers(path: string): Promise<boolean> {
  return (await isListedListener(path)) || (await acceptsConnections(path))
}

/** Only "connection refused" proves that nobody listens: a full backlog or a lack of rights doesn't. */
function acceptsConnections(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect({ path })
    const answer = (alive: boolean) => {
      probe.destroy()
      resolve(alive)
    }
    probe.once('connect', () => answer(true))
    probe.once('error', (err: NodeJS.ErrnoException) =>
      answer(err.code !== 'ECONNREFUSED' && err.code !== 'ENOENT'),
    )
  })
}
