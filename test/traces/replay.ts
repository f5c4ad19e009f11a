/**
 * Replays recordings of the real controllers against the lab: `npm run test:traces [-- [--api kube-apiserver] [DIR|FILE]]`,
 * all `*.yaml` of the directory (default: this one), several at once. Each difference is a line, the last line counts.
 */
import { readdirSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { demandBinaries } from '../../src/lab/real-api/binaries.ts'
import { type Deviation, play } from './play.ts'
import { loadScenario, type Scenario } from './scenario.ts'

const { values, positionals } = parseArgs({
  options: { api: { type: 'string', default: 'embedded' } },
  allowPositionals: true,
})
const binaries = values.api === 'kube-apiserver' ? await demandBinaries(process.env) : undefined
/** A replay mostly waits, but all share this thread; a kube-apiserver and an etcd of its own have work to do. */
const AT_ONCE = binaries ? availableParallelism() : Math.min(4 * availableParallelism(), 12)

const given = resolve(positionals[0] ?? import.meta.dirname)
const recordings = filesIn(given).map(read)
// The longest first, as the last to end is waited for.
const queue = recordings.toSorted((a, b) => durationOf(b) - durationOf(a))
let failed = 0
await Promise.all(Array.from({ length: AT_ONCE }, replayNext))
if (recordings.length === 0) console.log(`${given} - - recordings: at least 1, none`)
console.log(`${recordings.length - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 || recordings.length === 0 ? 1 : 0

/** A file, and the recording in it, or why it is none. */
interface Recording {
  file: string
  scenario?: Scenario
  unreadable?: string
}

function filesIn(place: string): string[] {
  if (!statSync(place, { throwIfNoEntry: false })?.isDirectory()) return [place]
  return readdirSync(place)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => join(place, file))
}

function read(file: string): Recording {
  try {
    return { file, scenario: loadScenario(file) }
  } catch (err) {
    return { file, unreadable: err instanceof Error ? err.message : String(err) }
  }
}

/** Seconds that it took. */
function durationOf({ scenario }: Recording): number {
  const last = scenario?.steps.at(-1)
  return last ? last.at + last.settledAfter : 0
}

async function replayNext(): Promise<void> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const lines = await linesOf(next)
    if (lines.length > 0) failed++
    for (const line of lines) console.log(line)
  }
}

async function linesOf({ file, scenario, unreadable }: Recording): Promise<string[]> {
  if (!scenario) return [`${basename(file)} - - recording: readable, ${unreadable}`]
  try {
    const deviations = await play(scenario, binaries)
    return deviations.map((deviation) => lineOf(scenario.scenario, deviation))
  } catch (err) {
    const error = err instanceof Error ? err.stack : String(err)
    return [`${scenario.scenario} - - error: none, ${error}`]
  }
}

function lineOf(name: string, { step, object, field, expected, got }: Deviation): string {
  return `${name} ${step} ${object} ${field}: ${text(expected)}, ${text(got)}`
}

function text(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}
