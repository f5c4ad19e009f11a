import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, relative } from 'node:path'
import { EXIT, fileTrouble, MigError } from '../errors.ts'
import { logLinesIn, parseDescribed } from './describe.ts'
import { isLogText, parseDocuments, splitDocuments } from './documents.ts'
import type { Evidence, Gap } from './evidence.ts'
import { filesOf } from './folder.ts'
import { isWanted, KINDS } from './kinds.ts'
import { latestMoment } from './latest.ts'
import { logOrigin } from './layout.ts'
import { LIMITS, type Limits } from './limits.ts'
import { createHitKeeper } from './log-hits.ts'
import { createLogScanner, type LineKinds } from './log-scan.ts'
import { createObjects } from './objects.ts'
import { objectsIn } from './shape.ts'
import { packedAs, SNIFF_BYTES, sniff } from './sniff.ts'
import { bytesOf, collect, copied, gunzip, peek, readPieces } from './streams.ts'
import { tarMembers } from './tar.ts'
import { zipMembers } from './zip.ts'

export interface FileSources {
  /** Files, folders, archives; `-` is standard input. */
  paths: string[]
  stdin: AsyncIterable<Uint8Array>
  /** Which log lines are worth keeping. */
  lineKinds: LineKinds
  limits?: Limits
}

type Bytes = AsyncIterable<Uint8Array>

/** Of like gaps (binary files, links) so many are listed. */
const LISTED = 20

/**
 * Gathers evidence from files: streams each once, keeps objects and the log lines that are of interest, and notes
 * what could not be read. Nothing is written or unpacked to disk.
 * @throws MigError exit 2 when a path cannot be opened
 */
export async function gatherFiles(sources: FileSources): Promise<Evidence> {
  const reader = createReader(sources.lineKinds, sources.limits ?? LIMITS)
  for (const path of sources.paths) {
    if (path === '-') await reader.read('stdin', sources.stdin, 0)
    else await readPath(path, reader)
  }
  return reader.evidence(sources.paths)
}

async function readPath(path: string, reader: Reader): Promise<void> {
  const info = await stat(path).catch((err) => {
    throw new MigError(EXIT.usage, `cannot read ${path}: ${fileTrouble(err)}`)
  })
  if (!info.isDirectory()) {
    // A pipe hands out pieces as small as it likes, which must not share their memory.
    const pieces = info.isFile() ? readPieces(path) : createReadStream(path)
    await reader.read(basename(path), pieces, 0, info.isFile() ? path : undefined)
    return
  }
  const skip = (at: string, why: string) =>
    reader.gap({ what: at, why: 'unreadable', detail: why, file: at })
  for await (const file of filesOf(path, skip))
    await reader.read(relative(path, file), readPieces(file), 0, file)
}

interface Reader {
  /**
   * Reads one file, or all that an archive holds. Faults of the content become gaps. With the path, the file itself can
   * be opened where a format is not read from its beginning to its end.
   */
  read(name: string, stream: Bytes, depth: number, path?: string): Promise<void>
  gap(gap: Gap): void
  evidence(from: string[]): Evidence
}

function createReader(lineKinds: LineKinds, limits: Limits): Reader {
  const objects = createObjects()
  const gaps: Gap[] = []
  const keeper = createHitKeeper(limits.hits)
  const scanner = createLogScanner(lineKinds, keeper.add, limits.lineBytes)
  const spent = { entries: 0, unpacked: 0, objectBytes: 0, logLines: 0, logFiles: 0 }
  let unlisted = 0

  function gap(found: Gap): void {
    if (gaps.length < LISTED || found.why === 'malformed') gaps.push(found)
    else unlisted++
  }

  async function read(name: string, stream: Bytes, depth: number, path?: string): Promise<void> {
    spent.entries++
    try {
      if (spent.entries > limits.entries) throw tooLarge(`more than ${limits.entries} files`)
      const { head, stream: all } = await peek(stream, SNIFF_BYTES)
      await readContent(name, head, all, depth, path)
    } catch (err) {
      const why = err instanceof TooLarge ? 'too-large' : 'unreadable'
      gap({ what: name, why, detail: fileTrouble(err), file: name })
      if (err instanceof TooLarge && depth > 0) throw err
    }
  }

  async function readContent(
    name: string,
    head: Uint8Array,
    stream: Bytes,
    depth: number,
    path?: string,
  ): Promise<void> {
    switch (sniff(name, head)) {
      case 'zip':
        return readZip(name, stream, depth, path)
      case 'gzip':
        return readGzip(name, stream, depth)
      case 'tar':
        return readTar(name, stream, depth)
      case 'documents':
        return readDocuments(name, stream)
      case 'described':
        return readDescribed(name, stream)
      case 'log':
        spent.logLines += await scanner.scan(stream, logOrigin(name))
        spent.logFiles++
        return
      case 'packed':
        gap({
          what: name,
          why: 'unreadable',
          detail: `packed with ${packedAs(head)}: unpack it first`,
          file: name,
        })
        return drop(stream)
      case 'binary':
        gap({ what: name, why: 'unreadable', detail: 'neither text nor an archive', file: name })
        return drop(stream)
      case 'empty':
        return
    }
  }

  async function readGzip(name: string, stream: Bytes, depth: number): Promise<void> {
    if (depth > limits.depth) throw tooLarge('archives in archives in archives')
    const inner = name.replace(/\.t?gz$/, (end) => (end === '.tgz' ? '.tar' : ''))
    const truncated = () =>
      gap({
        what: name,
        why: 'truncated',
        detail: 'the gzip stream ends before its end mark',
        file: name,
      })
    const unpacked = gunzip(copied(stream), truncated, (sizes) => {
      spent.unpacked += sizes.piece
      if (spent.unpacked > limits.unpackedBytes)
        throw tooLarge(`unpacks to more than ${limits.unpackedBytes} bytes`)
      if (sizes.unpacked > limits.ratioFrom && sizes.unpacked > limits.ratio * sizes.packed)
        throw tooLarge(`unpacks to more than ${limits.ratio} times its size: a bomb`)
    })
    const { head, stream: all } = await peek(unpacked, SNIFF_BYTES)
    await readContent(inner, head, all, depth + 1)
  }

  /** What came before is used; a limit that was passed ends all reading. */
  function breaksOff(name: string, err: unknown): void {
    if (err instanceof TooLarge) throw err
    const detail = `the archive breaks off: ${fileTrouble(err)}`
    gap({ what: name, why: 'truncated', detail, file: name })
  }

  async function readTar(name: string, stream: Bytes, depth: number): Promise<void> {
    if (depth > limits.depth) throw tooLarge('archives in archives in archives')
    try {
      for await (const { name: member, bytes } of tarMembers(copied(stream)))
        await read(member, bytes, depth + 1)
    } catch (err) {
      breaksOff(name, err)
    }
  }

  async function readZip(
    name: string,
    stream: Bytes,
    depth: number,
    path: string | undefined,
  ): Promise<void> {
    if (depth > limits.depth) throw tooLarge('archives in archives in archives')
    if (path !== undefined) await drop(stream)
    const archive = path ?? (await collect(stream, limits.documentBytes))
    if (archive === undefined)
      throw tooLarge(`a zip archive of more than ${limits.documentBytes} bytes that is no file`)
    try {
      for await (const member of zipMembers(archive)) {
        spent.unpacked += member.unpacked
        if (spent.unpacked > limits.unpackedBytes)
          throw tooLarge(`unpacks to more than ${limits.unpackedBytes} bytes`)
        if (member.unpacked > limits.ratioFrom && member.unpacked > limits.ratio * member.packed)
          throw tooLarge(`unpacks to more than ${limits.ratio} times its size: a bomb`)
        await read(member.name, await member.open(), depth + 1)
      }
    } catch (err) {
      breaksOff(name, err)
    }
  }

  async function readDocuments(name: string, stream: Bytes): Promise<void> {
    for await (const part of splitDocuments(stream, limits)) {
      if ('tooLarge' in part) {
        gap({
          what: name,
          why: 'too-large',
          detail: `a document of more than ${limits.documentBytes} bytes`,
          file: name,
          line: part.line,
        })
        continue
      }
      spent.objectBytes += part.text.length
      if (spent.objectBytes > limits.objectBytes)
        throw tooLarge(`objects of more than ${limits.objectBytes} bytes`)
      if (isLogText(part.text)) {
        spent.logLines += await scanner.scan(bytesOf(part.text), logOrigin(name), part.line)
        spent.logFiles++
        continue
      }
      for (const parsed of parseDocuments(part.text, isWanted, part.line)) {
        if ('error' in parsed) {
          gap({ what: name, why: 'malformed', detail: parsed.error, file: name, line: parsed.line })
          if (parsed.value === undefined) continue
        }
        const { items, kinds } = objectsIn(parsed.value)
        for (const kind of kinds) objects.sawKind(kind)
        for (const item of items) objects.add(item, `${name}:${parsed.line}`)
      }
    }
  }

  async function readDescribed(name: string, stream: Bytes): Promise<void> {
    const all = await collect(stream, limits.documentBytes)
    if (!all) throw tooLarge(`a description of more than ${limits.documentBytes} bytes`)
    const text = all.toString('utf8')
    for (const item of objectsIn(parseDescribed(text)).items) objects.add(item, name)
    spent.logLines += await scanner.scan(bytesOf(logLinesIn(text)), logOrigin(name))
    spent.logFiles++
  }

  function evidence(from: string[]): Evidence {
    if (unlisted > 0)
      gaps.push({
        what: `${unlisted} more files`,
        why: 'unreadable',
        detail: 'not read, like the ones listed',
      })
    const logs = keeper.hits()
    return {
      source: { kind: 'files', from },
      objects,
      logs,
      logLines: spent.logLines,
      logFiles: spent.logFiles,
      gaps,
      latest: latestMoment(objects, KINDS, logs),
    }
  }

  return { read, gap, evidence }
}

async function drop(stream: Bytes): Promise<void> {
  await stream[Symbol.asyncIterator]().return?.(undefined)
}

class TooLarge extends Error {}

function tooLarge(message: string): TooLarge {
  return new TooLarge(message)
}
