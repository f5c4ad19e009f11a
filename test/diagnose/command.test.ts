import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { caseFiles } from '../cases/cases.ts'

const DEV = fileURLToPath(new URL('../../bin/dev.js', import.meta.url))
let folder: string
let quota: string
let healthy: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mig-command-'))
  quota = join(folder, 'quota.yaml')
  healthy = join(folder, 'healthy.yaml')
  await writeFile(quota, caseFiles('recorded', '201')[0]!.text)
  await writeFile(healthy, caseFiles('recorded', '240')[0]!.text)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

function mig(
  argv: string[],
  stdin = '',
): Promise<{ status: number | null; out: string; err: string }> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [DEV, ...argv])
    let [out, err] = ['', '']
    child.stdout.on('data', (data) => {
      out += data
    })
    child.stderr.on('data', (data) => {
      err += data
    })
    child.on('close', (status) => done({ status, out, err }))
    child.stdin.end(stdin)
  })
}

describe('diagnose', () => {
  test('names the cause first and exits 3; a healthy archive exits 0', async () => {
    const [bad, good] = await Promise.all([
      mig(['diagnose', '--from', quota]),
      mig(['diagnose', '--from', healthy]),
    ])
    expect(bad).toMatchObject({ status: 3, err: '' })
    expect(bad.out.split('\n')[0]).toBe(
      'Quota team-mem has no room for the target pod: requests.memory is short by 682368384 bytes (650.8 MiB)',
    )
    expect(good).toMatchObject({ status: 0, err: '' })
  })

  test('prints one document with -o json, yaml and junit, from standard input too', async () => {
    const text = caseFiles('recorded', '201')[0]!.text
    const [json, yaml, junit] = await Promise.all([
      mig(['diagnose', '--from', '-', '-o', 'json'], text),
      mig(['diagnose', '--from', quota, '-o', 'yaml']),
      mig(['diagnose', '--from', quota, '-o', 'junit']),
    ])
    expect(JSON.parse(json.out)).toMatchObject({
      kind: 'DiagnosisReport',
      verdict: { code: 'MIG3001' },
    })
    expect(parse(yaml.out)).toMatchObject({ kind: 'DiagnosisReport', verdict: { code: 'MIG3001' } })
    expect(junit.out).toMatch(
      /^<\?xml[\s\S]*<testcase classname="MIG3001"[\s\S]*<failure[\s\S]*<\/testsuites>\n$/,
    )
    expect([json.status, yaml.status, junit.status]).toEqual([3, 3, 3])
  })

  test('one clear line and exit 2 for what cannot be read', async () => {
    const empty = join(folder, 'empty.yaml')
    await writeFile(empty, '')
    const runs = await Promise.all([
      mig(['diagnose', 'vm-1', '--from', quota]),
      mig(['diagnose', '--from', join(folder, 'nope')]),
      mig(['diagnose', '--from', empty]),
      mig(['diagnose', '--from', quota, '--now', 'yesterday']),
    ])
    expect(runs.map(({ status, out }) => [status, out])).toEqual(Array(4).fill([2, '']))
    expect(runs[0]!.err).toMatch(/^error: "vm-1" and --from exclude each other/)
    expect(runs[1]!.err).toMatch(/^error: cannot read .*nope: no such file\n$/)
    expect(runs[2]!.err).toMatch(/^error: nothing in .*empty.yaml speaks of a migration/)
    expect(runs[3]!.err).toMatch(/^error: --now yesterday is no time/)
  })

  test('--fail-on=warn makes a warning count, --min-coverage a gap', async () => {
    const waits = join(folder, 'waits.yaml')
    await writeFile(waits, caseFiles('recorded', '202')[0]!.text)
    const runs = await Promise.all([
      mig(['diagnose', '--from', waits]),
      mig(['diagnose', '--from', waits, '--fail-on', 'warn']),
      mig(['diagnose', '--from', healthy, '--min-coverage', '100']),
    ])
    expect(runs.map(({ status }) => status)).toEqual([0, 4, 8])
  })

  test('--now decides what ages refer to', async () => {
    const { out } = await mig([
      'diagnose',
      '--from',
      quota,
      '--now',
      '2026-11-29T16:15:51Z',
      '-o',
      'json',
    ])
    expect(JSON.parse(out).verdict).toMatchObject({ forSeconds: 3600 })
  })

  test('escape sequences in names and messages do not act', async () => {
    const hostile = join(folder, 'hostile.yaml')
    await writeFile(
      hostile,
      caseFiles('recorded', '201')[0]!
        .text.replaceAll('team-mem', '"team\\x1b[2J"')
        .replaceAll(
          /message: 'Error creating pod: ([^']*)'/g,
          'message: "Error creating pod: \\x1b]0;x\\x07 exceeded quota: t\\x1b[31m, requested: pods=1, used: pods=1, limited: pods=1"',
        ),
    )
    const runs = await Promise.all([
      mig(['diagnose', '--from', hostile]),
      mig(['diagnose', '--from', hostile, '-o', 'json']),
      mig(['diagnose', '--from', hostile, '-o', 'yaml']),
      mig(['diagnose', '--from', hostile, '-o', 'junit']),
    ])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come out.
    for (const { out } of runs) expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  })
})

describe('explain', () => {
  test('a code, whatever its case, and all of them', async () => {
    const [one, all, none, unknown] = await Promise.all([
      mig(['explain', 'mig3001']),
      mig(['explain', '--list', '-o', 'json']),
      mig(['explain']),
      mig(['explain', 'MIG0000']),
    ])
    expect(one.out).toMatch(/^MIG3001 {2}Quota has no room\n/)
    expect(JSON.parse(all.out)).toContainEqual(
      expect.objectContaining({ code: 'MIG3001', group: 'target pod, quota, storage' }),
    )
    expect([one.status, all.status, none.status, unknown.status]).toEqual([0, 0, 2, 2])
    expect(unknown.err).toMatch(/^error: there is no code MIG0000/)
  })
})
