import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, type Run, run } from './commands.ts'
import { expectedOf, sizeOf } from './population.ts'
import type { Api } from './server.ts'

const mig = fileURLToPath(new URL('../../bin/kubectl-mig', import.meta.url))
const bench = fileURLToPath(new URL('../diagnose.ts', import.meta.url))

export interface Options {
  vmis: number
  rounds: number
}

interface Contender {
  name: string
  argv: string[]
  /** What it found; undefined where that is not looked at. */
  count?(out: string): number
  expected?: number
  /** Of kubectl's time, at most. */
  limit?: number
}

/** Wanted: at most so much memory (MiB), and at most so many times that of a cluster of a tenth of the size. */
const MEMORY = 300
const GROWTH = 1.3

/**
 * `diagnose -A` and `status -A` beside kubectl reading the same lists, interleaved, on an API server with so many VMs; and
 * the memory of both on a tenth as many. @returns whether all is as it should be
 */
export async function benchCluster(api: Api, { vmis, rounds }: Options): Promise<boolean> {
  const scratch = mkdtempSync(join(tmpdir(), 'mig-'))
  try {
    const small = await measure(api, Math.ceil(vmis / 10), 1, scratch)
    const large = await measure(api, vmis, rounds, scratch)
    return report(api, vmis, large, small)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

type Runs = Map<Contender, Run[]>

async function measure(api: Api, vmis: number, rounds: number, scratch: string): Promise<Runs> {
  const began = performance.now()
  const { kubeconfig, close } = await startServer(api, vmis, scratch)
  process.stderr.write(
    `${api}: ${vmis} VMIs are there (${((performance.now() - began) / 1000).toFixed(0)} s)\n`,
  )
  try {
    const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: scratch }
    const runs: Runs = new Map(contenders(vmis).map((contender) => [contender, []]))
    for (let round = 0; round < rounds; round++)
      for (const [{ argv, count }, taken] of runs)
        taken.push(await run(argv, { env, keep: count !== undefined }))
    return runs
  } finally {
    await close()
  }
}

function contenders(vmis: number): Contender[] {
  const { subjects, rows } = expectedOf(sizeOf(vmis))
  const ours = (...args: string[]) => [process.execPath, mig, ...args, '-A', '-o', 'json']
  return [
    {
      name: 'kubectl get vmim,vmi,pods',
      argv: ['kubectl', 'get', 'vmim,vmi,pods', '-A', '-o', 'json'],
    },
    {
      name: 'kubectl mig diagnose -A',
      argv: ours('diagnose'),
      count: (out) => JSON.parse(out).subjects.length,
      expected: subjects,
      limit: 0.4,
    },
    {
      name: 'kubectl mig status -A',
      argv: ours('status'),
      count: (out) => JSON.parse(out).items.length,
      expected: rows,
      limit: 0.2,
    },
  ]
}

async function startServer(api: Api, vmis: number, scratch: string) {
  const child = spawn(
    process.execPath,
    ['--max-old-space-size=8192', bench, 'serve', api, String(vmis), scratch],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  )
  const close = () => end(child)
  const [kubeconfig] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  if (typeof kubeconfig !== 'string') throw new Error(`${api} did not start`)
  return { kubeconfig, close }
}

/** It ends with the channel. */
async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.disconnect()
  await exited
}

function report(api: Api, vmis: number, large: Runs, small: Runs): boolean {
  const smaller = [...small.values()].map(([first]) => first!.peakMiB)
  const base = median([...large.values()][0]!.map(({ seconds }) => seconds))
  let good = true
  const judge = (holds: boolean) => {
    good &&= holds
    return holds ? '' : ' !'
  }
  console.log(`\n${api}, ${vmis} VMIs`)
  console.log(row('COMMAND', ['SECONDS', 'OF KUBECTL', 'CPU s', 'PEAK MiB', 'A TENTH', 'FOUND']))
  for (const [index, [{ name, count, expected, limit }, runs]] of [...large].entries()) {
    const of = (field: 'seconds' | 'cpu' | 'peakMiB') => median(runs.map((one) => one[field]))
    const share = of('seconds') / base
    const peak = Math.max(...runs.map(({ peakMiB }) => peakMiB))
    const growth = peak / smaller[index]!
    const found = count && runs.map(({ out }) => count(out))
    console.log(
      row(name, [
        of('seconds').toFixed(2),
        share.toFixed(2) + judge(limit === undefined || share <= limit),
        of('cpu').toFixed(2),
        peak.toFixed(0) + judge(limit === undefined || peak <= MEMORY),
        `x ${growth.toFixed(2)}${judge(limit === undefined || growth <= GROWTH)}`,
        found
          ? `${found[0]}${judge(found.every((n) => n === expected))}`
          : `${(runs[0]!.bytes / 2 ** 20).toFixed(0)} MiB`,
      ]),
    )
  }
  return good
}

function row(name: string, cells: string[]): string {
  return [name.padEnd(27), ...cells.map((cell) => cell.padStart(11))].join('')
}
