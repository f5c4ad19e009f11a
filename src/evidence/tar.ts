import { extract } from 'tar-stream'

type Bytes = AsyncIterable<Uint8Array>

/**
 * The files of a tar archive, as they come; each is read, or left, before the next.
 * @throws where the archive breaks off
 */
export async function* tarMembers(stream: Bytes): AsyncGenerator<{ name: string; bytes: Bytes }> {
  const archive = extract()
  const feeding = feed(stream, archive)
  try {
    for await (const entry of archive) {
      if (entry.header.type === 'file')
        yield { name: entry.header.name, bytes: keptOpen(entry as unknown as Bytes) }
      entry.resume()
    }
  } finally {
    archive.destroy()
    await feeding
  }
}

/** A member of an archive: whoever stops reading it must not end the archive with it. */
function keptOpen(member: AsyncIterable<Uint8Array>): Bytes {
  const chunks = member[Symbol.asyncIterator]()
  return { [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }) }
}

/** Writes a stream into the tar reader, waiting for it; errors reach the one who iterates over the archive. */
async function feed(stream: Bytes, archive: ReturnType<typeof extract>): Promise<void> {
  try {
    for await (const chunk of stream) {
      if (archive.destroyed) return
      if (!archive.write(chunk)) await room(archive)
    }
    archive.end(undefined)
  } catch (err) {
    archive.destroy(err as Error)
  }
}

/** Until the tar reader takes more, or is gone. */
function room(archive: ReturnType<typeof extract>): Promise<void> {
  return new Promise((resume) => {
    const go = () => {
      archive.off('drain', go)
      archive.off('close', go)
      resume()
    }
    archive.on('drain', go)
    archive.on('close', go)
  })
}
