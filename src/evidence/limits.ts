/** Bounds on what files may cost. None is met by an honest archive; a bomb meets one early. */
export interface Limits {
  /** A YAML or JSON document is parsed in memory: bytes. */
  documentBytes: number
  /** All structured documents together: bytes. */
  objectBytes: number
  /** A single log line, bytes; what is longer is cut. */
  lineBytes: number
  /** Files and archive members. */
  entries: number
  /** All that is unpacked from archives: bytes. */
  unpackedBytes: number
  /** From so many unpacked bytes on, what unpacks to more than `ratio` times its size is taken for a bomb; logs reach 100. */
  ratioFrom: number
  ratio: number
  /** Archives in archives. */
  depth: number
  /** Log lines kept as evidence. */
  hits: number
}

const MIB = 1024 ** 2

export const LIMITS: Limits = {
  documentBytes: 64 * MIB,
  objectBytes: 1024 * MIB,
  lineBytes: MIB,
  entries: 200_000,
  unpackedBytes: 64 * 1024 * MIB,
  ratioFrom: 256 * MIB,
  ratio: 200,
  depth: 2,
  hits: 5000,
}
