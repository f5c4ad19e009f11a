import { readlink, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname, resolve } from 'node:path'
import { fileTrouble } from '../errors.ts'
import { isListedListener } from '../unix-listeners.ts'

/** What there is to see of a unix socket on this machine. */
export interface SocketSighting {
  path: string
  /** What it is a link to, in the end; undefined when it is none. */
  real?: string
  /** Bytes. */
  length: number
  /** Something else than a socket is `other`; `unseen` when we may not look. */
  kind: 'absent' | 'socket' | 'other' | 'unseen'
  /** Why it was not found or seen, in the system's words. */
  trouble?: string
  /** Of a socket: permission bits, and whose it is. */
  mode: number
  uid: number
  gid: number
  /** Whether the kernel's table of our network namespace has a listener for it; one in another is not in it. */
  listed: boolean
  /** What became of one connection, where one was asked for. */
  connected?: SocketConnect
}

type SocketConnect = 'accepted' | 'refused' | 'denied' | 'failed'

/**
 * Looks at a socket file.
 * @param knock also open one connection and close it, to a socket that is there
 */
export async function lookAtSocket(path: string, knock: boolean): Promise<SocketSighting> {
  const sighting: SocketSighting = {
    path,
    length: Buffer.byteLength(path),
    kind: 'absent',
    mode: 0,
    uid: -1,
    gid: -1,
    listed: false,
  }
  try {
    const stats = await stat(path)
    const real = await endOfLinks(path)
    if (real !== path) sighting.real = real
    sighting.kind = stats.isSocket() ? 'socket' : 'other'
    sighting.mode = stats.mode & 0o777
    sighting.uid = stats.uid
    sighting.gid = stats.gid
    if (!stats.isSocket()) return sighting
    sighting.listed = await isListedListener(real)
    if (knock) sighting.connected = await connectTo(path)
  } catch (err) {
    const { code = '' } = err as NodeJS.ErrnoException
    sighting.kind = ['ENOENT', 'ENOTDIR'].includes(code) ? 'absent' : 'unseen'
    sighting.trouble = fileTrouble(err)
  }
  return sighting
}

/** As many as Linux follows. */
const LINKS = 40

/**
 * What the file is a link to, in the end; itself when it is none. Links among its folders are left alone: under
 * /proc/PID/root they lead into another root.
 */
export async function endOfLinks(path: string): Promise<string> {
  let at = path
  for (let i = 0; i < LINKS; i++) {
    const to = await readlink(at).catch(() => undefined)
    if (to === undefined) return at
    at = resolve(dirname(at), to)
  }
  return at
}

function connectTo(path: string): Promise<SocketConnect> {
  return new Promise((answer) => {
    const socket = connect({ path })
    socket.once('connect', () => {
      socket.destroy()
      answer('accepted')
    })
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) =>
      answer(code === 'ECONNREFUSED' ? 'refused' : code === 'EACCES' ? 'denied' : 'failed'),
    )
  })
}
