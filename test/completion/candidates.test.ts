import { expect, test } from 'vitest'
import { type Candidate, complete } from '../../src/completion/candidates.ts'
import type { Manifest } from '../../src/completion/manifest.ts'
import type { Source } from '../../src/completion/sources.ts'

const option = (name: string, rest = {}) => ({ [name]: { name, type: 'option' as const, ...rest } })
const boolean = (name: string, rest = {}) => ({
  [name]: { name, type: 'boolean' as const, ...rest },
})

const manifest: Manifest = {
  commands: {
    move: {
      id: 'move',
      summary: 'Move VMs',
      args: { name: { name: 'name', multiple: true } },
      flags: {
        ...option('namespace', { char: 'n' }),
        ...option('output', { char: 'o', options: ['json', 'yaml'] }),
        ...option('as-group', { multiple: true }),
        ...option('from', { helpValue: 'PATH' }),
        ...option('timeout', { helpValue: 'DURATION' }),
        ...boolean('wait', { allowNo: true, description: 'wait for it' }),
        ...boolean('child', { hidden: true }),
      },
    },
    cancel: { id: 'cancel', args: { name: { name: 'name' } }, flags: {} },
    'lab:up': { id: 'lab:up', summary: 'Start', args: {}, flags: { ...option('name') } },
    'lab:down': { id: 'lab:down', summary: 'End', args: {}, flags: { ...option('name') } },
    secret: { id: 'secret', hidden: true, args: {}, flags: {} },
  },
}

const NAMES: Partial<Record<Source, Candidate[]>> = {
  running: [{ value: 'vm-1', description: 'on node-1' }, { value: 'vm-2' }, { value: 'web' }],
  moving: [{ value: 'vm-2' }],
  namespaces: [{ value: 'default' }, { value: 'demo' }],
  labs: [{ value: 'lab' }],
}

async function values(line: string) {
  const { candidates, files } = await complete(line.split(' '), manifest, {
    topics: { lab: 'A lab' },
    lookUp: async (source) => NAMES[source] ?? [],
  })
  return files ? 'files' : candidates.map(({ value }) => value).join(' ')
}

test.each([
  ['commands and topics at first', '', 'move cancel lab'],
  ['a command by its beginning', 'mo', 'move'],
  ['the commands of a topic', 'lab ', 'up down'],
  ['nothing after an unknown command', 'nosuch ', ''],
  ['nothing where a flag stands before the command', '-n demo ', ''],
  ['names', 'move ', 'vm-1 vm-2 web'],
  ['names by their beginning', 'move vm', 'vm-1 vm-2'],
  ['no name twice', 'move vm-1 ', 'vm-2 web'],
  ['no name where the command takes no further one', 'cancel vm-2 ', ''],
  ['for each command the names that it can work on', 'cancel ', 'vm-2'],
  ['names after the value of a flag', 'move -n demo v', 'vm-1 vm-2'],
  ['names after a boolean flag', 'move --wait v', 'vm-1 vm-2'],
  ['names after --, though they look like flags', 'move -- --w', ''],
  ['flags by their beginning, none hidden', 'move --n', '--namespace --no-wait'],
  ['the opposite of a flag', 'move --no-', '--no-wait'],
  [
    'no flag twice',
    'move --wait --output=json --',
    '--namespace --as-group --from --timeout --help',
  ],
  ['no flag twice, by its letter', 'move -ojson --o', ''],
  ['a flag again that may be given several times', 'move --as-group a --as', '--as-group'],
  ['flags where there is nothing else', 'lab up ', '--name --help'],
  ['options of a flag', 'move -o ', 'json yaml'],
  ['options of a flag by their beginning', 'move --output y', 'yaml'],
  ['bare values after =, as cobra has them', 'move --output=y', 'yaml'],
  ['bare values after a letter', 'move -oy', 'yaml'],
  ['live values of a flag', 'move --namespace d', 'default demo'],
  ['nothing for a value that nobody can know', 'move --timeout ', ''],
  ['files where a path is wanted', 'move --from ', 'files'],
  ['nothing for an unknown flag', 'move --nosuch=', ''],
  ['labs that exist, to end one', 'lab down --name ', 'lab'],
  ['no lab to start one', 'lab up --name ', ''],
])('it offers %s', async (_, line, expected) => {
  expect(await values(line)).toBe(expected)
})

test('commands, topics and names carry what describes them', async () => {
  const lookUp = async (source: Source) => NAMES[source] ?? []
  const offered = async (...words: string[]) =>
    (await complete(words, manifest, { topics: { lab: 'A lab' }, lookUp })).candidates[0]
  expect(await offered('mo')).toEqual({ value: 'move', description: 'Move VMs' })
  expect(await offered('la')).toEqual({ value: 'lab', description: 'A lab' })
  expect(await offered('move', 'vm-1')).toEqual({ value: 'vm-1', description: 'on node-1' })
  expect(await offered('move', '--no-w')).toEqual({
    value: '--no-wait',
    description: 'off: wait for it',
  })
})

test('a look-up is told what was given before, and what has been typed of the value', async () => {
  const asked: unknown[] = []
  await complete(['move', 'web', '-nprod', '--as-group=a', '--as-group', 'b', 'vm'], manifest, {
    topics: {},
    lookUp: async (...question) => {
      asked.push(question)
      return []
    },
  })
  expect(asked).toEqual([
    ['running', { args: ['web'], flags: { namespace: ['prod'], 'as-group': ['a', 'b'] } }, 'vm'],
  ])
})
