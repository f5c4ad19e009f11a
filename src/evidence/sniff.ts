import { isDescribed } from './describe.ts'

export type Content =
  | 'gzip'
  | 'tar'
  | 'zip'
  | 'documents'
  | 'described'
  | 'log'
  | 'binary'
  | 'packed'
  | 'empty'

/** How many bytes `sniff` wants to see. */
export const SNIFF_BYTES = 8192

const ZIP = [0x50, 0x4b, 0x03, 0x04]
const PACKED: [string, number[]][] = [
  ['xz', [0xfd, 0x37, 0x7a, 0x58]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['bzip2', [0x42, 0x5a, 0x68]],
]

/** What a file is, by its first bytes; its name decides only between text formats. */
export function sniff(name: string, head: Uint8Array): Content {
  if (head.length === 0) return 'empty'
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip'
  if (Buffer.from(head.subarray(257, 262)).toString('latin1') === 'ustar') return 'tar'
  if (ZIP.every((byte, i) => head[i] === byte)) return 'zip'
  if (packedAs(head)) return 'packed'
  if (isBinary(head)) return 'binary'
  const text = new TextDecoder().decode(head)
  if (isDocuments(name, text)) return 'documents'
  return isDescribed(text) ? 'described' : 'log'
}

/** The name of a packing that is not read here. */
export function packedAs(head: Uint8Array): string | undefined {
  return PACKED.find(([, magic]) => magic.every((byte, i) => head[i] === byte))?.[0]
}

function isBinary(head: Uint8Array): boolean {
  let control = 0
  for (const byte of head) {
    if (byte === 0) return true
    if (byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32)) control++
  }
  return control > head.length / 10
}

function isDocuments(name: string, head: string): boolean {
  if (/\.log(\.\d+)?$/.test(name)) return false
  if (/^\s*\{[^\n]*"(msg|message)"\s*:/.test(head) && !/^\s*\{[^\n]*"apiVersion"/.test(head))
    return false
  if (/\.ya?ml$|\.json$/.test(name)) return true
  return (
    /^(apiVersion|kind|items)\s*:/m.test(head) ||
    /^\s*[[{][\s\S]*"(kind|apiVersion)"\s*:/.test(head)
  )
}
