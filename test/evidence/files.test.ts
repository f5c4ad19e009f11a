import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { pack } from 'tar-stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Evidence } from '../../src/evidence/evidence.ts'
import { gatherFiles } from '../../src/evidence/files.ts'
import { LIMITS, type Limits } from '../../src/evidence/limits.ts'
import type { LineKinds } from '../../src/evidence/log-scan.ts'
import { asStream } from '../cases/cases.ts'

const pod = (name: string) => `kind: Pod\nmetadata: {name: ${name}, namespace: demo}\n`
const POD = pod('a')
const lineKinds: LineKinds = {
  anchors: ['boom'],
  kindOf: ({ text }) => (text.includes('boom') ? 'boom' : undefined),
}
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mig-files-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function gather(paths: string[], stdin: string | Uint8Array = '', limits: Partial<Limits> = {}) {
  return gatherFiles({ paths, stdin: asStream(stdin), lineKinds, limits: { ...LIMITS, ...limits } })
}
function names(evidence: Evidence): string[] {
  return evidence.objects.list('Pod').map(({ metadata }) => metadata.name)
}
async function tar(
  members: { name: string; text?: string; type?: 'symlink'; linkname?: string }[],
): Promise<Buffer> {
  const archive = pack()
  for (const { text = '', ...header } of members) archive.entry(header, text)
  archive.finalize()
  const chunks: Uint8Array[] = []
  for await (const chunk of archive as unknown as AsyncIterable<Uint8Array>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** A zip archive, written by hand: local headers, then the directory (APPNOTE.TXT 4.3). */
function zip(members: { name: string; text: string | Buffer }[]): Buffer {
  const local: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, text } of members) {
    const data = Buffer.from(text as string)
    const packed = deflateRawSync(data)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(data), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(data.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const entry = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    local.push(entry)
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), common, rest, Buffer.from(name))
    offset += entry.length
  }
  const index = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06')
  end.writeUInt16LE(members.length, 8)
  end.writeUInt16LE(members.length, 10)
  end.writeUInt32LE(index.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...local, index, end])
}

describe('what is read', () => {
  test('a folder and all below it, objects and logs', async () => {
    await mkdir(join(folder, 'namespaces/demo/pods/p/compute/compute/logs'), { recursive: true })
    await writeFile(join(folder, 'pods.yaml'), POD)
    await writeFile(
      join(folder, 'namespaces/demo/pods/p/compute/compute/logs/current.log'),
      'fine\n{"msg":"boom","timestamp":"2026-01-01T10:00:00Z"}\nfine\n',
    )
    const evidence = await gather([folder])
    expect(names(evidence)).toEqual(['a'])
    expect(evidence.logs).toMatchObject([
      { text: 'boom', line: 2, origin: { pod: 'p', namespace: 'demo', container: 'compute' } },
    ])
    expect(evidence).toMatchObject({
      logLines: 3,
      logFiles: 1,
      gaps: [],
      latest: Date.parse('2026-01-01T10:00:00Z'),
    })
  })

  test.each([
    ['tar', (bytes: Buffer) => bytes],
    ['tar.gz', (bytes: Buffer) => gzipSync(bytes)],
  ])('a %s, from a file and from standard input alike', async (kind, wrap) => {
    const bytes = wrap(
      await tar([
        { name: 'x/pods.yaml', text: POD },
        { name: 'x/a.log.gz', text: 'no' },
        { name: 'x/b.log', text: 'boom\n' },
      ]),
    )
    await writeFile(join(folder, `archive.${kind}`), bytes)
    for (const evidence of [
      await gather([join(folder, `archive.${kind}`)]),
      await gather(['-'], bytes),
    ]) {
      expect(names(evidence)).toEqual(['a'])
      expect(evidence.logs).toMatchObject([{ text: 'boom', origin: { file: 'x/b.log' } }])
    }
  })

  test('a list with the line ends of Windows', async () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n- kind: Pod\n  metadata:\n    name: a\n- kind: Pod\n  metadata:\n    name: b\n`
    const evidence = await gather(['-'], list.replaceAll('\n', '\r\n'))
    expect(names(evidence)).toEqual(['a', 'b'])
    expect(evidence.gaps).toEqual([])
  })

  test('log lines pasted behind objects, with the line they stand on', async () => {
    const evidence = await gather(['-'], `${POD}---\n{"kind":"","msg":"boom"}\nplain boom\n`)
    expect(names(evidence)).toEqual(['a'])
    expect(evidence.logs).toMatchObject([
      { text: 'boom', line: 4 },
      { text: 'plain boom', line: 5 },
    ])
    expect(evidence.gaps).toEqual([])
  })

  test('a line that says its pod is of that pod', async () => {
    const { logs } = await gather(['-'], '[pod/virt-handler-x/virt-handler] {"msg":"boom"}\n')
    expect(logs).toMatchObject([{ origin: { pod: 'virt-handler-x', container: 'virt-handler' } }])
  })

  test('of two copies of an object the newer one', async () => {
    const evidence = await gather(
      ['-'],
      '[{"kind":"Pod","metadata":{"name":"a","resourceVersion":"9","uid":"new"}},{"kind":"Pod","metadata":{"name":"a","resourceVersion":"3","uid":"old"}}]',
    )
    expect(evidence.objects.list('Pod')).toMatchObject([{ metadata: { uid: 'new' } }])
  })

  test('a million like lines cost a few', async () => {
    const evidence = await gather(['-'], 'boom\n'.repeat(100_000))
    expect(evidence.logLines).toBe(100_000)
    expect(evidence.logs).toHaveLength(4)
    expect(evidence.logs[0]).toMatchObject({ line: 1, count: 100_000 })
    expect(evidence.logs.at(-1)).toMatchObject({ line: 100_000 })
  })

  test('a line is found wherever the chunks end', async () => {
    const text = 'first\nsecond boom line\nthird\n'
    for (let at = 1; at < text.length; at++) {
      async function* stdin() {
        yield Buffer.from(text.slice(0, at))
        yield Buffer.from(text.slice(at))
      }
      const evidence = await gatherFiles({ paths: ['-'], stdin: stdin(), lineKinds })
      expect(evidence.logs).toMatchObject([{ text: 'second boom line', line: 2 }])
      expect(evidence.logLines).toBe(3)
    }
  })
})

describe('what is not read is a gap', () => {
  test('a broken document, with file and line; the rest is used', async () => {
    await writeFile(
      join(folder, 'a.yaml'),
      `${POD}---\nkind: Pod\nmetadata:\n  name: [b\n---\n${pod('c')}`,
    )
    const evidence = await gather([folder])
    expect(names(evidence)).toEqual(['a', 'c'])
    expect(evidence.gaps).toMatchObject([
      { why: 'malformed', file: 'a.yaml', line: expect.any(Number) },
    ])
    expect(evidence.gaps[0]!.line).toBeGreaterThanOrEqual(6)
  })

  test('a gzip of several members is whole; cut off in the last one it is not', async () => {
    const line = 'boom, and this is what the rest of the line says\n'
    const members = Buffer.concat([3, 2000, 1].map((times) => gzipSync(line.repeat(times))))
    const whole = await gather(['-'], members)
    expect(whole).toMatchObject({ logLines: 2004, gaps: [] })
    expect((await gather(['-'], members.subarray(0, -20))).gaps).toMatchObject([
      { why: 'truncated' },
    ])
  })

  test('a zip, as Harvester’s support bundles are, with one in it for each node', async () => {
    const inner = zip([{ name: 'logs/virt-handler.log', text: 'boom\n' }])
    const bundle = zip([
      { name: 'bundle/yamls/namespaced/demo/v1/pods.yaml', text: POD },
      { name: 'bundle/nodes/', text: '' },
      { name: 'bundle/nodes/node-a.zip', text: inner },
    ])
    const path = join(folder, 'supportbundle.zip')
    await writeFile(path, bundle)
    for (const evidence of [
      await gather([path]),
      await gather(['-'], bundle),
      await gather([folder]),
    ]) {
      expect(names(evidence)).toEqual(['a'])
      expect(evidence).toMatchObject({ logLines: 1, gaps: [] })
    }
  })

  test('a zip that is cut off, too large for memory or a bomb: one gap, no crash', async () => {
    const bytes = zip([{ name: 'a.yaml', text: POD }])
    expect((await gather(['-'], bytes.subarray(0, -30))).gaps).toMatchObject([{ why: 'truncated' }])
    expect((await gather(['-'], bytes, { documentBytes: 10 })).gaps).toMatchObject([
      { why: 'too-large' },
    ])
    const bomb = zip([{ name: 'a.log', text: 'x'.repeat(3_000_000) }])
    const limits = { ratioFrom: 1_000_000, ratio: 50 }
    expect((await gather(['-'], bomb, limits)).gaps).toMatchObject([
      { why: 'too-large', detail: expect.stringContaining('bomb') },
    ])
  })

  test('a gzip that is cut off: what came before the cut is used', async () => {
    const log = Array.from(
      { length: 50_000 },
      (_, i) => `line ${i} ${Math.sin(i)}${i === 10 ? ' boom' : ''}`,
    ).join('\n')
    const evidence = await gather(['-'], gzipSync(log).subarray(0, 200_000))
    expect(evidence.logs).toMatchObject([{ line: 11 }])
    expect(evidence.gaps).toMatchObject([{ why: 'truncated' }])
  })

  test('a tar that is cut off', async () => {
    const bytes = await tar([
      { name: 'a.yaml', text: POD },
      { name: 'b.yaml', text: POD.repeat(400) },
    ])
    const evidence = await gather(['-'], bytes.subarray(0, 3000))
    expect(names(evidence)).toEqual(['a'])
    expect(evidence.gaps.some(({ why }) => why === 'truncated')).toBe(true)
  })

  test('binary junk, and packings that are not read, by their name', async () => {
    await writeFile(join(folder, 'core'), Buffer.from([0, 1, 2, 3, 0, 255]))
    await writeFile(join(folder, 'a.zst'), Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 2]))
    await writeFile(join(folder, 'empty'), '')
    const { gaps } = await gather([folder])
    expect(gaps).toMatchObject([
      { what: 'a.zst', detail: 'packed with zstd: unpack it first' },
      { what: 'core', why: 'unreadable' },
    ])
  })

  test('a path that is not there is a usage error', async () => {
    await expect(gather([join(folder, 'nope')])).rejects.toMatchObject({
      exit: 2,
      message: expect.stringContaining('no such file'),
    })
  })
})

describe('what would do harm', () => {
  test('links that lead out of the folder are not followed', async () => {
    await writeFile(join(folder, 'secret.yaml'), POD)
    const inside = join(folder, 'archive')
    await mkdir(inside)
    await writeFile(join(inside, 'b.yaml'), pod('b'))
    await symlink(join(folder, 'secret.yaml'), join(inside, 'out.yaml'))
    await symlink(folder, join(inside, 'loop'))
    await symlink(join(inside, 'b.yaml'), join(inside, 'z.yaml'))
    const evidence = await gather([inside])
    expect(names(evidence)).toEqual(['b'])
    expect(evidence.gaps).toHaveLength(2)
  })

  test('links and odd paths in an archive are only names', async () => {
    const evidence = await gather(
      ['-'],
      await tar([
        { name: '../../etc/x.yaml', text: POD },
        { name: 'l', type: 'symlink', linkname: '/etc/passwd' },
      ]),
    )
    expect(names(evidence)).toEqual(['a'])
    expect(evidence.objects.originOf(evidence.objects.list('Pod')[0]!)).toBe('../../etc/x.yaml:1')
  })

  test('an archive that unpacks without end is stopped, and what came before is used', async () => {
    const bomb = gzipSync(
      await tar([
        { name: 'a.yaml', text: POD },
        { name: 'b.log', text: 'x'.repeat(50_000_000) },
      ]),
    )
    const evidence = await gather(['-'], bomb, { unpackedBytes: 1_000_000 })
    expect(names(evidence)).toEqual(['a'])
    expect(evidence.gaps.some(({ why }) => why === 'too-large')).toBe(true)
  })

  test('what unpacks to hundreds of times its size is a bomb', async () => {
    const evidence = await gather(['-'], gzipSync(Buffer.alloc(20_000_000, 'x')), {
      ratioFrom: 1_000_000,
    })
    expect(evidence.gaps).toMatchObject([
      { why: 'too-large', detail: expect.stringContaining('bomb') },
    ])
  })

  test('every file is closed, also those that are only looked at', async () => {
    for (let i = 0; i < 40; i++) {
      await writeFile(join(folder, `${i}.bin`), Buffer.alloc(300_000))
      await writeFile(
        join(folder, `${i}.zip`),
        Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(300_000, 'x')]),
      )
    }
    const before = (await readdir('/proc/self/fd').catch(() => [])).length
    await gather([folder])
    expect((await readdir('/proc/self/fd').catch(() => [])).length).toBeLessThanOrEqual(before + 5)
  })

  test('archives in archives in archives are not followed for ever', async () => {
    let bytes = Buffer.from(POD)
    for (let i = 0; i < 6; i++) bytes = gzipSync(bytes)
    const evidence = await gather(['-'], bytes)
    expect(evidence.gaps).toMatchObject([{ why: 'too-large' }])
  })

  test('a line without end does not fill the memory', async () => {
    async function* stdin() {
      for (let i = 0; i < 200; i++) yield Buffer.alloc(1_000_000, 'x')
      yield Buffer.from('\nboom\n')
    }
    const before = process.memoryUsage().arrayBuffers
    const evidence = await gatherFiles({ paths: ['-'], stdin: stdin(), lineKinds })
    expect(evidence.logs).toMatchObject([{ text: 'boom' }])
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(150_000_000)
  })

  test('too many files', async () => {
    for (const name of ['a', 'b', 'c']) await writeFile(join(folder, `${name}.yaml`), pod(name))
    const evidence = await gather([folder], '', { entries: 2 })
    expect(names(evidence)).toEqual(['a', 'b'])
    expect(evidence.gaps).toMatchObject([{ why: 'too-large' }])
  })

  test('credentials in log lines are not quoted', async () => {
    const evidence = await gather(
      ['-'],
      'boom password=hunter2 Authorization: Bearer abcdefghijkl\n',
    )
    expect(evidence.logs[0]!.text).toContain('boom')
    expect(JSON.stringify(evidence.logs)).not.toMatch(/hunter2|abcdefghijkl/)
  })

  test('any bytes are read without an exception', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 2000 }),
        fc.constantFrom('', '\x1f\x8b\x08\x00', 'kind: Pod\n', '{"kind":', '- ', 'items:\n- '),
        async (bytes, head) => {
          const evidence = await gather(['-'], Buffer.concat([Buffer.from(head, 'latin1'), bytes]))
          expect(evidence.gaps.length).toBeGreaterThanOrEqual(0)
        },
      ),
      { numRuns: 300 },
    )
  })
})
