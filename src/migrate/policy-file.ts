import { readFile } from 'node:fs/promises'
import { EXIT, fileTrouble, MigError } from '../errors.ts'
import { isAtLeast, type Release } from '../kubevirt/defaults.ts'
import { parseQuantity } from '../kubevirt/quantity.ts'
import type { MigrationPolicy, Quantity } from '../kubevirt/types.ts'

/** How a value must look; an object says it of each of its fields. */
type Shape =
  | { is: 'text' | 'flag' | 'whole' | 'quantity' | 'labels' | 'anything' }
  | { is: 'object'; fields: Record<string, Field> }
type Field = Shape & { since?: [number, number]; required?: boolean }

const WHOLE = { is: 'whole' } as const
const QUANTITY = { is: 'quantity' } as const
const FLAG = { is: 'flag' } as const

/** Fact sheet control-plane.md §1.7; what a stall detector and the tuning of downtime may have, §1.6. */
const POLICY: Shape = object({
  apiVersion: { is: 'text', required: true },
  kind: { is: 'text', required: true },
  metadata: { is: 'anything', required: true },
  status: { is: 'anything' },
  spec: {
    required: true,
    ...object({
      selectors: {
        required: true,
        ...object({
          namespaceSelector: { is: 'labels' },
          virtualMachineInstanceSelector: { is: 'labels' },
        }),
      },
      allowAutoConverge: FLAG,
      bandwidthPerMigration: QUANTITY,
      completionTimeoutPerGiB: WHOLE,
      maxDowntimeMs: { ...WHOLE, since: [1, 9] },
      allowPostCopy: FLAG,
      allowWorkloadDisruption: { ...FLAG, since: [1, 5] },
      experimental: {
        since: [1, 9],
        ...object({
          compression: { is: 'text' },
          stallDetector: object({
            stallMargin: QUANTITY,
            stallProgressTimeout: WHOLE,
            switchoverTimeout: WHOLE,
            ewmaAlpha: QUANTITY,
            precopyPossibleFactor: QUANTITY,
            patienceWindowDecayFactor: QUANTITY,
            searchLocalMinima: FLAG,
            completionTimeoutFactor: QUANTITY,
          }),
          downtimeTuning: {
            since: [1, 10],
            ...object({
              initialMs: WHOLE,
              steps: WHOLE,
              startAfterIteration: WHOLE,
              cooldownSeconds: WHOLE,
            }),
          },
        }),
      },
    }),
  },
})

/**
 * Reads the MigrationPolicies of a YAML or JSON file, or with `-` of stdin.
 * @param release what the cluster runs; undefined takes any field
 * @throws MigError (usage) that names file and line
 */
export async function readPolicyFile(
  path: string,
  release: Release | undefined,
  stdin: AsyncIterable<string | Buffer>,
): Promise<MigrationPolicy[]> {
  if (path === '-') return parsePolicies(await readAll(stdin), 'stdin', release)
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new MigError(EXIT.usage, `--what-if: ${path}: ${fileTrouble(cause)}`, { cause })
  })
  return parsePolicies(text, path, release)
}

/** The same of a text that was read already. */
export async function parsePolicies(
  text: string,
  path: string,
  release: Release | undefined,
): Promise<MigrationPolicy[]> {
  const { LineCounter, parseAllDocuments } = await import('yaml')
  const lines = new LineCounter()
  const documents = [...parseAllDocuments(text, { lineCounter: lines, prettyErrors: false })]
  const fail = (offset: number, what: string, hint?: string): never => {
    const { line } = lines.linePos(offset)
    throw new MigError(EXIT.usage, `${path}:${line}: ${what}`, hint === undefined ? {} : { hint })
  }
  return documents
    .filter(({ contents, errors }) => contents !== null || errors.length > 0)
    .map((document, _, all) => {
      const [fault] = document.errors
      if (fault) fail(fault.pos[0], `it is no YAML: ${fault.message}`)
      const policy = document.toJS() as MigrationPolicy
      const problem = problemOf(policy, POLICY, [], release)
      if (problem) {
        const { path: at, what, hint } = problem
        fail(offsetOf(document, at), `${at.join('.') || 'it'} ${what}`, hint)
      }
      checkIdentity(policy, (at, what) => fail(offsetOf(document, at), what))
      if (all.filter((one) => one.toJS()?.metadata?.name === policy.metadata.name).length > 1)
        fail(offsetOf(document, ['metadata']), `"${policy.metadata.name}" is there twice`)
      return policy
    })
    .concat(documents.length === 0 || documents.every(isEmpty) ? [fail(0, 'it is empty')] : [])
}

async function readAll(input: AsyncIterable<string | Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of input) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

function object(fields: Record<string, Field>): Shape {
  return { is: 'object', fields }
}

interface Problem {
  path: string[]
  what: string
  hint?: string
}

function problemOf(
  value: unknown,
  shape: Shape,
  path: string[],
  release: Release | undefined,
): Problem | undefined {
  if (shape.is !== 'object') {
    const what = CHECKS[shape.is](value)
    return what === undefined ? undefined : { path, what }
  }
  if (!isObject(value)) return { path, what: 'is no object' }
  const known = Object.keys(shape.fields)
  for (const [name, inner] of Object.entries(value)) {
    const at = [...path, name]
    const field = shape.fields[name]
    if (!field)
      return { path: at, what: 'is an unknown field', hint: `known here: ${known.join(', ')}` }
    if (inner === null) continue
    const { since } = field
    if (since && release && !isAtLeast(release, ...since))
      return {
        path: at,
        what: `needs KubeVirt ${since.join('.')}, and this cluster runs ${release.major}.${release.minor}`,
      }
    const problem = problemOf(inner, field, at, release)
    if (problem) return problem
  }
  const missing = known.find(
    (name) => shape.fields[name]?.required && (value[name] ?? undefined) === undefined,
  )
  return missing === undefined ? undefined : { path, what: `has no ${missing}` }
}

const CHECKS: Record<Exclude<Shape['is'], 'object'>, (value: unknown) => string | undefined> = {
  anything: () => undefined,
  text: (value) => (typeof value === 'string' ? undefined : 'is no text'),
  flag: (value) => (typeof value === 'boolean' ? undefined : 'is neither true nor false'),
  whole: (value) =>
    Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : 'is no whole number from 0',
  quantity: (value) => {
    const amount =
      typeof value === 'string' || typeof value === 'number'
        ? parseQuantity(value as Quantity)
        : undefined
    return amount && amount.nano >= 0n ? undefined : 'is no quantity from 0, such as 64Mi'
  },
  labels: (value) =>
    isObject(value) && Object.values(value).every((one) => typeof one === 'string')
      ? undefined
      : 'is no map of texts: KEY: VALUE',
}

function checkIdentity(
  { apiVersion, kind, metadata }: MigrationPolicy,
  fail: (at: string[], what: string) => void,
): void {
  if (kind !== 'MigrationPolicy') fail(['kind'], `kind is "${kind}", not "MigrationPolicy"`)
  if (apiVersion?.split('/')[0] !== 'migrations.kubevirt.io')
    fail(['apiVersion'], `apiVersion is "${apiVersion}", not "migrations.kubevirt.io/v1alpha1"`)
  if (!isObject(metadata) || typeof metadata.name !== 'string')
    fail(['metadata'], 'metadata has no name')
}

interface ParsedDocument {
  contents: unknown
  errors: unknown[]
}

function isEmpty({ contents, errors }: ParsedDocument): boolean {
  return contents === null && errors.length === 0
}

interface YamlPair {
  key: { value?: unknown; range?: [number, number, number] | null }
  value: unknown
}

/** Where a field begins: at its name. */
function offsetOf({ contents }: { contents: unknown }, path: string[]): number {
  let node = contents as { items?: YamlPair[]; range?: [number, number, number] } | null
  let offset = node?.range?.[0] ?? 0
  for (const name of path) {
    const pair = node?.items?.find(({ key }) => key?.value === name)
    offset = pair?.key.range?.[0] ?? offset
    node = (pair?.value ?? null) as typeof node
  }
  return offset
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
