import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { type Document, isNode, LineCounter, parseAllDocuments } from 'yaml'
import { EXIT, fileTrouble, MigError } from '../../errors.ts'
import type { KubeObject } from '../../kubevirt/types.ts'
import { LAB_GROUP } from '../faults.ts'
import { resourceOf } from './resource.ts'
import { type Moment, parseMoment, type Scenario, type ScenarioObject } from './scenario.ts'

/** An object is applied when this has come ("vmim/move Running"); the annotation itself is not. */
const WHEN = `${LAB_GROUP}/when`

const FIELDS: Record<string, (value: unknown) => boolean> = {
  title: isText,
  code: isText,
  diagnose: (value) => isText(value) || isTexts(value),
  mend: isTexts,
  proof: isText,
  until: isTexts,
  lab: isTable,
}
const REQUIRED = ['title', 'diagnose', 'proof'] as const

const LAB_FIELDS: Record<string, (value: unknown) => boolean> = {
  nodes: (value) => isWhole(value, 1, 200),
  vms: (value) => isWhole(value, 0, 10_000),
  guest: (value) => ['synthetic', 'none', 'qemu'].includes(value as string),
  memory: isQuantity,
  'dirty-rate': isQuantity,
}

/** Reads a scenario's file. @throws MigError (usage) that names file and line */
export async function readScenario(file: string): Promise<Scenario> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new MigError(EXIT.usage, `${file}: ${fileTrouble(cause)}`, { cause })
  })
  return parseScenario(text, file)
}

/** The same of a text. @param file how it is called */
export function parseScenario(text: string, file: string): Scenario {
  const lines = new LineCounter()
  const documents = [...parseAllDocuments(text, { lineCounter: lines, prettyErrors: false })]
  const fail = (document: Document | undefined, path: string[], what: string): never => {
    const line = lines.linePos(document ? offsetOf(document, path) : 0).line || 1
    throw new MigError(EXIT.usage, `${file}:${line}: ${what}`, {
      hint: 'a scenario is a document of kind Scenario with title, diagnose and proof, then the objects that it applies',
    })
  }
  for (const { errors } of documents) {
    const [fault] = errors
    if (!fault) continue
    const { line } = lines.linePos(fault.pos[0])
    throw new MigError(EXIT.usage, `${file}:${line}: it is no YAML: ${fault.message}`)
  }
  const [head, ...rest] = documents
  const { apiVersion, kind, metadata, spec, ...more } = (head?.toJS() ?? {}) as Partial<Head>
  if (kind !== 'Scenario' || apiVersion !== `${LAB_GROUP}/v1alpha1`)
    return fail(head, ['kind'], `its first document is no Scenario of ${LAB_GROUP}/v1alpha1`)
  const name = basename(file, extname(file))
  if (metadata?.name !== name)
    fail(head, ['metadata', 'name'], `metadata.name is to be "${name}", as its file`)
  const [stray] = Object.keys(more)
  if (stray !== undefined) fail(head, [stray], `there is no field ${stray}`)
  checkFields({ ...spec }, FIELDS, (field, what) =>
    fail(head, ['spec', field], `spec.${field} ${what}`),
  )
  const lacking = REQUIRED.find((field) => spec?.[field] === undefined)
  if (!spec || lacking) return fail(head, ['spec'], `spec.${lacking} is missing`)
  checkFields({ ...spec.lab }, LAB_FIELDS, (field, what) =>
    fail(head, ['spec', 'lab', field], `spec.lab.${field} ${what}`),
  )
  const moment = (document: Document | undefined, path: string[], words: string): Moment =>
    parseMoment(words) ??
    fail(
      document,
      path,
      `"${words}" is no moment such as "vmim/move Running" or "event FailedCreate"`,
    )
  return {
    name,
    title: spec.title,
    story: storyOf(text),
    code: spec.code,
    diagnose: [spec.diagnose].flat(),
    mend: spec.mend ?? [],
    proof: spec.proof,
    lab: { ...spec.lab },
    until: (spec.until ?? []).map((words: string, i: number) =>
      moment(head, ['spec', 'until', String(i)], words),
    ),
    objects: rest
      .filter(({ contents }) => contents !== null)
      .map((document) => objectOf(document, moment, fail)),
  }
}

interface Head extends KubeObject {
  /** Its fields are checked before they are used. */
  spec?: Pick<Scenario, 'title' | 'proof'> &
    Partial<Pick<Scenario, 'code' | 'mend' | 'lab'>> & {
      diagnose: string | string[]
      until?: string[]
    }
}

function objectOf(
  document: Document,
  moment: (document: Document, path: string[], words: string) => Moment,
  fail: (document: Document, path: string[], what: string) => never,
): ScenarioObject {
  const object = document.toJS() as KubeObject
  if (!isTable(object) || !isText(object.metadata?.name))
    return fail(document, ['metadata'], 'an object without metadata.name')
  if (!resourceOf(object))
    fail(document, ['kind'], `a lab has no kind ${object.kind} of ${object.apiVersion}`)
  const { [WHEN]: when, ...annotations } = object.metadata.annotations ?? {}
  if (Object.keys(annotations).length > 0) object.metadata.annotations = annotations
  else delete object.metadata.annotations
  const path = ['metadata', 'annotations', WHEN]
  return { object, when: when === undefined ? undefined : moment(document, path, when) }
}

function checkFields(
  table: Record<string, unknown>,
  known: Record<string, (value: unknown) => boolean>,
  fail: (field: string, what: string) => void,
): void {
  for (const [field, value] of Object.entries(table)) {
    const fits = known[field]
    if (!fits) fail(field, `is not known; ${Object.keys(known).join(', ')} are`)
    else if (!fits(value)) fail(field, `can't be ${JSON.stringify(value)}`)
  }
}

/** The comment at the top, without its marks. */
function storyOf(text: string): string {
  const [comment = ''] = /^(#.*\n)*/.exec(text) ?? []
  return comment.replaceAll(/^# ?/gm, '').trim()
}

/** Where the deepest part of the path that is there begins. */
function offsetOf(document: Document, path: string[]): number {
  for (let length = path.length; length >= 0; length--) {
    const at = path.slice(0, length)
    const node = at.length === 0 ? document.contents : document.getIn(at, true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return document.range?.[0] ?? 0
}

function isQuantity(value: unknown): boolean {
  return isText(value) || typeof value === 'number'
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText)
}

function isTable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most
}
