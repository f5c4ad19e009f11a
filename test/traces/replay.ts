/**
 * Replays recordings of the real controllers against the lab: `npm run test:traces [-- [--api kube-apiserver] [DIR|FILE]]`,
 * all `*.yaml` of the directory (default: this one), as many at once as there are cores. Each difference is a line, the
 * last line counts.
 */
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { demandBinaries } from '../../src/lab/real-api/binaries.ts'
import { type Deviation, play } from './play.ts'
import { loadScenario } from './scenario.ts'

const { values, positionals } = parseArgs({
  options: { api: { type: 'string', default: 'embedded' } },
  allowPositionals: true,
})
const binaries = values.api === 'kube-apiserver' ? await demandBinaries(process.env) : undefined
const given = resolve(positionals[0] ?? import.meta.dirname)
const files = given.endsWith('.yaml') ? [given] : filesIn(given)

let failed = 0
const queue = [...files]
await Promise.all(Array.from({ length: availableParallelism() }, replayNext))
console.log(`${files.length - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 || files.length === 0 ? 1 : 0

function filesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => join(folder, file))
}

async function replayNext(): Promise<void> {
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const lines = await linesOf(file)
    if (lines.length > 0) failed++
    for (const line of lines) console.log(line)
  }
}

async function linesOf(file: string): Promise<string[]> {
  const scenario = loadScenario(file)
  try {
    const deviations = await play(scenario, binaries)
    return deviations.map((deviation) => lineOf(scenario.scenario, deviation))
  } catch (err) {
    return [
      `${scenario.scenario} - - error: none, ${err instanceof Error ? err.stack : String(err)}`,
    ]
  }
}

function lineOf(name: string, { step, object, field, expected, got }: Deviation): string {
  return `${name} ${step} ${object} ${field}: ${text(expected)}, ${text(got)}`
}

function text(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}
