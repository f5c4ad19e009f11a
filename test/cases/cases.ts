import { existsSync, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { DiagnosisReport } from '../../src/diagnose/report.ts'

/** What a case's report must and must not say; `layers` are the parts of the system that its cause can be sought in. */
export interface CaseKey {
  layer: string
  layers?: string[]
  verdict: string
  must: string[]
  must_not: string[]
  healthy?: boolean
}

/** Groups of codes (design.md §4) that fit a layer. */
const GROUPS: Record<string, string> = {
  admission: '01',
  'control-plane pending': '1234',
  'policy/concurrency': '2',
  'target pod': '3',
  quota: '3',
  storage: '389',
  handoff: '48',
  'proxy listener': '5',
  'proxy port/firewall': '57',
  TLS: '56',
  'migration network': '7',
  'libvirt/QEMU start': '83',
  convergence: '8',
  'post-copy': '8',
  'cleanup/stale state': '9348',
  metrics: '0123456789',
  unknown: '0123456789',
}
/** What a person reads first may not be longer. */
const LIMIT = 4000

export function caseKeys(folder: string): Record<string, CaseKey> {
  return JSON.parse(readFileSync(new URL(`./${folder}/keys.json`, import.meta.url), 'utf8'))
}

/** Objects and log of a case, without the comments that describe it. */
export function caseFiles(folder: string, id: string): { name: string; text: string }[] {
  return [
    [`${id}.input.yaml`, 'input.yaml'],
    [`${id}.log`, 'case.log'],
  ].flatMap(([from, name]) => {
    const file = new URL(`./${folder}/${from}`, import.meta.url)
    if (!existsSync(file)) return []
    return [{ name: name!, text: readFileSync(file, 'utf8').replace(/^#.*\n/gm, '') }]
  })
}

/** What is wrong with a report on a case, judged by its verdict and the first three findings that are open. */
export function faultsOf(
  key: CaseKey,
  report: DiagnosisReport,
  exit: number,
  others: CaseKey[],
): string[] {
  const open = report.subjects
    .flatMap(({ findings }) => findings)
    .filter(({ status }) => ['fail', 'warn', 'unknown'].includes(status))
    .slice(0, 3)
  if (key.healthy)
    return [
      ...open.map(({ title }) => `nothing is wrong, yet: ${title}`),
      ...(exit ? [`exit ${exit}`] : []),
    ]
  const said = strings([report.verdict, open]).join('\n')
  const satisfied = others.filter((other) => !other.healthy && satisfies(other, said))
  const groups = [key.layer, ...(key.layers ?? [])].map((layer) => GROUPS[layer] ?? '').join('')
  const failing = open.some(({ status }) => status === 'fail')
  return [
    ...key.must.filter((regex) => !matches(regex, said)).map((regex) => `not said: ${regex}`),
    ...key.must_not
      .filter((regex) => matches(regex, said))
      .map((regex) => `wrongly said: ${regex}`),
    ...(said.length > LIMIT ? [`says ${said.length} characters`] : []),
    ...(satisfied.length > 3 ? [`says everything: also ${satisfied.map((o) => o.verdict)}`] : []),
    ...(groups.includes(report.verdict.code[3]!)
      ? []
      : [`${report.verdict.code} is not of group ${groups}`]),
    ...(failing === (exit === 3) ? [] : [`exit ${exit}`]),
  ]
}

export function asStream(text: string | Uint8Array): AsyncIterable<Uint8Array> {
  return Readable.from([Buffer.from(text)])
}

function satisfies(key: CaseKey, said: string): boolean {
  return key.must.every((r) => matches(r, said)) && !key.must_not.some((r) => matches(r, said))
}

function matches(regex: string, text: string): boolean {
  return new RegExp(regex, 'i').test(text)
}

function strings(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  return value && typeof value === 'object' ? Object.values(value).flatMap(strings) : []
}
