import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseAllDocuments, stringify } from 'yaml'
import { diagnoseFiles } from '../../src/diagnose/from-files.ts'
import { asStream, caseFiles, caseKeys } from './cases.ts'

/** The same evidence as other tools write it: what is told must not depend on it. */

interface Case {
  objects: Record<string, unknown>[]
  log: string
}
type Files = Record<string, string>

const FORMS: Record<string, (of: Case) => Files> = {
  'one JSON list': ({ objects, log }) => ({
    'all.json': JSON.stringify({ kind: 'List', items: objects }, null, 2),
    'case.log': log,
  }),
  'a YAML list with the line ends of Windows': ({ objects, log }) => ({
    'all.yaml': stringify({ apiVersion: 'v1', items: objects, kind: 'List' }).replaceAll(
      '\n',
      '\r\n',
    ),
    'case.log': log.replaceAll('\n', '\r\n'),
  }),
  'a file for each object, as must-gather has it': ({ objects, log }) => ({
    ...Object.fromEntries(
      objects.map((object, n) => [
        `namespaces/x/${object.kind}s/${n}.yaml`,
        `---\n${stringify(object)}`,
      ]),
    ),
    'namespaces/x/misc.log': log,
  }),
  'logs pasted behind the objects': ({ objects, log }) => ({
    'all.txt': [...objects.map((object) => stringify(object)), log].join('---\n'),
  }),
  'logs behind the name of a pod and a time': ({ objects, log }) => ({
    'all.yaml': stringify({ items: objects, kind: 'List' }),
    'case.log': log.replace(/^(?=.)/gm, '[pod/virt-handler-abcde/virt-handler] '),
  }),
  'logs in Docker’s JSON': ({ objects, log }) => ({
    'all.yaml': stringify({ items: objects, kind: 'List' }),
    'case.log': log.replace(/^.+$/gm, (line) =>
      JSON.stringify({ log: `${line}\n`, stream: 'stderr' }),
    ),
  }),
}

const all = ['public', 'recorded'].flatMap((kind) =>
  Object.keys(caseKeys(kind)).map((id) => ({ id, given: caseOf(kind, id) })),
)
const plain = new Map<string, unknown>()
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mig-forms-'))
  for (const { id, given } of all)
    plain.set(
      id,
      await headline(`plain-${id}`, {
        'all.yaml': given.objects.map((object) => stringify(object)).join('---\n'),
        'case.log': given.log,
      }),
    )
}, 60_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

async function headline(name: string, files: Files) {
  for (const [file, text] of Object.entries(files)) {
    if (text === '') continue
    await mkdir(dirname(join(folder, name, file)), { recursive: true })
    await writeFile(join(folder, name, file), text)
  }
  const paths = [join(folder, name)]
  const { verdict } = await diagnoseFiles({ paths, stdin: asStream(''), generatedAt: 0 })
  return { code: verdict.code, title: verdict.title, confidence: verdict.confidence }
}

function caseOf(kind: string, id: string): Case {
  const texts = Object.fromEntries(caseFiles(kind, id).map(({ name, text }) => [name, text]))
  const objects = parseAllDocuments(texts['input.yaml'] ?? '')
    .map((document) => document.toJS())
    .flatMap((value) => value?.items ?? (value ? [value] : []))
  return { objects, log: texts['case.log'] ?? '' }
}

test.each(Object.keys(FORMS))(
  '%s: every case has its headline',
  async (form) => {
    for (const { id, given } of all)
      expect(await headline(`${form}-${id}`, FORMS[form]!(given)), id).toEqual(plain.get(id))
  },
  60_000,
)
