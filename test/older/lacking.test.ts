import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { firstSight, type Observed } from '../../src/migrate/observed.ts'
import { portMapOf } from '../../src/migrate/ports.ts'
import { queueOf } from '../../src/migrate/queue.ts'
import { reportOf } from '../../src/migrate/report.ts'
import { statusLines } from '../../src/terminal/status-table.ts'
import { timelineLines } from '../../src/terminal/timeline-view.ts'
import { pipe } from '../terminal/screen.ts'
import { afterStep, kubevirtOf, RELEASES, T0 } from './recording.ts'

const NOW = T0 + 60_000
const schema = new URL('../../schema/migration-report.json', import.meta.url)
const isReport = new Ajv({ formats: { 'date-time': true }, allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(schema, 'utf8')),
)

/** No release promises more of an object than its name and that it is a migration of a VM. */
const PROMISED = [
  'migration',
  'vmi.metadata',
  'vmi.metadata.name',
  'migration.metadata',
  'migration.metadata.name',
  'migration.spec',
  'vmi.spec',
]

type Seen = Pick<Observed, 'migration' | 'vmi'>

/** Everything that shows a migration to a person or a script. */
function show({ migration, vmi }: Seen): void {
  const observed = firstSight(migration, vmi)
  const { terminal } = pipe()
  isReport(reportOf(observed, NOW))
  expect(isReport.errors).toBeNull()
  timelineLines(observed, terminal, NOW)
  statusLines([observed], terminal, NOW, { namespaces: true, wide: true })
  portMapOf({ namespace: 'demo', name: 'vm-1', vm: undefined, vmi, migration }, NOW)
  const view = { migrations: [migration], vmis: vmi ? [vmi] : [], pods: [] }
  queueOf({ ...view, kubevirt: kubevirtOf('v1.1.0') }, undefined, NOW)
}

/** `a.b.c` of all that is in it. */
function pathsOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path]
  const below = Object.entries(value).flatMap(([key, one]) => pathsOf(one, [...path, key]))
  return path.length > 0 ? [path, ...below] : below
}

function without(seen: Seen, path: string[]): Seen {
  const [copy, parent] = parentOf(seen, path)
  if (Array.isArray(parent)) parent.splice(Number(path.at(-1)), 1)
  else delete parent[path.at(-1)!]
  return copy
}

/** Servers may say null where they mean nothing, but not for a namespace or for what is in a list. */
function withNull(seen: Seen, path: string[]): Seen {
  if (path.at(-1) === 'namespace' || /^\d+$/.test(path.at(-1)!)) return seen
  const [copy, parent] = parentOf(seen, path)
  parent[path.at(-1)!] = null
  return copy
}

function parentOf(seen: Seen, path: string[]): [copy: Seen, parent: Record<string, unknown>] {
  const copy = structuredClone(seen)
  const parent = path.slice(0, -1).reduce<unknown>((at, key) => at?.[key as never], copy)
  return [copy, parent as Record<string, unknown>]
}

describe.each(RELEASES)('of a migration of KubeVirt %s', (release) => {
  test.each([
    ['01-normal', 2],
    ['01-normal', 4],
    ['01-normal', 6],
    ['07-quota', 3],
    ['14-copy-fails', 5],
    ['17-evacuation', 3],
  ] as const)('in %s after step %i any field may be missing', (scenario, step) => {
    const { migrations, vmis } = afterStep(release, scenario, step)
    const migration = migrations[0]!
    const vmi = vmis.find(({ metadata }) => metadata.name === migration.spec.vmiName)
    const seen: Seen = { migration, vmi }
    const paths = pathsOf(seen).filter((path) => !PROMISED.includes(path.join('.')))
    expect(paths.length).toBeGreaterThan(30)
    for (const path of paths) {
      expect(() => show(without(seen, path)), path.join('.')).not.toThrow()
      expect(() => show(withNull(seen, path)), `${path.join('.')} null`).not.toThrow()
    }
  })
})
