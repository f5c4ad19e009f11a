import { once } from 'node:events'
import { promisify } from 'node:util'
import { type Entry, fromBuffer, open, type ZipFile } from 'yauzl'

/** A file in a zip archive, not yet unpacked. */
export interface ZipMember {
  name: string
  packed: number
  unpacked: number
  open(): Promise<AsyncIterable<Uint8Array>>
}

/**
 * The files of a zip archive in the order of its directory, which stands at its end: so it is read from a file, or from
 * memory where it came out of another archive. Folders, links and encrypted members are left out.
 * @throws Error when it is no zip archive or breaks off
 */
export async function* zipMembers(archive: string | Buffer): AsyncGenerator<ZipMember> {
  const options = { lazyEntries: true, autoClose: false }
  const zip: ZipFile =
    typeof archive === 'string'
      ? await promisify<string, typeof options, ZipFile>(open)(archive, options)
      : await promisify<Buffer, typeof options, ZipFile>(fromBuffer)(archive, options)
  try {
    for (let n = 0; n < zip.entryCount; n++) {
      const next = once(zip, 'entry')
      zip.readEntry()
      const [entry] = (await next) as [Entry]
      if (isFile(entry))
        yield {
          name: entry.fileName,
          packed: entry.compressedSize,
          unpacked: entry.uncompressedSize,
          open: () =>
            promisify<Entry, AsyncIterable<Uint8Array>>(zip.openReadStream.bind(zip))(entry),
        }
    }
  } finally {
    zip.close()
  }
}

const TYPE_MASK = 0o170000
const REGULAR = 0o100000

/** Unix's type of the file is in the upper half of the attributes; other systems leave it 0. */
function isFile(entry: Entry): boolean {
  const type = (entry.externalFileAttributes >>> 16) & TYPE_MASK
  return !entry.fileName.endsWith('/') && !entry.isEncrypted() && (type === 0 || type === REGULAR)
}
