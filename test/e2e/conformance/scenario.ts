import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Document, parseDocument } from 'yaml'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'WATCH'] as const

/**
 * One request and what a real kube-apiserver answered. The path is one of the core group in the scenario's own namespace
 * (`configmaps/a`) unless it begins with a slash, or with `$KV` for KubeVirt's group. In paths and bodies `$NS` is that namespace, `${name.field}` a field of
 * the answer to the step of that name, and `$LONG` a text of 3 MiB.
 */
export interface Step {
  method: (typeof METHODS)[number]
  path: string
  body?: unknown
  /** Default application/json; for a PATCH `merge`, `json`, `strategic` or `apply`. */
  type?: string
  headers?: Record<string, string>
  /** A user of the lab; default admin. */
  as?: string
  name?: string
  /** Dotted paths of what is compared of a body; default all of it. */
  show?: string[]
  /** How many events of a WATCH are awaited. */
  events?: number
  answer?: unknown
  /**
   * How the embedded server is known to differ: `words`, where it refuses with the same status and reason but says it
   * otherwise (Go's decoders have texts of their own), or a sentence for what it does instead.
   */
  embedded?: string
}

export interface Scenario {
  name: string
  steps: Step[]
}

export interface ScenarioFile {
  file: string
  topic: string
  document: Document.Parsed
  scenarios: Scenario[]
}

/** All `*.yaml` beside this file. */
export function loadScenarios(folder = import.meta.dirname): ScenarioFile[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => {
      const file = join(folder, name)
      const document = parseDocument(readFileSync(file, 'utf8'))
      if (document.errors[0]) throw new Error(`${file}: ${document.errors[0].message}`)
      const written = document.toJS() as { scenario: string; steps: Record<string, unknown>[] }[]
      const scenarios = written.map(({ scenario, steps }) => ({
        name: scenario,
        steps: steps.map((step) => stepOf(step, `${name}: ${scenario}`)),
      }))
      return { file, topic: basename(name, '.yaml'), document, scenarios }
    })
}

function stepOf(written: Record<string, unknown>, where: string): Step {
  const method = METHODS.find((verb) => verb in written)
  if (!method) throw new Error(`${where}: a step without a method`)
  const { [method]: path, ...rest } = written
  return { ...(rest as Partial<Step>), method, path: String(path) }
}
