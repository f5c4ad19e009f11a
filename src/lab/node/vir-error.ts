/** libvirt's numbers for what can go wrong here (fact sheet data-plane.md §4.5). */
const CODE = { internal: 1, operationFailed: 9, systemError: 38, operationAborted: 78 } as const
const DOMAIN = { rpc: 7, qemu: 10 } as const

/** An error as libvirt reports it; as text it is what KubeVirt puts into `failureReason`. */
export class VirError extends Error {
  readonly code: number
  readonly domain: number

  constructor(code: keyof typeof CODE, domain: keyof typeof DOMAIN, message: string) {
    super(message)
    this.name = 'VirError'
    this.code = CODE[code]
    this.domain = DOMAIN[domain]
  }

  /** The control channel broke; anything else is an answer that came over it, or was found out here. */
  get isLostConnection(): boolean {
    return this.domain === DOMAIN.rpc
  }

  override toString(): string {
    return `virError(Code=${this.code}, Domain=${this.domain}, Message='${this.message}')`
  }
}

/** The control channel could not be opened: the proxy's socket is not there, or nobody listens. */
export function connectError(file: string, err: NodeJS.ErrnoException): VirError {
  const text = SYSTEM_TEXTS[err.code ?? ''] ?? err.message
  return new VirError('systemError', 'rpc', `Failed to connect socket to '${file}': ${text}`)
}

/** The control channel ended in the middle of a call. */
export function controlLost(err?: NodeJS.ErrnoException): VirError {
  const message =
    err?.code === 'ECONNRESET' || err?.code === 'EPIPE'
      ? `Cannot recv data: ${SYSTEM_TEXTS[err.code]}`
      : 'End of file while reading data: Input/output error'
  return new VirError('systemError', 'rpc', message)
}

export function keepaliveTimeout(): VirError {
  return new VirError(
    'internal',
    'rpc',
    'internal error: connection closed due to keepalive timeout',
  )
}

/** A data channel broke while QEMU was copying. */
export function copyFailed(err: NodeJS.ErrnoException): VirError {
  const text = SYSTEM_TEXTS[err.code ?? '']
  const why = text ? `Unable to write to socket: ${text}` : err.message
  return new VirError(
    'operationFailed',
    'qemu',
    `operation failed: job 'migration out' failed: ${why}`,
  )
}

/** QEMU does not do what libvirt asks of it. */
export function commandFailed(command: string, reason: string): VirError {
  return new VirError(
    'internal',
    'qemu',
    `internal error: unable to execute QEMU command '${command}': ${reason}`,
  )
}

/** QEMU has ended, whatever it was doing. @param last what it said before */
export function monitorClosed(last?: string): VirError {
  const said = last === undefined ? '' : `: ${last}`
  return new VirError(
    'internal',
    'qemu',
    `internal error: QEMU unexpectedly closed the monitor${said}`,
  )
}

/** A disk could not be mirrored. @param disk its name in the domain */
export function diskCopyFailed(disk: string, reason: string): VirError {
  return new VirError(
    'operationFailed',
    'qemu',
    `operation failed: migration of disk ${disk} failed: ${reason}`,
  )
}

export function copyCancelled(): VirError {
  return new VirError(
    'operationAborted',
    'qemu',
    "operation aborted: job 'migration out' canceled by client",
  )
}

/** What the target found: it must never run a guest that is not byte for byte the source's. */
export function checksumMismatch(): VirError {
  return new VirError(
    'operationFailed',
    'qemu',
    'operation failed: the guest that arrived is not the guest that was sent: the checksums differ',
  )
}

const SYSTEM_TEXTS: Record<string, string> = {
  ECONNREFUSED: 'Connection refused',
  ECONNRESET: 'Connection reset by peer',
  ENOENT: 'No such file or directory',
  EACCES: 'Permission denied',
  EPIPE: 'Broken pipe',
}
