import { createReadStream } from 'node:fs'
import { EXIT, fileTrouble, MigError } from '../errors.ts'

/** A bundle of KubeVirt's holds 50 certificates at most (data-plane.md §2.4). */
const LARGEST_FILE = 1024 * 1024

/**
 * Reads a file of certificates or a key.
 * @throws MigError `unreadable-file`, exit 2
 */
export async function readPem(path: string): Promise<string> {
  let bytes = Buffer.alloc(0)
  try {
    for await (const chunk of createReadStream(path, { end: LARGEST_FILE })) {
      bytes = Buffer.concat([bytes, chunk])
    }
  } catch (cause) {
    throw unreadable(path, fileTrouble(cause), cause)
  }
  if (bytes.length > LARGEST_FILE) {
    throw unreadable(path, 'it is larger than 1 MiB, which no bundle of certificates is')
  }
  return String(bytes)
}

function unreadable(path: string, why: string, cause?: unknown): MigError {
  return new MigError(EXIT.usage, `can't read ${path}: ${why}`, { code: 'unreadable-file', cause })
}
